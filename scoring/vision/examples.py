"""Up to n example ids per cell of a table, kept so that parts of a data set merge to the same examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

#: (place in the data set, place within the datum …, what to show)
KeptExample: TypeAlias = tuple[tuple[int, ...], object]
Examples: TypeAlias = dict[tuple[object, ...], tuple[KeptExample, ...]]


def first_examples(found: Iterable[KeptExample], limit: int | None) -> tuple[KeptExample, ...]:
    """The first examples in data set order.

    Args:
        found: Examples with their places.
        limit: How many to keep; None keeps all.

    Examples:
        >>> first_examples([((3,), "c"), ((1,), "a")], 1)
        (((1,), 'a'),)
    """
    ordered = sorted(found, key=lambda example: example[0])
    return tuple(ordered if limit is None else ordered[:limit])


def merge_examples(left: Examples, right: Examples, limit: int | None) -> Examples:
    """The examples of two parts together, cell by cell.

    Args:
        left: Examples of one part.
        right: Examples of the other part.
        limit: How many to keep per cell.
    """
    merged = dict(left)
    for cell, examples in right.items():
        merged[cell] = first_examples((*merged.get(cell, ()), *examples), limit)
    return merged


def shown(examples: Mapping[tuple[object, ...], tuple[KeptExample, ...]], *cell: object) -> list[object]:
    """What to show for a cell.

    Args:
        examples: All examples.
        cell: The cell's key.
    """
    return [what for _, what in examples.get(cell, ())]
