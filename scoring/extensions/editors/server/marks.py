"""Every name in a spec's text with what it means there; a text that is half written has most of its names, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from scoring.extensions.editors.facts import metric_fact, step_fact
from scoring.extensions.editors.names import DEFINING, SpecNames
from scoring.extensions.editors.outline import OutlineKey, OutlineNode
from scoring.extensions.editors.place import KeyPath
from scoring.extensions.editors.roles import Expected, expected_at
from scoring.lang.tree import ROOTS
from scoring.lazy_pattern import lazy_pattern

MarkKind: TypeAlias = Literal[
    "key",
    "definition",
    "field",
    "value",
    "alias",
    "parameter",
    "step",
    "argument",
    "path",
    "text",
    "number",
    "constant",
]
_TOKEN = lazy_pattern(
    r"""(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"""
    r"""|(?P<name>[^\W\d][\w-]*(?:[./][^\W\d]\w*)*)(?P<sets>\s*=(?!=))?"""
)
_CONSTANTS = frozenset({"true", "false", "null", "and", "or", "not", "in", "score"})
_MOST_NODES, _MOST_MARKS = 20_000, 50_000


class NameMark(Struct, frozen=True):
    """A name at a place of a text.

    Attributes:
        kind: What it is.
        name: The name, without the alias of its pack.
        start: The offset at which it begins.
        end: The offset behind it.
        alias: The alias of the pack that has it; "" for a name of the file itself.
        owner: Of a parameter the definition that has it.
        is_declared: Whether it is declared here.
    """

    kind: MarkKind
    name: str
    start: int
    end: int
    alias: str = ""
    owner: str = ""
    is_declared: bool = False

    @property
    def meaning(self) -> tuple[str, str, str, str]:
        """What it means within its file: equal for two marks of one thing."""
        return self.kind, self.name, self.alias, self.owner


def marks_in(names: SpecNames) -> list[NameMark]:
    """Return the names in a spec's text, in order."""
    found = [mark for _, mark in zip(range(_MOST_MARKS), _marks(names), strict=False)]
    return sorted(found, key=lambda one: (one.start, one.end))


def _marks(names: SpecNames) -> Iterator[NameMark]:
    waiting: list[tuple[KeyPath, OutlineNode]] = [((), names.root)]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        path, node = waiting.pop()
        if node.style == "scalar":
            expected = expected_at(names, path)
            if expected is not None and expected.role != "record path":
                yield from _in_expression(names, expected, node)
            continue
        for key, value in node.entries:
            yield _of_key(names, path, key)
            if value is not None and len(path) < 12:
                waiting.append(((*path, key.text), value))
        if len(path) < 12:
            waiting += [((*path, number), item) for number, item in enumerate(node.items)]


def _of_key(names: SpecNames, path: KeyPath, key: OutlineKey) -> NameMark:
    quoted = 1 if key.end - key.start == len(key.text) + 2 else 0
    start, end = key.start + quoted, key.end - quoted
    here = path[0] if len(path) == 1 else ""
    if here in DEFINING and (here != "metrics" or names.kind == "pack"):
        return NameMark("definition", key.text, start, end, is_declared=True)
    kinds: dict[str | int, MarkKind] = {"fields": "field", "values": "value", "imports": "alias"}
    if here in kinds:
        return NameMark(kinds[here], key.text, start, end, is_declared=True)
    if len(path) == 3 and path[0] in DEFINING and path[2] == "params":
        return NameMark("parameter", key.text, start, end, owner=str(path[1]), is_declared=True)
    if len(path) == 3 and path[0] == "examples" and path[2] == "expect" and key.text in names.fields:
        return NameMark("field", key.text, start, end)
    expected = expected_at(names, (*path, key.text)) if path else None
    if expected is not None and len(path) >= expected.length and expected.role != "record path":
        found = _named(names, expected, key.text, start, end)
        if found is not None and found.kind in ("step", "definition"):
            return found
    return NameMark("key", key.text, start, end)


def _in_expression(names: SpecNames, expected: Expected, node: OutlineNode) -> Iterator[NameMark]:
    scalar = node.scalar
    if scalar is None:
        return
    for found in _TOKEN.finditer(scalar.text):
        kind = found.lastgroup if found.lastgroup != "sets" else "name"
        group = "name" if kind == "name" else str(kind)
        start, end = found.span(group)
        begin, stop = scalar.offset(start), scalar.ends[end - 1] if end <= len(scalar.ends) else scalar.end
        if kind in ("text", "number"):
            yield NameMark("text" if kind == "text" else "number", found[group], begin, stop)
        elif found["sets"]:
            yield NameMark("argument", found["name"], begin, stop)
        else:
            word = found["name"]
            if "-" in word and _named(names, expected, word, begin, stop) is None:
                yield from _subtracted(names, expected, word, begin)
                continue
            mark = _named(names, expected, word, begin, stop)
            if mark is not None:
                yield mark


def _subtracted(names: SpecNames, expected: Expected, word: str, begin: int) -> Iterator[NameMark]:
    """Yield the names in a formula such as `a-b`, which no name is."""
    for part in word.split("-"):
        mark = _named(names, expected, part, begin, begin + len(part)) if part else None
        if mark is not None:
            yield mark
        begin += len(part) + 1


def _named(names: SpecNames, expected: Expected, word: str, start: int, end: int) -> NameMark | None:
    head, dot, rest = word.partition(".")
    if word in _CONSTANTS and word not in names.definitions:
        return NameMark("constant", word, start, end)
    if dot and head == "values" and (name := rest.partition(".")[0]) in names.values:
        return NameMark("value", name, start + len("values."), start + len("values.") + len(name))
    if head in ROOTS and (dot or head not in names.values):
        return NameMark("path", word, start, end)
    if dot and head in names.targets:
        name = rest.partition(".")[0]
        begin = start + len(head) + 1
        pack = names.imports.get(head)
        is_value = pack is not None and name in pack.values and name not in pack.definitions
        return NameMark("value" if is_value else "definition", name, begin, begin + len(name), alias=head)
    owner = expected.definition
    if owner is not None and word in owner.params:
        return NameMark("parameter", word, start, end, owner=owner.name)
    # A definition that wraps a primitive of its own name means the primitive inside of it.
    wraps = owner is not None and owner.name == word and step_fact(word) is not None
    if word in names.definitions and not wraps:
        return NameMark("definition", word, start, end)
    if head in names.values:
        return NameMark("value", head, start, start + len(head))
    if word in names.fields:
        return NameMark("field", word, start, end)
    is_step = step_fact(word) is not None or metric_fact(word) is not None
    return NameMark("step", word, start, end) if is_step else None
