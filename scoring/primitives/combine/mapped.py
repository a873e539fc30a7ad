"""Combinators that apply a pipeline to each item of a collection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from scoring.registry import Transform, batch, primitive
from scoring.result import Outcome

K = TypeVar("K")
A = TypeVar("A")
B = TypeVar("B")


@primitive(topics=("lists",), aka=("for each", "list map", "apply"))
def map_items(items: list[A], /, *, step: Transform[A, B]) -> list[B]:
    """Apply a pipeline to every item of a list.

    Args:
        step: The pipeline that is applied to each item.

    Examples:
        >>> map_items(["A", "b"], step=str.lower)
        ['a', 'b']
    """
    return [step(item) for item in items]


@batch(map_items)
def _(lists: list[list[Any]], /, *, step: Any) -> list[Any]:
    return _cut(step.column([item for items in lists for item in items]), map(len, lists))


@primitive(topics=("mappings",))
def map_values(mapping: dict[K, A], /, *, step: Transform[A, B]) -> dict[K, B]:
    """Apply a pipeline to every value of a mapping; the keys are unchanged.

    Args:
        step: The pipeline that is applied to each value.

    Examples:
        >>> map_values({"x": "A"}, step=str.lower)
        {'x': 'a'}
    """
    return {key: step(value) for key, value in mapping.items()}


@batch(map_values)
def _(mappings: list[dict[Any, Any]], /, *, step: Any) -> list[Any]:
    parts = _cut(step.column([value for mapping in mappings for value in mapping.values()]), map(len, mappings))
    return [
        part if type(part) is Outcome else dict(zip(mapping, part, strict=True))
        for mapping, part in zip(mappings, parts, strict=True)
    ]


def _cut(values: list[Any], sizes: Iterable[int]) -> list[Any]:
    """Return the values in groups of the given sizes; a group with failures is replaced by its first failure."""
    groups, start = [], 0
    for size in sizes:
        group = values[start : start + size]
        groups.append(next((value for value in group if type(value) is Outcome), group))
        start += size
    return groups
