"""Read the outline of a YAML or JSON text that may be half written: keys, values and their offsets.

The reader of specs refuses a text with a mistake, and rightly so; an editor asks about texts that have one nearly all
the time. This reader never refuses: what it can't make sense of it skips, line by line in block style, and it reads
JSON as YAML's flow style. It is linear in the length of the text, and its depth is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from scoring.extensions.editors.scalars import WrittenScalar, block_scalar, plain_scalar, quoted_scalar
from scoring.lazy_pattern import lazy_pattern

OutlineStyle: TypeAlias = Literal["mapping", "list", "scalar", "nothing"]
DEEPEST = 60
"""What is nested deeper is not read."""


@dataclass(slots=True)
class OutlineKey:
    """A key of a mapping: its text, and the offsets at which it begins and ends, with its quotes."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class OutlineNode:
    """A value of the outline: a mapping with entries, a list with items, a scalar, or nothing yet.

    An entry whose value is None is a key without a colon, as while it is being typed. ``end`` is where the last part of
    it ends.
    """

    style: OutlineStyle = "nothing"
    start: int = 0
    end: int = 0
    entries: list[tuple[OutlineKey, OutlineNode | None]] = field(default_factory=list)
    items: list[OutlineNode] = field(default_factory=list)
    scalar: WrittenScalar | None = None
    in_flow: bool = False

    @property
    def text(self) -> str:
        """The decoded text of a scalar; "" for other values."""
        return "" if self.scalar is None else self.scalar.text

    def get(self, *names: str) -> OutlineNode | None:
        """Return the value of a key of a mapping, or that of a key inside of it; None if there is none."""
        found: OutlineNode | None = self
        for name in names:
            found = None if found is None else next((node for key, node in found.entries if key.text == name), None)
        return found

    def below(self) -> Iterator[tuple[OutlineKey, OutlineNode]]:
        """Yield the keys of a mapping that have values, with the values."""
        yield from ((key, node) for key, node in self.entries if node is not None)

    def add(self, key: OutlineKey, value: OutlineNode | None) -> None:
        """Add an entry to a mapping."""
        self.entries.append((key, value))
        self.end = max(self.end, key.end)


_KEY = lazy_pattern(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|(?:[^\s#\-?:,\[\]{}"'&*!|>%@`]|[-?:](?=\S))(?:[^\n#:]|:(?=\S)|(?<=\S)\#)*?)"""
    r"[ \t]*:(?=[ \t\r\n]|$)"
)
_DASH = lazy_pattern(r"-(?=[ \t\r\n]|$)")
_MARKS = lazy_pattern(r"(?:[ \t]*[&!][^\s,\[\]{}]*(?=\s|$))*[ \t]*")
_BLOCK = lazy_pattern(r"[|>][0-9+-]{0,2}[ \t]*(?:#[^\n]*)?\r?(?=\n|$)")
_FLOW_BLANKS = lazy_pattern(r"(?:[ \t\r\n]+|(?<=\s)#[^\n]*)+")
_FLOW_KEY_END = lazy_pattern(r"[ \t]*:(?=[\s,\[\]{}\"']|$)")
_LINE_KEY = lazy_pattern(r"""[ \t]*(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?=[ \t\r\n]|$)""")


def outline(text: str) -> OutlineNode:
    """Return the outline of a text; that of a text without keys is a mapping without entries.

    Examples:
        >>> found = outline("fields: {a: lower |\\nscore: equal\\n")
        >>> [(key.text, node.style, node.text) for key, node in found.below()]
        [('fields', 'mapping', ''), ('score', 'scalar', 'equal')]
    """
    return _Reader(text).read()


@dataclass(slots=True)
class _Frame:
    """A mapping or list of block style whose parts stand at the column ``indent``; ``slot`` is its last value."""

    indent: int
    node: OutlineNode
    slot: OutlineNode


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        root = OutlineNode()
        self.frames = [_Frame(-1, OutlineNode("list", items=[root]), root)]

    def read(self) -> OutlineNode:
        place = 1 if self.text.startswith("\ufeff") else 0
        while place < len(self.text):
            place = max(self.line(place), place + 1)
        root = self.frames[0].slot
        return root if root.style == "mapping" else OutlineNode("mapping", 0, len(self.text))

    def line(self, start: int) -> int:
        """Read a line, and those on which its last value goes on; return the offset of the line behind."""
        place = _blank(self.text, start)
        here = self.text[place : place + 1]
        if here in ("", "\n", "\r", "#", "%") or self.text.startswith(("---", "..."), start):
            return _next_line(self.text, place)
        indent = place - start
        while self.frames[-1].indent > indent:
            self.frames.pop()
        while dash := _DASH.match(self.text, place):
            self.item(indent, place)
            after = _blank(self.text, dash.end())
            indent, place = indent + after - place, after
            if self.text[place : place + 1] in ("", "\n", "\r", "#"):
                return _next_line(self.text, place)
        found = _KEY.match(self.text, place)
        if found is None:
            return self.value(place, indent, indent)
        self.key(found, indent)
        place = found.end()
        marked = _MARKS.match(self.text, place)
        place = place if marked is None else marked.end()
        if self.text[place : place + 1] in ("", "\n", "\r", "#"):
            return _next_line(self.text, place)
        return self.value(place, indent, None)

    # ---- parts of mappings and lists

    def item(self, indent: int, place: int) -> None:
        """Begin an item of a list whose dashes stand at the column ``indent``."""
        top = self.frames[-1]
        if (top.indent == indent and top.node.style != "list") or top.indent < indent:
            if len(self.frames) > DEEPEST or top.slot.style != "nothing":
                return
            top.slot.style, top.slot.start = "list", place
            top = _Frame(indent, top.slot, top.slot)
            self.frames.append(top)
        top.slot = OutlineNode("nothing", place + 1, place + 1)
        top.node.items.append(top.slot)
        self.ends(place + 1)

    def key(self, found: re.Match[str], indent: int) -> None:
        """Begin an entry of a mapping whose keys stand at the column ``indent``."""
        top = self.mapping(indent, found.start())
        if top is None:
            return
        top.slot = OutlineNode("nothing", found.end(), found.end())
        top.node.add(OutlineKey(_unquoted(found[1]), found.start(1), found.end(1)), top.slot)
        self.ends(found.end())

    def mapping(self, indent: int, place: int) -> _Frame | None:
        """Return the open mapping for a key at the column ``indent``, None if the key has no place."""
        while self.frames[-1].indent == indent and self.frames[-1].node.style == "list" and len(self.frames) > 1:
            self.frames.pop()
        top = self.frames[-1]
        if top.node.style == "mapping" and (top.indent == indent or top.slot.style != "nothing"):
            return top
        if top.slot.style != "nothing" or len(self.frames) > DEEPEST:
            return None
        top.slot.style, top.slot.start, top.slot.end = "mapping", place, place
        self.frames.append(_Frame(indent, top.slot, top.slot))
        return self.frames[-1]

    def value(self, place: int, indent: int, alone: int | None) -> int:
        """Read the value at an offset; ``alone`` is its column if it begins the line, where it may become a key."""
        text, top = self.text, self.frames[-1]
        outer = top.indent if alone is not None and top.indent < alone else indent
        if alone is not None and top.indent < alone and len(self.frames) == 1 and text[place] in "{[":
            outer = -1
        block = _BLOCK.match(text, place)
        if block is not None:
            scalar, after = block_scalar(text, place, outer)
            self.fill(scalar)
            return after
        if text[place] in "{[":
            after = _Flow(text, place, outer, len(self.frames)).read(
                top.slot if top.slot.style == "nothing" else OutlineNode()
            )
            self.ends(after)
            # Without a closing bracket it ends where the line of the next key begins.
            return after if text[after - 1] == "\n" else _next_line(text, after)
        quoted = text[place] in "\"'"
        scalar = quoted_scalar(text, place, outer) if quoted else plain_scalar(text, place, outer)
        if alone is not None and top.node.style == "mapping" and (top.indent == alone or top.slot.style != "nothing"):
            top.node.add(OutlineKey(scalar.text, scalar.start, scalar.end), None)
            self.ends(scalar.end)
        else:
            self.fill(scalar)
        return _next_line(text, max(scalar.end, place))

    def fill(self, scalar: WrittenScalar) -> None:
        slot = self.frames[-1].slot
        if slot.style == "nothing":
            slot.style, slot.start, slot.end, slot.scalar = "scalar", scalar.start, scalar.end, scalar
        self.ends(scalar.end)

    def ends(self, place: int) -> None:
        for frame in self.frames:
            frame.node.end = max(frame.node.end, place)


def _blank(text: str, place: int) -> int:
    while text[place : place + 1] in (" ", "\t"):
        place += 1
    return place


def _next_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _unquoted(written: str) -> str:
    return written[1:-1] if written[:1] in ("'", '"') and written[-1:] == written[:1] and len(written) > 1 else written


class _Flow:
    """A reader of a value in brackets, as in JSON; without a closing bracket it ends where a line is a key again."""

    def __init__(self, text: str, start: int, indent: int, depth: int) -> None:
        self.text, self.start, self.indent, self.depth = text, start, indent, depth
        self.stop = len(text) if indent < 0 else self.least_end()

    def least_end(self) -> int:
        """Return the offset of the first line behind the start that is no deeper than what holds the brackets, and
        begins with a key or a dash."""
        line = _next_line(self.text, self.start)
        while line < len(self.text):
            begin = _blank(self.text, line)
            here = self.text[begin : begin + 1]
            is_outer = here not in ("", "\n", "\r", "#") and begin - line <= self.indent
            if is_outer and (here == "-" or _LINE_KEY.match(self.text, line)):
                return line
            line = _next_line(self.text, line)
        return len(self.text)

    def read(self, node: OutlineNode) -> int:
        """Read the value into ``node``, and return the offset behind it."""
        text, place = self.text, self.start
        open_nodes: list[OutlineNode] = []
        key: OutlineKey | None = None
        slot = node
        while place < self.stop:
            blanks = _FLOW_BLANKS.match(text, place, self.stop)
            if blanks is not None:
                place = blanks.end()
                continue
            here = text[place]
            if here in "&!" and (marked := _MARKS.match(text, place, self.stop)) and marked.end() > place:
                place = marked.end()
            elif here in "{[":
                if len(open_nodes) + self.depth > DEEPEST:
                    return self.stop
                opened = slot if not open_nodes else self.placed(open_nodes[-1], key, place)
                key = None
                opened.style, opened.start = "mapping" if here == "{" else "list", place
                opened.in_flow = True
                open_nodes.append(opened)
                place += 1
            elif here in "}]":
                if key is not None and open_nodes:
                    self.placed(open_nodes[-1], key, place)
                    key = None
                place += 1
                if open_nodes:
                    open_nodes.pop().end = place
                if not open_nodes:
                    return place
            elif here == ",":
                if key is not None and open_nodes:
                    self.placed(open_nodes[-1], key, key.end)
                key = None
                place += 1
            else:
                place, key = self.scalar(open_nodes[-1], key, place)
        if key is not None and open_nodes:
            self.placed(open_nodes[-1], key, self.stop)
        for one in open_nodes:
            one.end = self.stop
        return self.stop

    def scalar(self, inside: OutlineNode, key: OutlineKey | None, place: int) -> tuple[int, OutlineKey | None]:
        """Read a key or a value; return the offset behind it, and the key if it is one whose value follows."""
        text = self.text
        if text[place] in "\"'":
            scalar = quoted_scalar(text, place, self.indent)
        else:
            scalar = plain_scalar(text, place, self.indent, in_flow=True)
        if scalar.end <= place:
            return place + 1, key
        colon = _FLOW_KEY_END.match(text, scalar.end, self.stop) if key is None else None
        if colon is None and key is None and text[place] == '"' and text.startswith(":", scalar.end):
            colon = re.compile(":").match(text, scalar.end)
        if inside.style == "mapping" and key is None:
            found = OutlineKey(scalar.text, scalar.start, scalar.end)
            if colon is None:
                inside.add(found, None)
                return scalar.end, None
            return colon.end(), found
        value = self.placed(inside, key, scalar.start)
        value.style, value.end, value.scalar = "scalar", scalar.end, scalar
        if colon is not None and inside.style == "list":  # `[a: b]`, a mapping of one entry
            value.style, value.scalar, value.in_flow = "mapping", None, True
            inner = OutlineNode("nothing", colon.end(), colon.end())
            value.add(OutlineKey(scalar.text, scalar.start, scalar.end), inner)
            after = _FLOW_BLANKS.match(text, colon.end(), self.stop)
            begin = colon.end() if after is None else after.end()
            if begin < self.stop and text[begin] not in ",[]{}":
                more = (
                    quoted_scalar(text, begin, self.indent)
                    if text[begin] in "\"'"
                    else plain_scalar(text, begin, self.indent, in_flow=True)
                )
                inner.style, inner.start, inner.end, inner.scalar = "scalar", more.start, more.end, more
                value.end = more.end
                return max(more.end, begin + 1), None
            return begin, None
        return scalar.end, None

    @staticmethod
    def placed(inside: OutlineNode, key: OutlineKey | None, place: int) -> OutlineNode:
        """Return a new value in a mapping or list."""
        value = OutlineNode("nothing", place, place)
        if inside.style == "list":
            inside.items.append(value)
        else:
            inside.add(key or OutlineKey("", place, place), value)
        return value
