"""Primitives for answers that are written as a list."""

from __future__ import annotations

import re
from typing import Any

from scoring.primitives.combine.item_pairs import too_long_reason
from scoring.primitives.parsing.literal import READING_ERRORS, literal_or_itself, read_literal
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import Scorer, bounds, primitive
from scoring.result import Unparsed, Unscored, cause_of
from scoring.values import Score

_INNER_QUOTE = re.compile(r"(?<=\w)'(?=\w)")


@primitive(topics=("quirks",))
def join_listed_texts(value: object, /) -> object:
    """Join the strings of a list that is written as text, `['a', 'b']`, with single spaces; keep any other value.

    Examples:
        >>> join_listed_texts("['North', 'America']"), join_listed_texts("[1, 2]"), join_listed_texts("North")
        ('North America', '[1, 2]', 'North')

    Source:
        MMESGBench, eval_score for Str and None. The released code evaluates the text as a program; this function only
        reads a literal, so the answer `[gt]` no longer copies the reference.
    """
    if not isinstance(value, str) or not (value.startswith("[") and value.endswith("]")):
        return value
    found = literal_or_itself(value, exact=True)
    is_texts = isinstance(found, list) and all(isinstance(item, str) for item in found)
    return " ".join(found) if is_texts else value


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


@primitive(revision=2, topics=("quirks",))
def repaired_literal_list(value: object, /) -> list[Any]:
    """Read a list as `literal_list` does, after adding a missing `]` and escaping apostrophes within words if needed.

    A string that cannot be read after the repair becomes the list `[None]`.

    Raises:
        Unparsed: when a string is well formed without repair, but contains other than literals (unquoted names).

    Examples:
        >>> repaired_literal_list("['Côte d'Ivoire', 'b'"), repaired_literal_list("[a b]"), repaired_literal_list("[a")
        (["Côte d'Ivoire", 'b'], [None], [None])

    Source:
        MMESGBench, eval_score for List: predictions are repaired, references are not.
    """
    if isinstance(value, str) and value.startswith("["):
        value = _read_repaired(value)
    return value if isinstance(value, list) else [value]


def _read_repaired(text: str) -> Any:
    try:
        return _read(text)
    except SyntaxError:
        closed = text.strip() if text.strip().endswith("]") else f"{text.strip()}]"
        try:
            return read_literal(_INNER_QUOTE.sub(r"\\'", closed), exact=True)
        except READING_ERRORS:
            return None


def _read(text: str) -> Any:
    try:
        return read_literal(text, exact=True)
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        raise Unparsed(f"the list does not read: {cause_of(error)}") from None


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
