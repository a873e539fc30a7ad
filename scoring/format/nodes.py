"""What the readers make of a file: plain data in which every value knows where it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from scoring.diagnostics.source import Fragment, Span
from scoring.format.scalar_map import ends_in_source
from scoring.late import dataclass

ScalarStyle = Literal["plain", "single", "double", "literal", "folded", "json", "mapping", "list"]
Scalar = str | int | float | bool | None
SpecValue = dict[str, "SpecNode"] | list["SpecNode"] | Scalar


@dataclass(frozen=True, slots=True, eq=False)
class SpecNode:
    """A value and its place.

    Args:
        value: A mapping of text to nodes, a list of nodes, or a scalar.
        span: Where the value stands; for a YAML alias, where its anchor stands.
        key_span: Where the key stands that leads to it, if it is a mapping's entry.
        style: How a scalar is written.
        alias: Where the YAML alias stands that repeats an anchored value here.
    """

    value: SpecValue
    span: Span
    key_span: Span | None = None
    style: ScalarStyle = "plain"
    alias: Span | None = None

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping."""
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.value, list)

    @property
    def is_text(self) -> bool:
        """Whether it is a text."""
        return isinstance(self.value, str)

    @property
    def entries(self) -> dict[str, SpecNode]:
        """The entries of a mapping; nothing for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[SpecNode]:
        """The items of a list; nothing for any other value."""
        return self.value if isinstance(self.value, list) else []

    def get(self, key: str) -> SpecNode | None:
        """The entry of a mapping, or None."""
        return self.entries.get(key)

    def __getitem__(self, step: str | int) -> SpecNode:
        return self.items[step] if isinstance(step, int) else self.entries[step]

    def __contains__(self, key: object) -> bool:
        return key in self.entries

    def __iter__(self) -> Iterator[SpecNode]:
        return iter(self.items)

    def at(self, path: Iterable[str | int]) -> SpecNode:
        """Follow a path as far as it leads; where it ends early, the last value on the way."""
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
        """The same data without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    @property
    def kind(self) -> str:
        """What the value is, in words for a message: `a mapping`, `a list`, `text`, `a number` …"""
        return kind_of(self.value)

    def fragment(self) -> Fragment:
        """The text of a scalar with the map that leads from its characters to the file.

        A number or a truth value that stands where an expression is read gives the text as written.
        """
        if not isinstance(self.value, str):
            written = self.span.text
            return Fragment(
                written, self.span, range(self.span.start, self.span.end), range(self.span.start + 1, self.span.end + 1)
            )
        starts, ends = ends_in_source(self.value, self.span, self.style) or (None, None)
        return Fragment(self.value, self.span, starts, ends)

    def keyed(self, key_span: Span | None, alias: Span | None = None) -> SpecNode:
        """The same value under another key; `alias` says where it is repeated."""
        return SpecNode(self.value, self.span, key_span, self.style, alias or self.alias)


def kind_of(value: object) -> str:
    """What a plain value is, in words.

    Examples:
        >>> kind_of(True), kind_of([1]), kind_of("x")
        ('a truth value', 'a list', 'text')
    """
    if isinstance(value, bool):
        return "a truth value"
    if value is None:
        return "nothing"
    for type_, words in _KINDS:
        if isinstance(value, type_):
            return words
    return type(value).__name__


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    ((int, float), "a number"),
    (dict, "a mapping"),
    (list, "a list"),
)
