"""What form a text has: its paragraphs, its letters, whether all of it is JSON."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from scoring.depth import nests_too_deep
from scoring.primitives.patterns.find import PatternSetting, split_pattern
from scoring.primitives.patterns.prepared import PatternError, prepare
from scoring.registry import AtLeast, checks, primitive
from scoring.registry.annotations import SettingFault
from scoring.result import Unparsed
from scoring.values import Score


@primitive(
    traits=("response_alone",), topics=("instructions",), aka=("paragraph count", "number of paragraphs", "sections")
)
def has_parts(
    prediction: str, reference: object, /, *, pattern: PatternSetting, count: float, different: bool = False
) -> Score:
    """1 where separators cut the text into exactly so many parts, none of them blank, else 0.

    A separator at the very beginning or end cuts nothing off.

    Args:
        count: How many parts there are.
        different: Whether no two of them may be the same, white space at their ends aside.

    Raises:
        Unparsed: when looking for the separators could take more steps than a search may.

    Examples:
        >>> has_parts("One. *** Two.", None, pattern=r"\\s?\\*\\*\\*\\s?", count=2)
        1.0
        >>> has_parts("Yes.******Yes.", None, pattern=r"\\*{6}", count=2, different=True)
        0.0

    Source:
        IFEval (Zhou et al. 2023), number_paragraphs and two_responses.
    """
    parts = [part.strip() for part in split_pattern(prediction, pattern=pattern)]
    inside = parts[not parts[0] : len(parts) - (len(parts) > 1 and not parts[-1])]
    return float("" not in inside and len(inside) == count and not (different and len({*inside}) < count))


@checks(has_parts)
def _(*, pattern: str | None, count: float | None, different: bool | None) -> SettingFault | None:
    try:
        prepare(pattern or "")
    except PatternError as error:
        return error.fault
    return None


@primitive(traits=("response_alone",), topics=("instructions",), aka=("first word of a paragraph",))
def has_paragraph(
    prediction: str,
    reference: object,
    /,
    *,
    number: Annotated[int, AtLeast(1)],
    of: Annotated[int, AtLeast(1)],
    first_word: str,
) -> Score:
    """1 where a text has so many paragraphs, and one of them begins with a word, else 0.

    Empty lines stand between paragraphs; blank ones don't count, but keep their number. The first word goes up to a
    mark `. , ? ! ' "`, those that open a quotation aside; its case does not matter.

    Args:
        number: Which paragraph, counted from 1.
        of: How many paragraphs there are.
        first_word: The word that it begins with.

    Examples:
        >>> has_paragraph("One.\\n\\n'Two', he said.", None, number=2, of=2, first_word="two")
        1.0

    Source:
        IFEval (Zhou et al. 2023), nth_paragraph_first_word.
    """
    paragraphs = prediction.split("\n\n")
    count = sum(1 for one in paragraphs if one.strip())
    words = paragraphs[number - 1].split() if number <= count else []
    if count != of or not words:
        return 0.0
    word = re.split(r"[.,?!'\"]", words[0].lstrip("'").lstrip('"'), maxsplit=1)[0]
    return float("".join(map(str.lower, word)) == first_word.lower())


@primitive(traits=("response_alone",), topics=("instructions", "text"), aka=("all caps", "isupper", "islower"))
def in_case(prediction: str, reference: object, /, *, case: Literal["upper", "lower"]) -> Score:
    """1 where a text has letters, and all that have a case have this one, else 0.

    Args:
        case: Capital letters or small ones.

    Examples:
        >>> (
        ...     in_case("NO WAY, 7!", None, case="upper"),
        ...     in_case("No way", None, case="lower"),
        ...     in_case("7", None, case="lower"),
        ... )
        (1.0, 0.0, 0.0)

    Source:
        Python, library reference, `str.isupper`.
    """
    return float(prediction.isupper() if case == "upper" else prediction.islower())


@primitive(traits=("response_alone",), topics=("instructions", "extraction"), aka=("json format", "valid json"))
def is_json(prediction: str, reference: object, /, *, constants: bool = False) -> Score:
    """1 where all of a text is one JSON value, else 0.

    Args:
        constants: Whether `NaN`, `Infinity` and `-Infinity` will do, too, as Python's reader takes them.

    Raises:
        Unparsed: for values that are nested deeper than can be read.

    Examples:
        >>> is_json('{"a": [1]}', None), is_json("a: 1", None), is_json("NaN", None)
        (1.0, 0.0, 0.0)
    """
    if nests_too_deep(prediction):
        raise Unparsed("the JSON of the text is nested too deep to be read")
    try:
        json.loads(prediction, parse_constant=None if constants else _refuse)
    except ValueError:
        return 0.0
    return 1.0


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
