"""MEGA-Bench as released: the loose comparison of two texts that several metrics fall back to."""

from __future__ import annotations

_REMOVED = str.maketrans("", "", " -\n\t.")


def simplified(text: str) -> str:
    """The text in lower case without spaces, hyphens, newlines, tabs and full stops."""
    return text.translate(_REMOVED).lower()


def first_letter(text: str) -> str | None:
    """The letter a text starts with, an opening bracket before it ignored."""
    start = text[1:2] if text.startswith("(") else text[:1]
    return start if start.isascii() and start.isalpha() else None


def same_simple_text(prediction: str, reference: str) -> bool:
    """Whether two texts are equal once simplified; against a one-letter reference only the first letter counts.

    Examples:
        >>> same_simple_text("Ice-cream.", "ice cream"), same_simple_text("(B) the second", "b")
        (True, True)
    """
    return same_simplified(simplified(prediction), simplified(reference))


def same_simplified(response: str, target: str) -> bool:
    """`same_simple_text` of texts that have been simplified."""
    if len(target) == 1 and target.isalpha() and len(response) > 1:
        response = first_letter(response) or response
    return response == target
