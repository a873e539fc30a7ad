"""Count equal units, and sum counted ones: figures, intervals and states need only distinct units and their counts."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from scoring.statistics.exact import on_grid

PackedBlock = dict[str, Any]
"""Distinct units and how often each occurs, as plain data."""


def kinds_of(units: Any) -> tuple[Any, Any, Any]:
    """Return the distinct lines of an array, sorted, for each line its index among them, and how often each occurs.

    Examples:
        >>> import numpy as np
        >>> lines, places, counts = kinds_of(np.array([[1.0, 0.5], [1.0, 0.0], [1.0, 0.5]]))
        >>> lines.tolist(), places.tolist(), counts.tolist()
        ([[1.0, 0.0], [1.0, 0.5]], [1, 0, 1], [1, 2])
    """
    if len(units) < 2:
        return units, np.zeros(len(units), dtype=np.intp), np.ones(len(units), dtype=np.int64)
    # Constant columns, such as the denominators of a mean, need no sorting.
    varying = units[:, (units != units[0]).any(axis=0)]
    order = np.argsort(varying[:, 0], kind="stable") if varying.shape[1] else np.arange(len(units))
    if varying.shape[1] > 1 and not np.diff(varying[order, 0]).all():
        order = np.lexsort(varying.T[::-1])  # break ties in the first column by the others
    ordered = varying[order]
    first = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    inverse = np.empty(len(units), dtype=np.intp)
    inverse[order] = np.cumsum(first) - 1
    starts = np.flatnonzero(first)
    return units[order[starts]], inverse, np.diff(starts, append=len(units))


class Times(Sequence[Any]):
    """A stand-in for ids where equal units are counted; ``counts`` has how often each distinct unit occurs."""

    __slots__ = ("counts",)

    def __init__(self, counts: Any) -> None:
        self.counts = counts

    def __len__(self) -> int:
        return int(self.counts.sum())

    def __getitem__(self, place: Any) -> NoReturn:
        raise LookupError("equal units were counted, and their ids are not kept")


def count_distinct_units(blocks: Sequence[tuple[Sequence[Any], Any]]) -> tuple[Any, Any]:
    """Return the distinct units of some blocks, and how often each occurs in all of them.

    A block is a pair: ids, or `Times` with the count of each unit, and an array with a line for each unit.

    Examples:
        >>> import numpy as np
        >>> lines, counts = count_distinct_units(
        ...     [("ab", np.array([[1.0], [0.5]])), (Times(np.array([3])), np.array([[1.0]]))]
        ... )
        >>> lines.tolist(), counts.tolist()
        ([[0.5], [1.0]], [1, 4])
    """
    units = np.concatenate([np.asarray(units, dtype=np.float64) for _, units in blocks])
    times = [ids.counts if isinstance(ids, Times) else np.ones(len(ids), dtype=np.int64) for ids, _ in blocks]
    lines, inverse, counts = kinds_of(units)
    if any(isinstance(ids, Times) for ids, _ in blocks):
        # Floats are exact up to 2 ** 53, and bincount only accepts float weights.
        counts = np.bincount(inverse, np.concatenate(times), minlength=len(lines)).astype(np.int64)
    return lines, counts


def spread(ids: Sequence[Any], units: Any) -> Any:
    """Return the units of a block one by one: if ``ids`` are `Times`, each unit as often as it was counted."""
    return np.repeat(units, ids.counts, axis=0) if isinstance(ids, Times) else units


def rekeyed(blocks: Sequence[tuple[Any, ...]], keys: Sequence[Any]) -> tuple[Any, ...]:
    """Return ``blocks``, which must be a single block of units that occur once each, with ``keys`` as their ids.

    Raises:
        ValueError: when there are not as many keys as units, or a unit is counted more than once.

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
    """Return counted units as plain data: little-endian 64-bit floats and integers, in base 64.

    Examples:
        >>> import numpy as np
        >>> units, counts = unpack_units(pack_units(np.array([[0.5, 1.0]]), np.array([3])))
        >>> units.tolist(), counts.tolist()
        ([[0.5, 1.0]], [3])
    """
    texts = (base64.b64encode(array.tobytes()).decode() for array in (units.astype("<f8"), counts.astype("<i8")))
    return dict(zip(("units", "counts"), texts, strict=True), width=int(units.shape[1]))


def unpack_units(data: PackedBlock) -> tuple[Any, Any]:
    """Return the units and counts from the data of `pack_units`, which is not trusted.

    Raises:
        ValueError: when there are not as many units as counts, a count is below 1, or a unit is not finite.
    """
    raw = (base64.b64decode(data[name], validate=True) for name in ("units", "counts"))
    units, counts = (np.frombuffer(content, dtype) for content, dtype in zip(raw, ("<f8", "<i8"), strict=True))
    units = units.reshape(len(counts), int(data["width"]))
    if (counts < 1).any() or not np.isfinite(units).all():
        raise ValueError("units that are counted less than once, or are no finite numbers")
    return units, counts


def weighted_sums(units: Any, counts: Any) -> Any:
    """Return the column sums of ``units`` for each row of ``counts``, which states how often each unit occurs.

    The sums are bit-identical whatever the order of the units. The error is below 2 ** -70 of the greatest number of
    the column, for up to a million units.

    Args:
        units: Floats, one row for each unit.
        counts: Whole numbers, one row for each resample, with one column for each unit.

    Returns:
        One row of sums for each row of ``counts``.

    Examples:
        >>> import numpy as np
        >>> weighted_sums(np.array([[0.1], [0.2]]), np.array([[1, 1], [0, 3]])).round(4).tolist()
        [[0.3], [0.6]]
    """
    counts = np.asarray(counts, dtype=np.float64)
    if not units.size or not counts.size:
        return np.zeros((len(counts), units.shape[1]))
    return sum(counts @ part for part in _parts(units, int(counts.sum(axis=-1).max())))


def sums_by(units: Any, owners: Any, size: int) -> Any:
    """Return the sums of each column over the lines of each owner, with the same bits for any order of the lines.

    ``owners`` has the number of each line's owner, from 0 to ``size`` - 1.

    Examples:
        >>> import numpy as np
        >>> sums_by(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2).tolist()
        [[5.0], [2.0]]
    """
    parts = [
        np.stack([np.bincount(owners, weights=column, minlength=size) for column in part.T], axis=-1)
        for part in _parts(units, len(units))
    ]
    return sum(parts)


def _parts(units: Any, times: int) -> list[Any]:
    """Return arrays that add up to the units, nearly; any ``times`` values of an array add up without rounding."""
    try:
        coarse = on_grid(units, times)
        return [coarse, on_grid(units - coarse, times)]
    except OverflowError:  # close to the greatest float there is no room for a grid
        return [units]
