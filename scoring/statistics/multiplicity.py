"""Units that are equal are counted: figures, intervals and states of parts need no more of them than how many."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

PackedBlock = dict[str, Any]
"""Lines of units and how often each occurs, as plain data."""


def kinds_of(units: Any) -> tuple[Any, Any, Any]:
    """Return the distinct rows of an array in order, the index of each row among them, and the number of occurrences.

    Examples:
        >>> import numpy as np
        >>> lines, places, counts = kinds_of(np.array([[1.0, 0.5], [1.0, 0.0], [1.0, 0.5]]))
        >>> lines.tolist(), places.tolist(), counts.tolist()
        ([[1.0, 0.0], [1.0, 0.5]], [1, 0, 1], [1, 2])
    """
    if not len(units):
        return units, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int64)
    # The columns that are all alike, such as the ones under a mean, need no sorting.
    varying = units[:, (units != units[0]).any(axis=0)]
    order = np.argsort(varying[:, 0], kind="stable") if varying.shape[1] else np.arange(len(units))
    if varying.shape[1] > 1 and not np.diff(varying[order, 0]).all():
        order = np.lexsort(varying.T[::-1])  # the first column leaves ties, which the others order
    ordered = varying[order]
    first = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    places = np.empty(len(units), dtype=np.intp)
    places[order] = np.cumsum(first) - 1
    starts = np.flatnonzero(first)
    return units[order[starts]], places, np.diff(starts, append=len(units))


class Times(Sequence[Any]):
    """Replaces ids where equal units were counted: how often each row of units occurs."""

    __slots__ = ("counts",)

    def __init__(self, counts: Any) -> None:
        self.counts = counts

    def __len__(self) -> int:
        return int(self.counts.sum())

    def __getitem__(self, place: Any) -> NoReturn:
        raise LookupError("equal units were counted, and their ids are not kept")


def counted(blocks: Sequence[tuple[Sequence[Any], Any]]) -> tuple[Any, Any]:
    """Return the different lines of some blocks of units, and how often each occurs in all of them.

    `Times` in place of ids says how often each line occurs.

    Examples:
        >>> import numpy as np
        >>> lines, counts = counted([("ab", np.array([[1.0], [0.5]])), (Times(np.array([3])), np.array([[1.0]]))])
        >>> lines.tolist(), counts.tolist()
        ([[0.5], [1.0]], [1, 4])
    """
    units = np.concatenate([np.asarray(units, dtype=np.float64) for _, units in blocks])
    times = [ids.counts if isinstance(ids, Times) else np.ones(len(ids), dtype=np.int64) for ids, _ in blocks]
    lines, places, counts = kinds_of(units)
    if any(isinstance(ids, Times) for ids, _ in blocks):
        # Floats count exactly up to 2 ** 53, and bincount takes no other weights.
        counts = np.bincount(places, np.concatenate(times), minlength=len(lines)).astype(np.int64)
    return lines, counts


def spread(ids: Sequence[Any], units: Any) -> Any:
    """Return the units of a block one by one."""
    return np.repeat(units, ids.counts, axis=0) if isinstance(ids, Times) else units


def rekeyed(blocks: Sequence[tuple[Any, ...]], keys: Sequence[Any]) -> tuple[Any, ...]:
    """Return the block of units that were unpacked one by one, with their ids in place of the counts.

    Raises:
        ValueError: when there are more or fewer.

    Examples:
        >>> import numpy as np
        >>> rekeyed([(Times(np.array([1, 1])), np.array([[1.0], [0.5]]))], "ab")[0][0]
        'ab'
    """
    ((times, *rest),) = blocks
    if len(keys) != len(times) or len(keys) != len(times.counts):
        raise ValueError(f"{len(keys)} ids of {len(times)} units")
    return ((keys, *rest),)


def pack_units(units: Any, counts: Any) -> PackedBlock:
    """Counted units as plain data: little-endian floats and whole numbers of 64 bits, in base 64.

    Examples:
        >>> import numpy as np
        >>> units, counts = unpack_units(pack_units(np.array([[0.5, 1.0]]), np.array([3])))
        >>> units.tolist(), counts.tolist()
        ([[0.5, 1.0]], [3])
    """
    texts = (base64.b64encode(array.tobytes()).decode() for array in (units.astype("<f8"), counts.astype("<i8")))
    return dict(zip(("units", "counts"), texts, strict=True), width=int(units.shape[1]))


def unpack_units(data: PackedBlock) -> tuple[Any, Any]:
    """Return the units and counts of packed data, which may come from an untrusted source.

    Raises:
        ValueError: when they do not fit together.
    """
    raw = (base64.b64decode(data[name], validate=True) for name in ("units", "counts"))
    units, counts = (np.frombuffer(held, dtype) for held, dtype in zip(raw, ("<f8", "<i8"), strict=True))
    units = units.reshape(len(counts), int(data["width"]))
    if (counts < 1).any() or not np.isfinite(units).all():
        raise ValueError("units that are counted less than once, or are no finite numbers")
    return units, counts
