"""The sizes of rows of Arrow columns with all values written out, and batches cut into pieces of limited size.

Many rows may share one stored value, by dictionary, view or run-end encoding. So the memory of such a column does not
show the size of its rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.data.limits import limits
from scoring.data.unpacking import expansion_error

MOST_IN_MEMORY = 32 << 20
"""The approximate number of bytes of rows in memory at a time, if no single row is larger."""
ROWS = 4096
"""The number of rows that are read at a time, if they have no more than `HELD` bytes."""
_ROW = 100
"""The bytes that Python needs for a row in addition to its values; they limit the number of rows without values."""
_SHARED = ("dictionary", "view", "run_end_encoded")
_VIEW = 4
"""The stride of the lengths in a buffer of views: the first of the four 32-bit numbers of a view is its length."""

_Sizes = NDArray[np.float64]


def pieces_of(name: str, batches: Iterable[Any], stored: int | None = None) -> Iterator[Any]:
    """Yield Arrow batches cut into pieces whose rows fit into memory together.

    Args:
        name: The name of the data in messages.
        batches: The batches.
        stored: The size in bytes of their file, which limits the size of the rows in proportion.

    Raises:
        InputError: when the rows are too large.
    """
    count, most = 0, math.inf if stored is None else max(limits().unpacked, limits().ratio * stored)
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            part = batch if batch.num_rows <= ROWS else batch.slice(start, ROWS)
            size = size_of_batch(part)
            count += size + _ROW * part.num_rows
            if count > most:
                raise expansion_error(name, stored or 0, count)
            yield from _halves(part, size)


def _halves(batch: Any, size: int) -> Iterator[Any]:
    if batch.num_rows < 2 or size <= MOST_IN_MEMORY:
        yield batch
        return
    middle = batch.num_rows // 2
    for half in (batch.slice(0, middle), batch.slice(middle)):
        yield from _halves(half, size_of_batch(half))


def size_of_batch(batch: Any) -> int:
    """Return the size of a batch in bytes with all its values written out."""
    if any(word in str(kind) for kind in batch.schema.types for word in _SHARED):
        return sum(map(expanded_size, batch.columns))
    return int(batch.nbytes)


def expanded_size(array: Any) -> int:
    """Return the size of an Arrow array in bytes with all its values written out.

    Examples:
        >>> import pyarrow
        >>> expanded_size(pyarrow.array(["ab"] * 10).dictionary_encode()), expanded_size(pyarrow.array([1, 2]))
        (20, 16)
        >>> once = pyarrow.array([[1, 2]], pyarrow.list_view(pyarrow.int64()))
        >>> expanded_size(pyarrow.ListViewArray.from_arrays([0] * 9, [2] * 9, once.values))
        144
    """
    if not any(word in str(array.type) for word in _SHARED):
        return int(array.nbytes)
    return int(_each(array).sum())


def _each(array: Any) -> _Sizes:
    """Return the size of each value of an Arrow array in bytes, with shared values counted wherever they occur."""
    from pyarrow import compute, types

    kind, count = array.type, len(array)
    if types.is_dictionary(kind):
        return _each(array.dictionary)[_numbers(array.indices)] if len(array.dictionary) else np.zeros(count)
    if types.is_run_end_encoded(kind):
        ends = _numbers(array.run_ends)
        return _each(array.values)[np.searchsorted(ends, np.arange(array.offset, array.offset + count), "right")]
    if types.is_string_view(kind) or types.is_binary_view(kind):
        lengths = np.frombuffer(array.buffers()[1], "<i4")[::_VIEW][array.offset :][:count]
        return np.where(np.asarray(array.is_valid()), lengths, 0).astype(float)
    if types.is_struct(kind):
        return sum((_each(array.field(index)) for index in range(kind.num_fields)), np.zeros(count))
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        starts = _numbers(array.offsets)[:count]
        return _between(array, starts, starts + _numbers(array.sizes)[:count])
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        offsets = _numbers(array.offsets)
        return _between(array, offsets[:-1], offsets[1:])
    if types.is_fixed_size_list(kind):
        starts = (np.arange(count) + array.offset) * kind.list_size
        return _between(array, starts, starts + kind.list_size)
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if any(is_one(kind) for is_one in texts):
        return _numbers(compute.binary_length(array)).astype(float)
    return np.full(count, array.nbytes / max(1, count))


def _between(array: Any, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> _Sizes:
    """Return the size of each list of an Arrow array in bytes, given the start and end positions of the lists among the
    items."""
    from pyarrow import types

    items = _each(array.keys) + _each(array.items) if types.is_map(array.type) else _each(array.values)
    sums = np.append(0.0, np.cumsum(items))
    found: _Sizes = sums[ends] - sums[starts]
    return found


def _numbers(array: Any) -> NDArray[Any]:
    """Return an Arrow array of numbers as a NumPy array, with 0 for null."""
    return np.asarray(array.fill_null(0).to_numpy(zero_copy_only=False))
