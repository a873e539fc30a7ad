"""How many bytes the rows of Arrow's columns come to when all their values are written out.

A value may stand once and be meant by many rows: through a dictionary, a view, a run. What such a column takes in
memory tells nothing of what its rows are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHARED = ("dictionary", "view", "run_end_encoded")
_VIEW = 4
"""Of sixteen bytes of a view, the first four are the length: one number of four."""

_Sizes = NDArray[np.float64]


def size_of_batch(batch: Any) -> int:
    """How many bytes a batch comes to when all its values are written out."""
    if any(word in str(kind) for kind in batch.schema.types for word in _SHARED):
        return sum(map(size_of, batch.columns))
    return int(batch.nbytes)


def size_of(array: Any) -> int:
    """How many bytes an array comes to when all its values are written out.

    Examples:
        >>> import pyarrow
        >>> size_of(pyarrow.array(["ab"] * 10).dictionary_encode()), size_of(pyarrow.array([1, 2]))
        (20, 16)
        >>> once = pyarrow.array([[1, 2]], pyarrow.list_view(pyarrow.int64()))
        >>> size_of(pyarrow.ListViewArray.from_arrays([0] * 9, [2] * 9, once.values))
        144
    """
    if not any(word in str(array.type) for word in _SHARED):
        return int(array.nbytes)
    return int(_each(array).sum())


def _each(array: Any) -> _Sizes:
    """The bytes of each value of an array."""
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
        return sum((_each(array.field(place)) for place in range(kind.num_fields)), np.zeros(count))
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        starts = _numbers(array.offsets)[:count]
        return _between(array, starts, starts + _numbers(array.sizes)[:count])
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        places = _numbers(array.offsets)
        return _between(array, places[:-1], places[1:])
    if types.is_fixed_size_list(kind):
        starts = (np.arange(count) + array.offset) * kind.list_size
        return _between(array, starts, starts + kind.list_size)
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if any(is_one(kind) for is_one in texts):
        return _numbers(compute.binary_length(array)).astype(float)
    return np.full(count, array.nbytes / max(1, count))


def _between(array: Any, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> _Sizes:
    """The bytes of the items of each list, which stand from one place to another."""
    from pyarrow import types

    items = _each(array.keys) + _each(array.items) if types.is_map(array.type) else _each(array.values)
    sums = np.append(0.0, np.cumsum(items))
    found: _Sizes = sums[ends] - sums[starts]
    return found


def _numbers(array: Any) -> NDArray[Any]:
    """An array of numbers as NumPy has it; what is null is 0."""
    return np.asarray(array.fill_null(0).to_numpy(zero_copy_only=False))
