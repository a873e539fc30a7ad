"""Replace the pipelines and paths within a value of the language."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from scoring.lang.tree import ListValue, MapValue, Path, Pipeline, Value


def with_pipelines(
    value: Value, change: Callable[[Pipeline], Value], change_path: Callable[[Path], Value] | None = None
) -> Value:
    """Return a value with `change` applied to its outermost pipelines, and `change_path` to paths outside of these.

    Examples:
        >>> from scoring.lang.tree import Call, Literal
        >>> with_pipelines(ListValue((Literal(1), Pipeline((Call("lower"),)))), lambda tree: Literal(2))
        ListValue(items=(Literal(value=1), Literal(value=2)))
    """
    if isinstance(value, Pipeline):
        return change(value)
    if isinstance(value, ListValue):
        return replace(value, items=tuple(with_pipelines(item, change, change_path) for item in value.items))
    if isinstance(value, MapValue):
        return replace(
            value, items=tuple((name, with_pipelines(item, change, change_path)) for name, item in value.items)
        )
    return change_path(value) if isinstance(value, Path) and change_path is not None else value
