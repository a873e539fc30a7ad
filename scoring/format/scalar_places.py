"""Trace each character of a scalar back to where its file has it: behind an escape, in a folded line or a block."""

from __future__ import annotations

from collections.abc import Sequence

Map = tuple[Sequence[int], Sequence[int]]

_BREAKS = "\n\r\x85\u2028\u2029"
_BLANKS = " \t" + _BREAKS
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_HEX = {"x": 2, "u": 4, "U": 8}


def ends_in_source(value: str, text: str, start: int, end: int, style: str) -> Map | None:
    """Return the start and end offsets in a file's text of each character of a scalar's value.

    Args:
        value: The scalar's value.
        text: The text of the file.
        start: The offset at which the scalar begins, behind its quote.
        end: The offset at which it ends, before its quote.
        style: The style in which it is written.

    Returns:
        Two sequences of offsets, or None if the value can't be traced back to the text.
    """
    if style == "literal":
        return _literal(value, text, start, end)
    if style == "folded":
        start = text.find("\n", start, end) + 1
        return _walk(value, text, start, end, "plain") if start else None
    return _walk(value, text, start, end, style)


def _literal(value: str, text: str, start: int, end: int) -> Map | None:
    """Return the offsets of the characters of a literal block; None if its lines differ from those in the source."""
    starts: list[int] = []
    line_end = text.find("\n", start, end)
    lines = value.split("\n")
    for number, line in enumerate(lines):
        if line_end < 0:
            break
        begin = line_end + 1
        line_end = text.find("\n", begin, end)
        stop = line_end if line_end >= 0 else end
        written = text[begin:stop].removesuffix("\r")
        if not written.endswith(line):
            return None
        first = begin + len(written) - len(line)
        starts.extend(range(first, first + len(line)))
        if number < len(lines) - 1:
            starts.append(min(stop, end))
    # Line breaks at the end of the block may be behind the trimmed span.
    starts.extend([end] * (len(value) - len(starts)))
    return starts, [min(place + 1, end) for place in starts]


def _walk(value: str, text: str, start: int, end: int, style: str) -> Map | None:
    """Return the offsets of the characters of a folded value; None if more than white space differs in the source."""
    starts: list[int] = []
    ends: list[int] = []
    place = start
    for character in value:
        if character not in _BLANKS:
            place = _skip_blanks(text, place, end, style)
        if place >= end:
            if character in _BLANKS:
                starts.append(end)
                ends.append(end)
                continue
            return None
        read, after = written_character(text, place, end, style)
        if read != character and not (character in _BLANKS and read in _BLANKS):
            return None
        starts.append(place)
        ends.append(after)
        place = after
    return starts, ends


def _skip_blanks(text: str, place: int, end: int, style: str) -> int:
    while place < end:
        if text[place] in _BLANKS:
            place += 1
        elif style == "double" and text[place] == "\\" and text[place + 1 : place + 2] in tuple(_BREAKS):
            place += 2  # an escaped line break joins two lines
        else:
            break
    return place


def written_character(text: str, place: int, end: int, style: str) -> tuple[str, int]:
    """Return the character that is written at an offset, possibly as an escape, and the offset after it."""
    character = text[place]
    if style == "single" and text.startswith("''", place):
        return "'", place + 2
    if style not in ("double", "json") or character != "\\" or place + 1 >= end:
        return character, place + 1
    letter = text[place + 1]
    if letter in _ESCAPES:
        return _ESCAPES[letter], place + 2
    digits = _HEX.get(letter, 0)
    after = place + 2 + digits
    try:
        code = int(text[place + 2 : after], 16)
        if style == "json" and 0xD800 <= code < 0xDC00 and text.startswith("\\u", after):
            low = int(text[after + 2 : after + 6], 16)
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), after + 6
        return chr(code), after
    except (ValueError, OverflowError):
        return "", place + 1
