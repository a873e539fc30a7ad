"""The nodes that the readers create from a file: plain data with the exact span of every value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scoring.diagnostics.source import Fragment, Span

ScalarStyle = Literal["plain", "single", "double", "literal", "folded", "json", "mapping", "list"]
Scalar = str | int | float | bool | None
SpecValue = dict[str, "SpecNode"] | list["SpecNode"] | Scalar


@dataclass(frozen=True, slots=True, eq=False)
class SpecNode:
    """A value in a spec file with its location; its entries or items are nodes, too.

    Args:
        value: A mapping of text to nodes, a list of nodes, or a scalar.
        span: The span of the value; for a YAML alias, that of the anchored value.
        key_span: The span of its key, if it is an entry of a mapping.
        style: The style in which a scalar is written.
        alias: The span of the YAML alias, if the value is repeated by one.
    """

    value: SpecValue
    span: Span
    key_span: Span | None = None
    style: ScalarStyle = "plain"
    alias: Span | None = None

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return isinstance(self.value, list)

    @property
    def is_text(self) -> bool:
        """Whether the value is a string."""
        return isinstance(self.value, str)

    @property
    def entries(self) -> dict[str, SpecNode]:
        """The entries of a mapping; empty for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[SpecNode]:
        """The items of a list; empty for any other value."""
        return self.value if isinstance(self.value, list) else []

    def get(self, key: str) -> SpecNode | None:
        """Return the node under a key of a mapping; None for a missing key, and for any other value."""
        return self.entries.get(key)

    def __getitem__(self, step: str | int) -> SpecNode:
        return self.items[step] if isinstance(step, int) else self.entries[step]

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def __iter__(self) -> Iterator[SpecNode]:
        return iter(self.items)

    def at(self, path: Iterable[str | int]) -> SpecNode:
        """Return the node at a path of keys and positions, or the last existing node on the way to it."""
        node = self
        for step in path:
            if isinstance(step, int) and node.is_list and 0 <= step < len(node.items):
                node = node.items[step]
            elif isinstance(step, str) and step in node.entries:
                node = node.entries[step]
            else:
                break
        return node

    def plain(self) -> Any:
        """Return the value as plain data, without locations."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def kind(self) -> str:
        """The type of the value, in words for a message: `a mapping`, `a list`, `text`, `a number` …"""
        return kind_of(self.value)

    def fragment(self) -> Fragment:
        """Return the text of a scalar with the offsets of its characters in the file.

        For a number or a boolean, it is the text as written in the file.
        """
        if not isinstance(self.value, str):
            written = self.span.text
            return Fragment(
                written, self.span, range(self.span.start, self.span.end), range(self.span.start + 1, self.span.end + 1)
            )
        starts, ends = ends_in_source(self.value, self.span, self.style) or (None, None)
        return Fragment(self.value, self.span, starts, ends)

    def keyed(self, key_span: Span | None, alias: Span | None = None) -> SpecNode:
        """Return a copy of the node for the key at `key_span`; `alias` is the span of the YAML alias that repeats the
        value."""
        return SpecNode(self.value, self.span, key_span, self.style, alias or self.alias)


def kind_of(value: object) -> str:
    """Return the type of a plain value, in words.

    Examples:
        >>> kind_of(True), kind_of([1]), kind_of("x")
        ('a boolean', 'a list', 'text')
    """
    return next((words for kind, words in _KINDS if isinstance(value, kind)), type(value).__name__)


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),
    (type(None), "nothing"),
    (str, "text"),
    ((int, float), "a number"),
    (dict, "a mapping"),
    (list, "a list"),
)


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


def ends_in_source(value: str, span: Span, style: str) -> Map | None:
    """Return the start and end offsets in the source of each character of a scalar's value.

    Returns:
        Two sequences of offsets, or None if the value can't be traced back to the source.
    """
    text, start, end = span.source.text, span.start, span.end
    if style in ("single", "double", "json"):
        start, end = start + 1, end - 1
    if text[start:end] == value and style not in ("literal", "folded"):
        return range(start, end), range(start + 1, end + 1)
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
        read, after = _unit(text, place, end, style)
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


def _unit(text: str, place: int, end: int, style: str) -> tuple[str, int]:
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
