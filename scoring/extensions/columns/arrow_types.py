"""Transform Arrow types: replace the types nested inside them, at any depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def map_innermost(kind: Any, change: Callable[[Any], Any]) -> Any:
    """Return an Arrow type in which each innermost type of structs, maps and lists is replaced by what `change` returns
    for it."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_struct(kind):
        return arrow.struct([(part.name, map_innermost(part.type, change)) for part in kind])
    if types.is_map(kind):
        return arrow.map_(map_innermost(kind.key_type, change), map_innermost(kind.item_type, change))
    if types.is_fixed_size_list(kind):
        return arrow.list_(map_innermost(kind.value_type, change), kind.list_size)
    if types.is_list(kind):
        return arrow.list_(map_innermost(kind.value_type, change))
    if types.is_large_list(kind):
        return arrow.large_list(map_innermost(kind.value_type, change))
    return change(kind)


def as_bytes(kind: Any) -> Any:
    """Return the binary Arrow type that corresponds to a string type; any other type unchanged."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_string(kind):
        return arrow.binary()
    if types.is_large_string(kind):
        return arrow.large_binary()
    return arrow.binary_view() if types.is_string_view(kind) else kind


def as_values(kind: Any) -> Any:
    """Return the Arrow type of the plain values of a dictionary, run-end encoded or view type; any other type
    unchanged."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return map_innermost(kind.value_type, as_values)
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        return arrow.large_list(map_innermost(kind.value_type, as_values))
    if types.is_string_view(kind):
        return arrow.large_string()
    return arrow.large_binary() if types.is_binary_view(kind) else kind


def coarse(kind: Any) -> Any:
    """Return the Arrow type of a timestamp, duration or time with microseconds as unit; any other type unchanged."""
    import pyarrow as arrow

    types = arrow.types
    if types.is_timestamp(kind):
        return arrow.timestamp("us", kind.tz)
    if types.is_duration(kind):
        return arrow.duration("us")
    if types.is_time64(kind):
        return arrow.time64("us")
    return map_innermost(kind.value_type, coarse) if types.is_dictionary(kind) else kind
