"""How a text is written so that YAML takes it as it is: in single quotes, or in a block below its key."""

from __future__ import annotations

from scoring.diagnostics.source import Source
from scoring.format.brackets import unclosed
from scoring.late import pattern

_LONGEST_SHOWN = 200
_KEY = pattern(r"[ \t]*(?:-[ \t]+)*(?:[^\s:#'\"{\[][^:#\n]*:)?[ \t]*")
_MOST_LINES = 12


def single_quoted(text: str) -> str:
    """A text in single quotes.

    Examples:
        >>> print(single_quoted("it's"))
        'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def quoting(source: Source, start: int, end: int, *, flow: bool = False) -> str:
    """Advice to write what stands from one place to another, which is no text to YAML, so that it is one."""
    return written(source, start, end, source.text[start:end], flow=flow)


def written(source: Source, start: int, end: int, meant: str, *, flow: bool = False) -> str:
    """Advice to write a text in the place of what stands there: quoted, or as it is in a block where that reads better.

    A block is for texts that go on below, and for those with a `'` in them; `{…}` and `[…]` have none.
    """
    below = [] if flow else _lines_below(source.text, start, end)
    if not below and (flow or "'" not in meant):
        return line_with(source, start, end, single_quoted(meant))
    line_start = source.text.rfind("\n", 0, start) + 1
    head = source.text[line_start:start].strip()
    if not head:
        return "write `|-` behind the key above, and these lines as they are: a block takes every character as it is"
    lines = [f"{head} |-", *(f"  {line}" for line in (meant, *below))]
    return "write it so:\n" + "\n".join(line[:_LONGEST_SHOWN] for line in lines)


def line_with(source: Source, start: int, end: int, mended: str) -> str:
    """Advice to write the author's line with one part of it exchanged."""
    line_start = source.text.rfind("\n", 0, start) + 1
    line_end = source.text.find("\n", end)
    tail = source.text[end : line_end if line_end >= 0 else len(source.text)].rstrip("\r")
    line = f"{source.text[line_start:start].lstrip()}{mended}{tail}"
    return f"write it so:\n{line if len(line) <= _LONGEST_SHOWN else mended[:_LONGEST_SHOWN]}"


def _lines_below(text: str, start: int, end: int) -> list[str]:
    """The lines on which an expression goes on: those that stand deeper than its key, or close what it opens."""
    line_start = text.rfind("\n", 0, start) + 1
    key = _KEY.match(text, line_start)
    if key is None or (not unclosed(text[start:end]) and text[line_start:start].strip()):
        return []
    indent = len(text[line_start:start]) - len(text[line_start:start].lstrip())
    alone = not text[line_start:start].strip()
    found: list[str] = []
    place = text.find("\n", end)
    while place >= 0 and len(found) < _MOST_LINES:
        after = text.find("\n", place + 1)
        line = text[place + 1 : after if after >= 0 else len(text)].rstrip("\r")
        deeper = len(line) - len(line.lstrip())
        if not line.strip() or deeper < indent + (not alone):
            break
        found.append(line.strip())
        place = after
    return found
