"""Primitives for numbers, points, sets, drawings and mappings that only odd tasks of MEGA-Bench need."""

from __future__ import annotations

from typing import Annotated, Any

from scoring.extensions.answers.final import after_marker
from scoring.extensions.structure.wrapping import unfence
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import AtLeast, Between, primitive
from scoring.result import NotApplicable, Unparsed
from scoring.values import Point, Score, show_type


@primitive(laws=("bounded",))
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


@primitive
def strip_end_of_items(items: frozenset[Any], /, *, characters: str) -> frozenset[Any]:
    """Remove the given characters from the end of every string of a set; other items are unchanged.

    Args:
        characters: The characters to remove.

    Examples:
        >>> strip_end_of_items(frozenset({"Qh5#"}), characters="+#")
        frozenset({'Qh5'})
    """
    return frozenset(item.rstrip(characters) if isinstance(item, str) else item for item in items)


_BLANK_LINES = lazy_pattern(r"\s*\n")


@primitive
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


@primitive
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


@primitive
def within_unit_square(point: Point, /) -> Point:
    """Return the point unchanged if both of its coordinates are between 0 and 1.

    Examples:
        >>> within_unit_square((0.5, 1))
        (0.5, 1)

    Raises:
        Unparsed: when the point is outside.

    Source:
        As used in MEGA-Bench: coordinates are normalised to the range 0 to 1.
    """
    if not all(0 <= part <= 1 for part in point):
        raise Unparsed("the point lies outside the unit square")
    return point


@primitive
def quantities_close(
    prediction: float | list[float],
    reference: float | list[float],
    /,
    *,
    relative: Annotated[float, AtLeast(0)] = 0.01,
    absolute: Annotated[float, AtLeast(0)] = 1e-9,
    rounding: Annotated[float, Between(0, 1e-6)] = 1e-12,
) -> Score:
    """Return 1 if a number is within a relative tolerance of the reference, else 0; lists are compared sorted.

    The tolerance is inclusive. It is enlarged by a factor of 1e-12, so that rounding does not exclude its limits.

    Args:
        relative: The allowed difference as a fraction of the reference.
        absolute: The allowed difference near 0.
        rounding: The fraction by which the relative tolerance is enlarged.

    Examples:
        >>> quantities_close(5.04, 5.0), quantities_close([2.0, 1.0], [1.0, 2.0]), quantities_close(1.0, [1.0])
        (1.0, 1.0, 0.0)

    Source:
        MEGA-Bench, general_single_numerical_match: within 1 % of the reference, inclusive.
    """
    if isinstance(prediction, list) != isinstance(reference, list):
        return 0.0
    numbers = sorted(prediction) if isinstance(prediction, list) else [prediction]
    wanted = sorted(reference) if isinstance(reference, list) else [reference]
    if len(numbers) != len(wanted):
        return 0.0
    pairs = zip(numbers, wanted, strict=True)
    # The difference of two equal infinite numbers is NaN, so they are compared first.
    return float(all(p == r or abs(p - r) <= max(abs(r) * relative * (1 + rounding), absolute) for p, r in pairs))
