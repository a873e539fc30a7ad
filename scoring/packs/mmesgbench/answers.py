"""Find short answers, read lists and compare numbers and identifiers as both packs of MMESGBench do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.literal import READING_ERRORS, literal_or_itself, read_literal
from scoring.registry import AtLeast, primitive
from scoring.result import Unparsed, cause_of
from scoring.values import Score

_INNER_QUOTE = lazy_pattern(r"(?<=\w)'(?=\w)")
_MARKER = lazy_pattern(
    r"(?:extracted |final |short |correct )?answer[*_ ]{0,4}(?:is[*_ ]{0,4}:?|[:：=])", re.IGNORECASE
)
_UNANSWERABLE = lazy_pattern(
    r"not answerable|unanswerable|cannot be (?:answered|determined)|can't be (?:answered|determined)"
    r"|(?:does|do) not (?:contain|mention|provide|specify)|no (?:relevant )?information|not (?:mentioned|specified)",
    re.IGNORECASE,
)
_EDGES = " \t*_`\"'"
_MAX_LENGTH = 200_000


@primitive
def short_answer(response: str, /, *, unanswerable: str = "Not answerable") -> str:
    """Extract the answer after the last marker (`Answer:`, `the answer is`), else the last line of the response.

    An answer that states that there is no answer is replaced by a fixed text. Emphasis, quotes and a final full stop
    are removed. Only the first non-empty line after a marker counts.

    Args:
        unanswerable: The text that replaces an answer such as "the document does not mention this".

    Raises:
        Unparsed: when the response is blank, or longer than 200,000 characters.

    Examples:
        >>> short_answer("Table 3 lists both.\\n\\n**Final answer:** North America.")
        'North America'
        >>> short_answer("I see. The answer is 42.")
        '42'
        >>> short_answer("The report does not mention this.")
        'Not answerable'

    Source:
        Replaces the extraction by a prompted model in MMLongBench-Doc and MMESGBench; the rules are our own.
    """
    if len(response) > _MAX_LENGTH:
        raise Unparsed(f"the response has more than {_MAX_LENGTH} characters")
    markers = list(_MARKER.finditer(response))
    found = _first(response[markers[-1].end() :].lstrip().splitlines()) if markers else ""
    found = found or _first(reversed(response.splitlines()))
    if not found:
        raise Unparsed("the response is blank")
    return unanswerable if _UNANSWERABLE.search(found) else found


def _first(lines: Iterable[str]) -> str:
    return next(filter(None, map(_trimmed, lines)), "")


def _trimmed(line: str) -> str:
    """Return the line without markup, quotes and full stop at its ends; a list keeps its quotes, `a.m.` its stop."""
    text = line.strip(_EDGES) if not line.strip().startswith("[") else line.strip(" \t*_`")
    if text.endswith(".") and not text.endswith((".m.", "etc.", "No.")):
        text = text[:-1].rstrip(_EDGES)
    return text


@primitive
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


@primitive(revision=2)
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


@primitive
def same_quantity(prediction: float, reference: float, /, *, relative: Annotated[float, AtLeast(0)] = 0.01) -> Score:
    """Return 1 when two numbers are nearly equal or equal after rounding, also if one is a percentage; else 0.

    The prediction is compared with the reference, with a hundredth of it and with a hundred times it. Numbers are
    rounded to as many decimals as the number with fewer decimals has, but at least two.

    Args:
        relative: The largest difference of nearly equal numbers, as a share of the larger one.

    Examples:
        >>> same_quantity(0.311, 0.31), same_quantity(31.0, 0.31), same_quantity(0.35, 0.31)
        (1.0, 1.0, 0.0)

    Source:
        MMESGBench, is_float_equal in eval_score.py. Small numbers become equal when rounded: the reference 0.31 accepts
        0, because 0.0031 rounds to 0.
    """
    own = _decimals(prediction)
    for wanted in (reference / 100, reference, reference * 100):
        if math.isclose(prediction, wanted, rel_tol=relative):
            return 1.0
        decimals = 2 if own <= 2 else max(min(own, _decimals(wanted)), 2)
        if round(prediction, decimals) == round(wanted, decimals):
            return 1.0
    return 0.0


def _decimals(number: float) -> int:
    """Return how many decimals Python prints for a number; 3 where it prints no decimal point."""
    text = str(number)
    return len(text.split(".")[-1]) if "." in text else 3


_EXACT = lazy_pattern(
    r"""
    \d+ (?: [-\s] \d+ )?                                  # a number, a range, two numbers
  | \d{4} [-\s] \d{2} (?: [-\s] \d{2} )?                  # a date, to the day or to the month
  | [a-zA-Z0-9._%+-]+ @ [a-zA-Z0-9.-]+ \. [a-zA-Z]{2,}    # an e-mail address
    """,
    re.VERBOSE,
)


def is_identifier(text: str) -> bool:
    """Return whether a cleaned answer is an identifier: an address, file name, date, time, page or plain number.

    Examples:
        >>> [is_identifier(text) for text in ("https://a.b", "2021-05", "10-12", "page 3", "9 a.m.", "north")]
        [True, True, True, True, True, False]
    """
    return (
        "https://" in text
        or text.endswith((".py", "ipynb"))
        or text.startswith("page")
        or "a.m." in text
        or "p.m." in text
        or _EXACT.fullmatch(text) is not None
    )


@primitive
def reference_is_identifier(prediction: str, reference: str, /) -> Score:
    """Return 1 when the reference is an address, file name, date, time, page or plain number, else 0; for `when`.

    Examples:
        >>> reference_is_identifier("anything", "2021-05"), reference_is_identifier("anything", "north america")
        (1.0, 0.0)

    Source:
        MMESGBench, is_exact_match in eval_score.py.
    """
    return float(is_identifier(reference))
