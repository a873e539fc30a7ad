"""Primitives for answers that are written as a list."""

from __future__ import annotations

from typing import Any

from scoring.primitives.combine.item_pairs import too_long_reason
from scoring.primitives.parsing.literal import READING_ERRORS, read_literal
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import Scorer, bounds, primitive
from scoring.result import Unparsed, Unscored, cause_of
from scoring.values import Score


@primitive(topics=("lists", "extraction"), aka=("ast.literal_eval", "python list"))
def literal_list(value: object, /) -> list[Any]:
    """Read a list that is written as a Python literal; put any other value into a list of one item.

    Raises:
        Unparsed: when a string starts with `[` but is not a list.

    Examples:
        >>> literal_list("['a', 'b']"), literal_list("a, b"), literal_list(["a"])
        (['a', 'b'], ['a, b'], ['a'])
    """
    if isinstance(value, str) and value.startswith("["):
        try:
            value = read_literal(value, exact=True)
        except READING_ERRORS as error:
            raise Unparsed(f"the list does not read: {cause_of(error)}") from None
    return value if isinstance(value, list) else [value]


@primitive(topics=("lists",))
def match_in_order(prediction: list[Any], reference: list[Any], /, *, scorer: Scorer[Any]) -> Score:
    """Match each reference item with the first unused predicted item that fits; return the share of matched items.

    Lists of different lengths, and empty lists, score 0. The result depends on the order of both lists.

    Args:
        scorer: Compares a predicted item with a reference item; any score above 0 is a match.

    Examples:
        >>> match_in_order(["b", "a"], ["a", "c"], scorer=lambda p, r: float(p == r))
        0.5

    Raises:
        Unscored: for lists that are too long, as `align` does.

    Source:
        MMESGBench, eval_score for List.
    """
    if len(prediction) != len(reference) or not reference:
        return 0.0
    why = too_long_reason(prediction, reference, "greedy")
    if why is not None:
        raise Unscored(why)
    left = list(prediction)
    for item in reference:
        for place, candidate in enumerate(left):
            if scorer(candidate, item) > 0:
                del left[place]
                break
    return (len(reference) - len(left)) / len(reference)


@bounds(match_in_order)
def _(*, scorer: ScoreRange) -> ScoreRange:
    return UNIT
