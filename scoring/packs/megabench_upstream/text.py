"""MEGA-Bench as released: comparing strings."""

from __future__ import annotations

from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.printed import printed
from scoring.primitives.text.edges import remove_characters
from scoring.registry import batch, primitive
from scoring.values import Score

_OPENING = lazy_pattern(r"```\w*")
_LONG = 10_000


@primitive
def megabench_upstream_to_text(value: object, /) -> str:
    """Return a value as Python prints it; None becomes the text `None`.

    Examples:
        >>> megabench_upstream_to_text(None), megabench_upstream_to_text([1, 2])
        ('None', '[1, 2]')

    Source:
        MEGA-Bench, released code, exact_str_match and others.
    """
    return value if type(value) is str else printed(value)


@batch(megabench_upstream_to_text)
def _(values: list[Any]) -> list[str]:
    return [value if type(value) is str else printed(value) for value in values]


@primitive
def megabench_upstream_lower(value: Any, /) -> Any:
    """Return a string (or bytes, as released) in lower case; any other value can't be compared.

    Examples:
        >>> megabench_upstream_lower("Ab")
        'ab'

    Source:
        MEGA-Bench, released code, exact_str_match_case_insensitive.
    """
    return value.lower()


@batch(megabench_upstream_lower)
def _(values: list[Any]) -> list[Any]:
    return [value.lower() for value in values]


@primitive
def megabench_upstream_exact_match(prediction: object, reference: object, /) -> Score:
    """Return 1 for equal strings, or if the answer's first letter is a reference of a single letter; else 0.

    Values that are not strings are compared as Python prints them.

    Examples:
        >>> megabench_upstream_exact_match("(A) Apple", "A"), megabench_upstream_exact_match(5, "5")
        (1.0, 1.0)

    Source:
        MEGA-Bench, released code, exact_str_match.
    """
    if type(prediction) is not str:
        prediction = printed(prediction)
    if type(reference) is not str:
        reference = printed(reference)
    if prediction == reference:
        return 1.0
    return 1.0 if len(reference) == 1 and first_letter(prediction) == reference else 0.0


@batch(megabench_upstream_exact_match)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    pairs = zip(predictions, references, strict=True)
    return [1.0 if type(p) is str and p == r else megabench_upstream_exact_match(p, r) for p, r in pairs]


@primitive
def megabench_upstream_same_text(prediction: object, reference: object, /) -> Score:
    """Return the score of `megabench_upstream_exact_match`, but 0 if the reference is a string and the answer is not.

    Examples:
        >>> megabench_upstream_same_text(5, "5")
        0.0

    Source:
        MEGA-Bench, released code, exact_str_match_case_insensitive.
    """
    if isinstance(reference, str) and not isinstance(prediction, str):
        return 0.0
    return megabench_upstream_exact_match(prediction, reference)


@batch(megabench_upstream_same_text)
def _(predictions: list[Any], references: list[Any]) -> list[float]:
    pairs = zip(predictions, references, strict=True)
    return [1.0 if type(p) is str and p == r else megabench_upstream_same_text(p, r) for p, r in pairs]


@primitive(revision=2)
def megabench_upstream_unfence(text: str, /) -> str:
    """Return the content of the first code fence without blank lines around it, or the text itself.

    Examples:
        >>> megabench_upstream_unfence("```result\\n66.5\\n```")
        '66.5'

    Source:
        MEGA-Bench, released code, code_result_exact_str_match.
    """
    return drawing_in_fence(text)


def first_fence(text: str) -> str | None:
    """Return the content of the first code fence, without the name of its language; None if there is no fence."""
    found = _OPENING.search(text)
    end = text.find("```", found.end()) if found else -1
    return text[found.end() : end] if found and end >= 0 else None


def drawing_in_fence(text: str, *, trimmed: bool = False) -> str:
    """Return the content of the first code fence with its indentation, or the text itself.

    The line of the opening fence and blank lines after it are removed, and so is white space before the closing one:
    all of it if ``trimmed``, else from the first line end on. Before that, a text of over 10,000 characters, or of
    white space alone, loses its trailing white space.
    """
    if len(text) > _LONG or text.isspace():
        text = text.rstrip()
    fenced = first_fence(text)
    if fenced is None:
        return text
    content = after_blank_lines(fenced)
    return content.rstrip() if trimmed else up_to_blank_lines(content)


def after_blank_lines(text: str) -> str:
    """Return the text without the blank lines at its beginning; the indentation of its first line stays."""
    return text[text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 :]


def up_to_blank_lines(text: str) -> str:
    """Return the text without the blank lines at its end; the trailing spaces of its last line stay."""
    end = text.find("\n", len(text.rstrip()))
    return text if end < 0 else text[:end]


def simplified(text: str) -> str:
    """Return the text in lower case without spaces, hyphens, newlines, tabs and full stops."""
    return remove_characters(text, characters=" -\n\t.").lower()


def first_letter(text: str) -> str | None:
    """Return the letter that a text starts with, ignoring an opening parenthesis before it; None if there is none."""
    start = text[1:2] if text.startswith("(") else text[:1]
    return start if start.isascii() and start.isalpha() else None


def same_simple_text(prediction: str, reference: str) -> bool:
    """Return whether two strings are equal once simplified; for a one-letter reference only the first letter counts.

    Examples:
        >>> same_simple_text("Ice-cream.", "ice cream"), same_simple_text("(B) the second", "b")
        (True, True)
    """
    return same_simplified(simplified(prediction), simplified(reference))


def same_simplified(response: str, target: str) -> bool:
    """Return the result of `same_simple_text` for strings that are simplified already."""
    if len(target) == 1 and target.isalpha() and len(response) > 1:
        response = first_letter(response) or response
    return response == target
