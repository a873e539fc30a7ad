"""Colours that are there or not; nothing else in the reports knows escape sequences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Draws a text in a colour, or leaves it alone.

    Examples:
        >>> Style(False).bold("mean")
        'mean'
    """

    color: bool = False

    def bold(self, text: str) -> str:
        """A headline."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """What stands beside the point."""
        return self._wrap("2", text)

    def good(self, text: str) -> str:
        """What is as it should be."""
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        """What needs attention."""
        return self._wrap("31", text)

    def warn(self, text: str) -> str:
        """What may need attention."""
        return self._wrap("33", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text
