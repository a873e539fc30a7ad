"""Advice on writing a text so that YAML reads it unchanged: in single quotes, or in a block."""

from __future__ import annotations

import re

from scoring.diagnostics.meant import Advice
from scoring.diagnostics.source import Source
from scoring.format.brackets import CLOSERS, unclosed
from scoring.lang.limits import LENGTH

_LONGEST_SHOWN = 200
_MOST_LINES = 12


def expression_end(text: str, start: int, stops: str = "") -> int:
    """Return the end of an expression on one line: the line's end, or a stop character outside brackets and quotes.

    The stop `#` counts only after white space, as in YAML. What is too long for an expression ends with the line.
    """
    opened: list[str] = []
    quote = ""
    end = line_end(text, start)
    marks = re.compile(f"[\"'()\\r{re.escape('[]{}' + stops)}]")
    # Many values of one long line may ask; none of them is an expression.
    for found in marks.finditer(text, start, end) if end - start <= LENGTH else ():
        place, character = found.start(), found[0]
        if character == "\r":
            end = place
            break
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in CLOSERS:
            opened.append(CLOSERS[character])
        elif opened and character == opened[-1]:
            opened.pop()
        elif not opened and character in stops and (character != "#" or text[place - 1 : place] in (" ", "\t")):
            end = place
            break
    return start + len(text[start:end].rstrip(" \t"))


def line_start(text: str, place: int) -> int:
    """Return the start of the line that contains an offset."""
    return text.rfind("\n", 0, place) + 1


def line_end(text: str, place: int) -> int:
    """Return the end of the line that contains an offset, before its line feed."""
    end = text.find("\n", place)
    return end if end >= 0 else len(text)


def single_quoted(text: str) -> str:
    """Return a text in single quotes.

    Examples:
        >>> print(single_quoted("it's"))
        'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def quoting(source: Source, start: int, end: int, *, flow: bool = False) -> Advice:
    """Return advice to quote the text between two offsets; `flow` says that it is inside `{…}` or `[…]`."""
    return replacement_advice(source, start, end, source.text[start:end], flow=flow)


def replacement_advice(source: Source, start: int, end: int, text: str, *, flow: bool = False) -> Advice:
    """Return advice to replace a part of the source by a text, in quotes or, if that is more readable, in a block.

    A block is used for texts that continue on further lines, and for those with a `'`; it can't be used inside `{…}`
    and `[…]`, which `flow` states.
    """
    below = [] if flow else _lines_below(source.text, start, end)
    if not below and (flow or "'" not in text):
        return line_with(source, start, end, single_quoted(text))
    head = source.text[line_start(source.text, start) : start].strip()
    if not head:
        return Advice(
            "write `|-` after the key above, and these lines unchanged: in a block every character is literal"
        )
    lines = [f"{head} |-", *(f"  {line}" for line in (text, *below))]
    advice = "write it like this:\n" + "\n".join(line[:_LONGEST_SHOWN] for line in lines)
    if not below:
        return Advice.of(advice, source.span(start, end), single_quoted(text), is_source=True)
    after = source.text[line_end(source.text, end) + 1 :]
    indent = after[: len(after) - len(after.lstrip(" "))]
    return Advice.of(advice, source.span(start, end), f"|-\n{indent}{text}", is_source=True)


def line_with(source: Source, start: int, end: int, mended: str) -> Advice:
    """Return advice to write the author's line with the part from `start` to `end` replaced by `mended`."""
    text = source.text
    tail = text[end : line_end(text, end)].rstrip("\r")
    line = f"{text[line_start(text, start) : start].lstrip()}{mended}{tail}"
    shown = line if len(line) <= _LONGEST_SHOWN else mended[:_LONGEST_SHOWN]
    return Advice.of(f"write it like this:\n{shown}", source.span(start, end), mended, is_source=True)


def _lines_below(text: str, start: int, end: int) -> list[str]:
    """Return the lines on which the expression at `text[start:end]` continues: those directly below that are indented
    more than its key, without their indentation."""
    head = text[line_start(text, start) : start]
    alone = not head.strip()
    if not alone and not unclosed(text[start:end]):
        return []
    indent = len(head) - len(head.lstrip())
    found: list[str] = []
    for line in text[line_end(text, end) + 1 :].split("\n", _MOST_LINES)[:_MOST_LINES]:
        if not line.strip() or len(line) - len(line.lstrip()) < indent + (not alone):
            break
        found.append(line.strip())
    return found
