"""MEGA-Bench as released: how its metrics compare sequences."""

from __future__ import annotations

from numbers import Number
from typing import Any

from scoring.primitives.printed import listed, printed
from scoring.registry import primitive
from scoring.values import Score


@primitive(revision=2)
def megabench_upstream_lower_as_text(items: Any, /) -> Any:
    """Every text in lower case, any other item as Python prints it.

    Examples:
        >>> megabench_upstream_lower_as_text([1, "A", None])
        ['1', 'a', 'None']

    Source:
        MEGA-Bench, released code, sequence_equality_case_insensitive.
    """
    return [item.lower() if isinstance(item, str) else printed(item) for item in listed(items)]


@primitive
def megabench_upstream_lower_items(items: Any, /) -> Any:
    """Every item in lower case; an item without one (a number) can't be compared.

    Examples:
        >>> megabench_upstream_lower_items(["A"])
        ['a']

    Source:
        MEGA-Bench, released code, sequence_equality_case_insensitive.
    """
    return [item.lower() for item in listed(items)]


@primitive(revision=2)
def megabench_upstream_position_accuracy(prediction: Any, reference: Any, /) -> Score:
    """The share of positions with equal items; lists of different lengths score 0.

    Texts are compared in lower case, numbers by value; other items never count.

    Examples:
        >>> megabench_upstream_position_accuracy(["a", "x"], ["A", "b"])
        0.5

    Source:
        MEGA-Bench, released code, sequence_accuracy_case_insensitive.
    """
    if len(prediction) != len(reference):
        return 0.0
    hits = 0
    for item, wanted in zip(prediction, reference, strict=True):
        if isinstance(wanted, str):
            hits += item.lower() == wanted.lower()
        elif isinstance(item, Number) and isinstance(wanted, Number):
            hits += item == wanted
    return hits / len(reference)


@primitive
def megabench_upstream_prefix_ratio(prediction: Any, reference: Any, /) -> Score:
    """The length of the common prefix over the length of the reference; an empty reference can't be scored.

    Examples:
        >>> megabench_upstream_prefix_ratio([1, 2, 9], [1, 2, 3, 4])
        0.5

    Source:
        MEGA-Bench, released code, longest_common_list_prefix_ratio.
    """
    common = 0
    for item, wanted in zip(prediction, reference, strict=False):
        if item != wanted:
            break
        common += 1
    return common / len(reference)
