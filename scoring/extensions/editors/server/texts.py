"""Texts that are edited: offsets in code points, and positions as the Language Server Protocol counts them.

pygls keeps texts too, but splits lines as Python does, also at form feeds and U+2028, which editors take for ordinary
characters: its text would drift from that of the editor.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from scoring.lazy_pattern import lazy_pattern

_LINE_END = lazy_pattern(r"\r\n|\n|\r")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class EditedText:
    """A text with the positions of an editor.

    Args:
        text: The text.
        encoding: The units in which columns are counted: ``utf-8``, ``utf-16`` or ``utf-32``.

    Examples:
        >>> text = EditedText("a: 😀x\\nb: 1")
        >>> text.offset({"line": 0, "character": 5}), text.position(4)
        (4, {'line': 0, 'character': 5})
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        # Two edits may bring the two halves of one character.
        if _SURROGATE.search(text):
            text = text.encode("utf-16-le", "surrogatepass").decode(
                "utf-16-le", "surrogatepass" if _torn(text) else "strict"
            )
        self.text, self.encoding = text, encoding

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    @cached_property
    def _ends(self) -> list[int]:
        return [*(found.start() for found in _LINE_END.finditer(self.text)), len(self.text)]

    def offset(self, position: Mapping[str, Any]) -> int:
        """Return the offset of a position; one behind the end of a line is that end, one inside a character its
        start."""
        line, character = int(position["line"]), int(position["character"])
        if line < 0 or character < 0:
            return 0 if line <= 0 else self._starts[min(line, len(self._starts) - 1)]
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._ends[line]
        codec, width = _CODECS[self.encoding]
        if width == 4 or self.text[start:end].isascii():
            return min(start + character, end)
        units = self.text[start:end].encode(codec, "surrogatepass")[: character * width]
        return (
            start + len(units.decode(codec, "ignore" if width < 4 else "strict"))
            if not _SURROGATE.search(self.text, start, end)
            else self._slow(start, end, character)
        )

    def _slow(self, start: int, end: int, character: int) -> int:
        codec, width = _CODECS[self.encoding]
        taken = 0
        for offset in range(start, end):
            taken += len(self.text[offset].encode(codec, "surrogatepass")) // width
            if taken > character:
                return offset
        return end

    def position(self, offset: int) -> dict[str, int]:
        """Return the position of an offset; one outside of the text is that of the nearer end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        codec, width = _CODECS[self.encoding]
        units = len(before) if before.isascii() else len(before.encode(codec, "surrogatepass")) // width
        return {"line": line, "character": units}

    def range(self, start: int, end: int) -> dict[str, dict[str, int]]:
        """Return the range between two offsets."""
        return {"start": self.position(start), "end": self.position(end)}

    def units(self, start: int, end: int) -> int:
        """Return how many units the characters between two offsets come to."""
        codec, width = _CODECS[self.encoding]
        return len(self.text[start:end].encode(codec, "surrogatepass")) // width

    def is_same(self, other: EditedText | None) -> bool:
        """Return whether another text has the same characters, and columns in the same units."""
        return other is not None and (self.text, self.encoding) == (other.text, other.encoding)

    def changed(self, change: Mapping[str, Any]) -> EditedText:
        """Return the text after a change of the protocol: with `range` of that part, without it of the whole."""
        new = str(change["text"])
        if change.get("range") is None:
            return EditedText(new, self.encoding)
        start, end = sorted((self.offset(change["range"]["start"]), self.offset(change["range"]["end"])))
        return EditedText(self.text[:start] + new + self.text[end:], self.encoding)

    @property
    def line_count(self) -> int:
        """The number of lines; the empty text has one."""
        return len(self._starts)


def path_of_file(uri: str) -> Path | None:
    """Return the path of the file that an address names; None for an address that names none."""
    from pygls.uris import to_fs_path

    found = to_fs_path(uri)
    return Path(os.path.normpath(found)) if found and os.path.isabs(found) and "\0" not in found else None


def _torn(text: str) -> bool:
    try:
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return True
    return False
