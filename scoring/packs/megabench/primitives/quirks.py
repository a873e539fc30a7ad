"""Primitives for numbers, sets, drawings and mappings that only odd tasks of MEGA-Bench need."""

from __future__ import annotations

import re
from typing import Any

from scoring.extensions.answers.final import after_marker
from scoring.extensions.structure.wrapping import unfence
from scoring.registry import primitive
from scoring.result import NotApplicable, Unparsed
from scoring.values import Score, show_type


@primitive(laws=("bounded",), topics=("quirks",))
def equal_if_positive(prediction: float, reference: float, /) -> Score:
    """Return 1 for equal numbers, else 0; a pair of numbers that are both 0 or less is not applicable.

    Examples:
        >>> equal_if_positive(2, 2), equal_if_positive(0, 2)
        (1.0, 0.0)

    Raises:
        NotApplicable: when both numbers are 0 or less.

    Source:
        MEGA-Bench, positive_int_match.
    """
    if prediction <= 0 and reference <= 0:
        raise NotApplicable("both numbers are 0 or less", mark=-1.0)
    return 1.0 if prediction == reference else 0.0


@primitive(topics=("quirks",))
def strip_end_of_items(items: frozenset[Any], /, *, characters: str) -> frozenset[Any]:
    """Remove the given characters from the end of every string of a set; other items are unchanged.

    Args:
        characters: The characters to remove.

    Examples:
        >>> strip_end_of_items(frozenset({"Qh5#"}), characters="+#")
        frozenset({'Qh5'})
    """
    return frozenset(item.rstrip(characters) if isinstance(item, str) else item for item in items)


_BLANK_LINES = re.compile(r"\s*\n")


@primitive(topics=("quirks",))
def final_drawing(response: str, /, *, trailing_spaces: bool = False) -> str:
    """Extract the text after the last marker `Answer:`, with its indentation: for ASCII art and verbatim text.

    Blank lines around it are dropped.

    Args:
        trailing_spaces: Whether spaces at the end of the text are kept.

    Examples:
        >>> final_drawing("Answer:\\n  /\\\\\\n /  \\\\ ")
        '  /\\\\\\n /  \\\\'

    Source:
        MEGA-Bench, parsers ascii_answer_string and verbatim_answer_string.
    """
    text = unfence(after_marker(response))
    blank = _BLANK_LINES.match(text)
    text = text[blank.end() if blank else 0 :].rstrip("\n")
    return text if trailing_spaces else text.rstrip()


@primitive(topics=("quirks",))
def nonempty_mapping(value: Any, /) -> dict[Any, Any]:
    """Return the value unchanged if it is a mapping with at least one entry.

    Raises:
        Unparsed: when it is anything else.

    Examples:
        >>> nonempty_mapping({"a": 1})
        {'a': 1}
    """
    if isinstance(value, dict) and value:
        return value
    found = "an empty mapping" if isinstance(value, dict) else show_type(value)
    raise Unparsed(f"an object with fields was wanted, but the response holds {found}")
