"""Terminal colours, on or off; the only place in the reports that uses escape sequences."""

from __future__ import annotations

from msgspec import Struct


class Style(Struct, frozen=True):
    """A terminal style that colours texts, or leaves them unchanged if colours are off.

    Examples:
        >>> Style(False).draw("bold", "mean")
        'mean'
    """

    color: bool = False

    def draw(self, look: str, text: str) -> str:
        """Return a text in one of the looks of a document, such as ``bold`` or ``bad``; without colours, unchanged."""
        code = _CODES.get(look)
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text


_CODES = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "warn": "33"}
