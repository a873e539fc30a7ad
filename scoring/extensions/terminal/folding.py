"""Fold lines at words to the width of a terminal, in which a wide character (CJK, emoji) takes two columns."""

from __future__ import annotations

import re

from scoring.diagnostics.visible import width
from scoring.lazy_pattern import lazy_pattern

_CODE = lazy_pattern(r"\x1b\[[0-9;]*m")
# A word, in which what stands in backticks is kept together so that it can be copied, and the spaces behind it.
_WORD = lazy_pattern(r"((?:`[^`]*`|[^ `]|`)*)( *)")
_END = "\x1b[0m"
_LEAST = 8
"""The least number of columns that text is folded to; below it, a terminal breaks the lines itself."""


def drawn_width(text: str) -> int:
    """Return the number of terminal columns that a text takes, without its colour sequences.

    Examples:
        >>> drawn_width("\\x1b[1m日本\\x1b[0m")
        4
    """
    return width(_CODE.sub("", text) if "\x1b" in text else text)


def fold(text: str, columns: int, hanging: int = 0, *, cut: bool = False) -> list[str]:
    """Return a line of text as lines of at most `columns` columns, broken at spaces; colours go on in the next line.

    Args:
        text: One line, with or without colour sequences.
        columns: The width to fit; less than 8 counts as 8.
        hanging: The number of spaces before each line but the first; at most half of the width is used.
        cut: Whether to cut words that are wider than a line. By default they stay whole on a line of their own, as
            what is in backticks does, so that paths and commands can be copied.

    Examples:
        >>> fold("no record has the path `a b`", 16, 2)
        ['no record has', '  the path `a b`']
        >>> fold("日本語日本語日", 8, cut=True)
        ['日本語日', '本語日']
    """
    columns = max(columns, _LEAST)
    if drawn_width(text) <= columns:
        return [text]
    indent = " " * min(hanging, columns // 2)
    lines, line, used, gap = [], "", 0, ""
    for word, spaces in _WORD.findall(text)[:-1]:  # the last one is the empty text at the end
        for piece in _pieces(word, columns - len(indent)) if cut else [word]:
            size = drawn_width(piece)
            if line.strip() and used + len(gap) + size > columns:
                lines.append(line)
                line, used, gap = indent, len(indent), ""
            line, used, gap = f"{line}{gap}{piece}", used + len(gap) + size, ""
        gap = spaces
    return _closed([*lines, line])


def _pieces(word: str, columns: int) -> list[str]:
    """Return a word cut into pieces of at most `columns` columns; a colour sequence is never cut."""
    pieces, used = [""], 0
    for unit in re.findall(rf"{_CODE.pattern}|.", word, re.DOTALL):
        size = 0 if len(unit) > 1 else width(unit)
        if used + size > columns and size:
            pieces.append("")
            used = 0
        pieces[-1] += unit
        used += size
    return pieces


def _closed(lines: list[str]) -> list[str]:
    """Return the lines with each colour ended at the end of its line, and begun again behind the next one's indent."""
    closed, colour = [], ""
    for line in lines:
        text = line.lstrip(" ")
        begun = f"{line[: len(line) - len(text)]}{colour}{text}"
        for code in _CODE.findall(line):
            colour = "" if code == _END else code
        closed.append(f"{begun}{_END}" if colour else begun)
    return closed


_MARGIN = lazy_pattern(r"( *\d* \| )( *(?:[\^-]+ )?)(.*)")  # of a finding: the column of line numbers, an underline
_ITEM = lazy_pattern(r" {2,}\S+(?: {2,})")  # a command of a list, and its summary


def fold_text(text: str, columns: int) -> str:
    """Return text of several lines folded to a width, with the structure of findings and lists kept.

    Examples:
        >>> print(fold_text("  add  put a pack into the project", 24))
          add  put a pack into
               the project
        >>> print(fold_text("  |    ^^^^ did you mean `number`?", 24))
          |    ^^^^
          |    did you mean
          |    `number`?
    """
    return "\n".join(part for line in text.split("\n") for part in _fold_line(line, columns))


def _fold_line(line: str, columns: int) -> list[str]:
    if drawn_width(line) <= columns:
        return [line]
    plain = _CODE.sub("", line)
    margin = _MARGIN.fullmatch(plain)
    if margin is not None and margin[1].strip() == "|":
        side, marks, label = margin[1], margin[2].rstrip(), margin[3]
        hanging = min(len(side) + len(marks) - len(marks.lstrip(" ")), columns // 2)
        colour = next((code for code in reversed(_CODE.findall(line)) if code != _END), "")
        texts = [marks.lstrip(" "), *fold(label, columns - hanging)]
        return [f"{side:<{hanging}}{colour}{text}{_END if colour else ''}" for text in texts if text]
    item = _ITEM.match(plain)
    return fold(line, columns, len(item[0]) if item else len(plain) - len(plain.lstrip(" ")) + 2)
