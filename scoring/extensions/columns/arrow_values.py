"""Read the values of Arrow columns as plain data: times, maps, and texts that are marked as JSON at any depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.data.json_read import NotJson, parse
from scoring.data.normalize import NotPlain, plain_value
from scoring.depth import DEEPEST
from scoring.extensions.columns.arrow_types import coarse, map_innermost

_JSON = "arrow.json"


def arrow_values(column: Any) -> list[Any]:
    """Return the values of an Arrow array as plain data; times in nanoseconds are first cast to microseconds.

    Raises:
        ValueError: for a value that is not plain, a text marked as JSON that is none, or a time finer than a
            microsecond.
        OverflowError: for a date that Python can't represent.
        KeyError: for a map that has a key twice.
    """
    kind = column.type
    if hasattr(column, "dictionary"):  # written out in one step, since else each value would be looked up separately
        column = column.dictionary_decode()
        kind = column.type
    if "[ns" in str(kind):
        column = column.cast(map_innermost(kind, coarse))
    if _is_plain(column):
        values: list[Any] = column.to_pylist()
        return values
    found = column.to_pylist(maps_as_pydicts="strict")
    if _JSON in str(kind):  # as DuckDB writes columns of several types
        found = list(map(_decoder(kind), found))
    return list(map(plain_value, found))


def why_unreadable(error: Exception) -> str:
    """Return the reason why a value can't be read, given an exception of `arrow_values`."""
    if isinstance(error, NotPlain | NotJson):
        return str(error)
    # For example a date after the year 9999, which Python can't represent.
    finer = "would lose data" in str(error)
    return "a time finer than a microsecond" if finer else f"the value can't be read ({type(error).__name__})"


def _is_plain(column: Any) -> bool:
    """Return True if all values of a column are plain already, as they usually are, so that none needs converting."""
    import pyarrow as arrow
    from pyarrow import compute

    types, kind = arrow.types, column.type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind) or types.is_boolean(kind):
        return True
    if types.is_float32(kind) or types.is_float64(kind):
        return not compute.any(compute.is_nan(column)).as_py()
    if types.is_dictionary(kind):
        return _is_plain(column.dictionary)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(column.flatten())
    if types.is_struct(kind):
        return all(_is_plain(column.field(number)) for number in range(kind.num_fields))
    return bool(types.is_null(kind) or types.is_string_view(kind))


def _decoder(kind: Any) -> Callable[[Any], Any]:
    """Return a function that decodes the texts marked as JSON inside a value of an Arrow type; null stays None."""
    import pyarrow as arrow

    types = arrow.types
    if getattr(kind, "extension_name", "") == _JSON:
        return lambda text: None if text is None else parse(text, once=True, levels=DEEPEST)
    if _JSON not in str(kind):
        return lambda value: value
    if types.is_struct(kind):
        parts = [(part.name, _decoder(part.type)) for part in kind]
        return lambda value: value and {**value, **{name: read(value[name]) for name, read in parts}}
    if types.is_map(kind):
        item = _decoder(kind.item_type)
        return lambda value: value and {key: item(one) for key, one in value.items()}
    item = _decoder(kind.value_type)
    return lambda value: value and [item(one) for one in value]
