"""The keys of suites: their tasks, the rows of their data, the attributes of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from scoring.diagnostics.source import Span
from scoring.format import forms, front_ends
from scoring.format.forms import PATH, TEXT, list_of, map_of, named, section
from scoring.format.keys import ReadsValues, ValueForm, key
from scoring.format.nodes import SpecNode
from scoring.late import dataclass


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """An entry of a suite's ``tasks``: a spec file, a folder of tasks, or a file of tasks."""

    path: str = key(PATH, "The file or folder, relative to this spec.", required=True)
    dialect: str | None = key(
        named(front_ends.dialects), "Whose names foreign files use; as for the whole suite.", default=None
    )
    only: tuple[str, ...] | None = key(list_of(TEXT), "The names of the tasks to keep.", default=None)
    attributes: Mapping[str, Any] = key(forms.ANY_MAPPING, "Attributes of all these tasks.", default=dict)
    only_span: Span | None = None


@dataclass(frozen=True, slots=True)
class TaskRows:
    """How the rows of a data file belong to tasks."""

    task: str | None = key(PATH, "Where a row names its task.", default=None)
    records: str | None = key(PATH, "Where a row holds a list of records, if it is no record.", default=None)


@dataclass(frozen=True, slots=True)
class TaskAttributes:
    """Where the attributes of tasks come from."""

    path: str | None = key(PATH, "The file, relative to this spec.", default=None)
    read: Mapping[str, str] = key(map_of(PATH), "Further attributes, as JMESPaths into those of a task.", default=dict)


_ENTRY = forms.either(PATH, section(TaskEntry), lambda path: TaskEntry(path))


def _entry(building: ReadsValues, node: SpecNode) -> TaskEntry:
    found: TaskEntry = _ENTRY.read(building, node)
    only = node.get("only") if node.is_mapping else None
    return found if only is None else replace(found, only_span=only.span)


TASKS = ValueForm(
    lambda kind: {
        "type": ["array", "string", "object"],
        "if": {"type": "array"},
        "then": {"minItems": 1, "items": _ENTRY.schema(kind)},
        "else": _ENTRY.schema(kind),
    },
    lambda building, node: tuple(map(partial(_entry, building), forms.items_of(node))),
    _ENTRY.inside,
)
