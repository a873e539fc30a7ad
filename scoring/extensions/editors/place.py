"""Find where an offset stands in the outline of a text: the way of keys that leads to it, and the scalar around it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.editors.outline import OutlineNode, outline
from scoring.extensions.editors.scalars import WrittenScalar

KeyPath: TypeAlias = tuple[str | int, ...]
MARK = "\ue000"
"""What is set into the text at the offset, so that something stands there: a character of private use."""


class OutlinePlace(Struct, frozen=True):
    """Where an offset stands.

    Attributes:
        root: The outline of the text, with `MARK` at the offset.
        path: The keys and positions that lead to the value at the offset; for a key, to the mapping that has it.
        nodes: The values on this way, from the root on.
        is_key: Whether a key stands there, or may be about to.
        scalar: The key or the scalar around the offset, without `MARK`; None where nothing is written yet.
        index: The offset within the text of the scalar.
        start: The offset in the file at which the scalar begins; the offset itself without one.
        end: Where it ends.
    """

    root: OutlineNode
    path: KeyPath
    nodes: tuple[OutlineNode, ...]
    is_key: bool
    scalar: WrittenScalar | None
    index: int
    start: int
    end: int

    @property
    def before(self) -> str:
        """The text of the scalar before the offset."""
        return "" if self.scalar is None else self.scalar.text[: self.index]

    @property
    def after(self) -> str:
        """The text of the scalar behind the offset."""
        return "" if self.scalar is None else self.scalar.text[self.index :]


def outline_place_at(text: str, offset: int) -> OutlinePlace | None:
    """Return where an offset stands; None in a comment, or where no value of a spec can stand.

    Examples:
        >>> outline_place_at("fields:\\n  a: lower | \\n", 20).path
        ('fields', 'a')
    """
    offset = min(max(offset, 0), len(text))
    marked = text[:offset].replace(MARK, "?") + MARK + text[offset:].replace(MARK, "?")
    root = outline(marked)
    way: list[str | int] = []
    nodes = [root]
    node = root
    while True:
        step = _step(node, offset)
        if step is None:
            return None
        name, inner, is_key = step
        if is_key and isinstance(name, str):
            scalar = WrittenScalar(
                name, "plain", inner.start, inner.end, range(inner.start, inner.start + len(name)), ()
            )
            return _found(root, way, nodes, scalar, offset, is_key=True)
        if name is not None:
            way.append(name)
            nodes.append(inner)
            node = inner
            continue
        if node.scalar is None:
            return None
        return _found(root, way, nodes, node.scalar, offset, is_key=False)


def _step(node: OutlineNode, offset: int) -> tuple[str | int | None, OutlineNode, bool] | None:
    """Return the key or position below a node that leads to the mark, and its value; a key that holds the mark itself
    comes with true."""
    if node.style == "scalar" and node.scalar is not None and MARK in node.scalar.text:
        return None, node, False
    for key, value in node.entries:
        if MARK in key.text:
            return key.text, OutlineNode("scalar", key.start, key.end), True
        if value is not None and value.style != "nothing" and value.start <= offset <= value.end:
            return key.text, value, False
    for index, item in enumerate(node.items):
        if item.style != "nothing" and item.start <= offset <= item.end:
            return index, item, False
    return None


def _found(
    root: OutlineNode,
    way: list[str | int],
    nodes: list[OutlineNode],
    marked: WrittenScalar,
    offset: int,
    *,
    is_key: bool,
) -> OutlinePlace:
    index = marked.text.index(MARK)
    text = marked.text[:index] + marked.text[index + 1 :]
    starts = [one - (one > offset) for place, one in enumerate(marked.starts) if place != index]
    ends = [one - (one > offset) for place, one in enumerate(marked.ends) if place != index]
    end = marked.end - 1
    scalar = replace(marked, text=text, starts=starts, ends=ends, end=end)
    return OutlinePlace(root, tuple(way), tuple(nodes), is_key, scalar, index, marked.start, end)


def index_of(scalar: WrittenScalar, offset: int) -> int:
    """Return the index in a scalar's text of the character at an offset of the file."""
    return bisect_left(scalar.starts, offset)
