"""The nodes that the readers create from a file: plain data with the exact span of every value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from scoring.diagnostics.source import Fragment, Span

ScalarStyle = Literal["plain", "single", "double", "literal", "folded", "json", "mapping", "list"]
Scalar = str | int | float | bool | None
SpecValue = dict[str, "SpecNode"] | list["SpecNode"] | Scalar


class SpecNode(Struct, frozen=True, eq=False):
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
        quote = 1 if self.style in ("single", "double", "json") else 0
        start, end = self.span.start + quote, self.span.end - quote
        if self.style not in ("literal", "folded") and self.span.source.text[start:end] == self.value:
            return Fragment(self.value, self.span, range(start, end), range(start + 1, end + 1))
        from scoring.format.scalar_places import ends_in_source

        starts, ends = ends_in_source(self.value, self.span.source.text, start, end, self.style) or (None, None)
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
