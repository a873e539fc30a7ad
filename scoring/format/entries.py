"""What stands in a file without keys of its own: imports by alias, examples of definitions and of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from scoring.diagnostics.source import Span
from scoring.format import forms
from scoring.format.keys import ValueForm
from scoring.format.nodes import SpecNode
from scoring.late import dataclass


@dataclass(frozen=True, slots=True)
class Import:
    """One entry of ``imports``: the alias and what it names."""

    alias: str
    target: str
    span: Span | None = None
    alias_span: Span | None = None


@dataclass(frozen=True, slots=True)
class SpecExample:
    """An example of a definition or a task, with what it is expected to give.

    ``keys`` are the places of its keys, and of those that it expects as `expect.name`.
    """

    data: Mapping[str, Any]
    expect: Any
    span: Span | None = None
    keys: Mapping[str, Span | None] = field(default_factory=dict)


IMPORTS = ValueForm(
    lambda kind: {
        "type": "object",
        "additionalProperties": {"type": "string", "minLength": 1},
        "propertyNames": forms.WORD,
    },
    lambda building, node: tuple(
        Import(alias, str(item.value), item.span, item.key_span) for alias, item in node.entries.items()
    ),
)
PAIRS = ValueForm(
    lambda kind: {"type": "array", "items": {"type": ["array", "object"]}},
    lambda building, node: tuple(_example(item) for item in forms.items_of(node)),
)
RECORDS = ValueForm(
    lambda kind: {"type": "array", "items": {"type": "object", "required": ["expect"]}},
    lambda building, node: tuple(_example(item) for item in forms.items_of(node)),
)


def _example(node: SpecNode) -> SpecExample:
    data = node.plain()
    if isinstance(data, list):
        names = ("prediction", "reference", "expect") if len(data) == 3 else ("prediction", "expect")
        data = dict(zip(names, data, strict=False))
    expected = node["expect"].entries if "expect" in node else {}
    places = {name: item.key_span for name, item in node.entries.items()}
    places |= {f"expect.{name}": item.key_span for name, item in expected.items()}
    given = {name: value for name, value in data.items() if name != "expect"}
    return SpecExample(given, data.get("expect"), node.span, places)
