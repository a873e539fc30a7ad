"""Read scalars of YAML and JSON that may be half written, with the place in the text of each of their characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from scoring.format.scalar_places import written_character
from scoring.lazy_pattern import lazy_pattern

OutlineScalar: TypeAlias = Literal["plain", "single", "double", "literal", "folded"]
_COMMENT = lazy_pattern(r"[ \t]#")
_PLAIN_IN_FLOW = lazy_pattern(r"(?:[^\s,\[\]{}:#]|:(?![\s,\[\]{}]|$)|(?<!\s)#|[ \t]+(?![\s#]))+")


class WrittenScalar(Struct, frozen=True):
    """A scalar: its decoded text, and for each character of it where the text of the file has it.

    ``start`` and ``end`` are the offsets of the scalar with its quotes; ``is_closed`` is false for one whose closing
    quote is missing.
    """

    text: str
    style: OutlineScalar
    start: int
    end: int
    starts: Sequence[int]
    ends: Sequence[int]
    is_closed: bool = True

    def offset(self, index: int) -> int:
        """Return the offset in the file of the character ``index`` of the text, or of its end."""
        if index < len(self.starts):
            return self.starts[index]
        return self.ends[-1] if self.ends else self.start + (self.style in ("single", "double"))


def plain_scalar(text: str, start: int, indent: int, *, in_flow: bool = False) -> WrittenScalar:
    """Return the plain scalar that begins at an offset, with the lines that it goes on to.

    Args:
        text: The text of the file.
        start: The offset.
        indent: The column that lines of it exceed, in block style.
        in_flow: Whether it stands in brackets, where a comma ends it.
    """
    stretches = [_stretch(text, start, in_flow)]
    place = stretches[0][1]
    while True:
        following = _next_text(text, place)
        if following is None:
            break
        begin, column = following
        if column <= indent or text[begin] == "#" or (text.startswith(("---", "..."), begin) and column == 0):
            break
        if (in_flow and text[begin] in ",[]{}:") or (not in_flow and _LINE_KEY.match(text, begin)):
            break
        if not in_flow and text.startswith(("- ", "-\n"), begin):
            break
        stretch = _stretch(text, begin, in_flow)
        if stretch[1] <= begin:
            break
        stretches.append(stretch)
        place = stretch[1]
    return _joined(text, stretches)


_LINE_KEY = lazy_pattern(r"""(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?=[ \t\r\n]|$)""")


def _joined(text: str, stretches: list[tuple[int, int]]) -> WrittenScalar:
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for begin, end in stretches:
        if starts:
            characters.append(" ")
            starts.append(ends[-1])
            ends.append(begin)
        characters.extend(text[begin:end])
        starts.extend(range(begin, end))
        ends.extend(range(begin + 1, end + 1))
    first, last = stretches[0][0], stretches[-1][1]
    return WrittenScalar("".join(characters), "plain", first, last, starts, ends)


def _stretch(text: str, start: int, in_flow: bool) -> tuple[int, int]:
    """Return the offsets of a plain scalar's part on one line, without comment and space at its end."""
    if in_flow:
        found = _PLAIN_IN_FLOW.match(text, start)
        end = start if found is None else found.end()
    else:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        comment = _COMMENT.search(text, start, end)
        end = end if comment is None else comment.start()
    while end > start and text[end - 1] in " \t\r":
        end -= 1
    return start, end


def _next_text(text: str, place: int) -> tuple[int, int] | None:
    """Return the offset and column of what the next line that is not blank begins with; None behind a comment, or if
    something else follows on this line."""
    size = len(text)
    while place < size and text[place] in " \t\r":
        place += 1
    if place >= size or text[place] != "\n":
        return None
    line = place + 1
    while line < size:
        begin = line
        while begin < size and text[begin] in " \t\r":
            begin += 1
        if begin >= size:
            return None
        if text[begin] != "\n":
            return begin, begin - line
        line = begin + 1
    return None


# Most scalars in quotes stand on one line, without an escape.
_ALL_AS_WRITTEN = lazy_pattern(r""""[^"\\\r\n]*"|'[^'\r\n]*'(?!')""")


def quoted_scalar(text: str, start: int, indent: int) -> WrittenScalar:
    """Return the scalar in quotes that begins at an offset; without a closing quote it ends with its line.

    Args:
        text: The text of the file.
        start: The offset of the quote.
        indent: The column that further lines of it exceed.
    """
    quote = text[start]
    style: OutlineScalar = "single" if quote == "'" else "double"
    plain = _ALL_AS_WRITTEN.match(text, start)
    if plain is not None:
        first, last = start + 1, plain.end() - 1
        places = [*range(first, last)], [*range(first + 1, last + 1)]
        return WrittenScalar(text[first:last], style, start, last + 1, *places, True)
    close = _closing(text, start + 1, quote, indent)
    stop = close if close is not None else _line_end(text, start + 1)
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = start + 1
    while place < stop:
        if text[place] in "\r\n":
            after = place
            while after < stop and text[after] in " \t\r\n":
                after += 1
            while characters and characters[-1] in " \t":
                characters.pop(), starts.pop(), ends.pop()
            found = " "
        else:
            found, after = written_character(text, place, stop, style)
            after = min(max(after, place + 1), stop)
        characters.append(found or "\ufffd")
        starts.append(place)
        ends.append(after)
        place = after
    end = stop + 1 if close is not None else stop
    return WrittenScalar("".join(characters), style, start, end, starts, ends, close is not None)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    end = len(text) if end < 0 else end
    return end - 1 if end > place and text[end - 1] == "\r" else end


def _closing(text: str, place: int, quote: str, indent: int) -> int | None:
    """Return the offset of a closing quote, None if it is missing: a line that is no deeper than ``indent`` ends it."""
    size = len(text)
    while place < size:
        here = text[place]
        if here == "\\" and quote == '"':
            place += 2
            continue
        if here == quote:
            if quote == "'" and text.startswith("''", place):
                place += 2
                continue
            return place
        if here == "\n":
            following = _next_text(text, place)
            if following is None or following[1] <= indent or _LINE_KEY.match(text, following[0]):
                return None
            place = following[0]
            continue
        place += 1
    return None


def block_scalar(text: str, start: int, indent: int) -> tuple[WrittenScalar, int]:
    """Return the literal or folded block whose indicator is at an offset, and the offset of the line behind it.

    Args:
        text: The text of the file.
        start: The offset of `|` or `>`.
        indent: The column that its lines exceed.
    """
    lines, place, last = _block_lines(text, start, indent)
    depth = min((begin - line for line, begin, end in lines if begin < end), default=0)
    is_folded = text[start] == ">"
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for number, (line, _, end) in enumerate(lines):
        begin = min(line + depth, end)
        if number:
            characters.append(" " if is_folded and begin < end else "\n")
            starts.append(max(line - 1, start))
            ends.append(begin)
        characters.extend(text[begin:end])
        starts.extend(range(begin, end))
        ends.extend(range(begin + 1, end + 1))
    style: OutlineScalar = "folded" if is_folded else "literal"
    return WrittenScalar("".join(characters), style, start, last, starts, ends), place


def _block_lines(text: str, start: int, indent: int) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return the lines of a block, each as its start, the start of its text and its end; then where the next line
    begins, and where the block ends."""
    place = text.find("\n", start)
    place = len(text) if place < 0 else place + 1
    lines: list[tuple[int, int, int]] = []
    last = min(place, len(text))
    while place < len(text):
        end = text.find("\n", place)
        after = len(text) if end < 0 else end + 1
        end = len(text) if end < 0 else end
        if end > place and text[end - 1] == "\r":
            end -= 1
        begin = place
        while begin < end and text[begin] in " \t":
            begin += 1
        if begin < end and begin - place <= indent:
            break
        lines.append((place, begin, end))
        if begin < end:
            last = end
        place = after
    while lines and lines[-1][1] >= lines[-1][2]:
        lines.pop()
    return lines, place, last
