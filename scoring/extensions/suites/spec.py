"""The keys of suites: many tasks with their joint aggregation and breakdowns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import shown
from scoring.extensions.suites.exports import layouts
from scoring.format import forms
from scoring.format.definitions import SpecFile
from scoring.format.forms import PATH, TEXT, items_of, list_of, map_of, plugin_name_form, section, text_of
from scoring.format.front_ends import dialects
from scoring.format.keys import ReadsValues, SpecPart, ValueForm, key
from scoring.format.measures import BetterFigure, MetricEntry
from scoring.format.model import BETTER, BETTER_MEANING
from scoring.format.nodes import SpecNode
from scoring.format.sections import Intervals
from scoring.lang.places import segments_of


class TaskEntry(SpecPart, frozen=True):
    """An entry of a suite's ``tasks``: the path of a spec file, a folder of tasks, or a file of tasks, the names of the
    tasks to keep (`only`, by default all), and attributes that are given to all of them."""

    path: str = key(PATH, "The file or folder, relative to this spec.", moves="compiled", required=True)
    dialect: str | None = key(
        plugin_name_form(dialects),
        "The pack whose names files of other tools use; by default that of the whole suite.",
        moves="compiled",
        default=None,
    )
    only: tuple[str, ...] | None = key(list_of(TEXT), "The names of the tasks to keep.", moves="compiled", default=None)
    attributes: Mapping[str, Any] = key(
        forms.ANY_MAPPING, "Attributes of all these tasks.", moves="compiled", default=dict
    )
    only_span: Span | None = None
    dialect_span: Span | None = None


def _places(building: ReadsValues, node: SpecNode) -> str:
    """Return a path, or several, of which the first with a value counts, as one JMESPath."""
    texts = {text_of(item): item.span for item in items_of(node)}
    for text, span in texts.items():
        if segments_of(text) is None:
            help_text = "a path is names, members and positions; of several in a list the first with a value counts"
            raise SpecError.of("bad-path", f"{shown(text)} is no path", span, help=help_text)
    return " || ".join(texts)


PLACES = ValueForm(
    lambda kind: {
        "type": ["string", "array"],
        "minLength": 1,
        "minItems": 1,
        "items": {"type": "string", "minLength": 1},
    },
    _places,
)
"""The form of the places of a value in rows: a path, or several, of which the first with a value counts."""


class TaskRows(SpecPart, frozen=True):
    """The paths by which rows of a data file are assigned to a suite's tasks: that of the task's name in a row
    (`task`), and that of a row's list of records, for rows that are not records themselves (`records`)."""

    task: str | None = key(PLACES, "Where a row names its task: a path, or several.", moves="path", default=None)
    records: str | None = key(
        PLACES,
        "Where a row holds a list of records, if it is not a record itself: a path, or several.",
        moves="path",
        default=None,
    )


class TaskAttributes(SpecPart, frozen=True):
    """The sources of the attributes of a suite's tasks: the path of a file, and paths into other attributes, by the
    names of the attributes that they define (`read`)."""

    path: str | None = key(PATH, "The file, relative to this spec.", moves="compiled", default=None)
    read: Mapping[str, str] = key(
        map_of(PATH), "Further attributes, as paths into those of a task.", moves="compiled", default=dict
    )


_ENTRY = forms.short_or_long(PATH, section(TaskEntry), lambda path: TaskEntry(path))


def _entry(building: ReadsValues, node: SpecNode) -> TaskEntry:
    found: TaskEntry = _ENTRY.read(building, node)
    only, dialect = (node.get(name) if node.is_mapping else None for name in ("only", "dialect"))
    return replace(found, only_span=_span_of(only), dialect_span=_span_of(dialect))


def _span_of(node: SpecNode | None) -> Span | None:
    return None if node is None else node.span


_TASKS = ValueForm(
    lambda kind: {
        "type": ["array", "string", "object"],
        "if": {"type": "array"},
        "then": {"minItems": 1, "items": _ENTRY.schema(kind)},
        "else": _ENTRY.schema(kind),
    },
    lambda building, node: tuple(map(partial(_entry, building), forms.items_of(node))),
    _ENTRY.inside,
)


_GROUPS = forms.plain_form({"type": "object", "additionalProperties": {"type": "object"}})


class SuiteSpec(SpecFile, frozen=True, kw_only=True):
    """Many tasks with their joint aggregation and breakdowns."""

    tasks: tuple[TaskEntry, ...] = key(
        _TASKS, "Where the tasks are: spec files, folders of tasks, JSONL files of tasks.", moves="compiled", default=()
    )
    dialect: str | None = key(
        plugin_name_form(dialects),
        "The pack that gives the names in files of other tools their meaning; by default the one given to the command.",
        moves="compiled",
        default=None,
    )
    score: MetricEntry | None = key(
        forms.METRIC,
        "A task's score over its records; by default the first of the task's own metrics.",
        moves="compiled",
        default=None,
    )
    rows: TaskRows = key(
        section(TaskRows),
        "How the rows of a data file are assigned to tasks.",
        moves="inside",
        name="data",
        default=TaskRows,
    )
    attributes: TaskAttributes = key(
        forms.short_or_long(PATH, section(TaskAttributes), lambda path: TaskAttributes(path)),
        "A file of task attributes by task name, or its path with what is read from it.",
        moves="compiled",
        default=TaskAttributes,
    )
    groups: Mapping[str, Mapping[str, Any]] = key(
        _GROUPS,
        "Groups of tasks: each attribute that they must have, with its value or values; by default core and open.",
        moves="compiled",
        default=dict,
    )
    metrics: tuple[MetricEntry, ...] = key(
        list_of(forms.METRIC),
        "Metrics over the tasks, the headline first; by default `macro` and `micro`.",
        moves="compiled",
        default=(),
    )
    better: Mapping[str, BetterFigure] = key(BETTER, BETTER_MEANING, moves="nothing", default=dict)
    by: tuple[str, ...] = key(
        list_of(PATH),
        "Task attributes of the breakdowns; a list counts in each of its groups.",
        moves="nothing",
        default=(),
    )
    intervals: Intervals = key(
        section(Intervals),
        "How confidence intervals over the tasks are computed, also by `scoring compare`.",
        moves="inside",
        default=Intervals,
    )
    results: str = key(
        TEXT,
        "A file of task results; the suite is then computed from it, and no task is scored.",
        moves="nothing",
        default="",
    )
    export: tuple[str, ...] = key(
        list_of(plugin_name_form(layouts)),
        "Further files for the run folder, in the layouts of other tools.",
        moves="nothing",
        default=(),
    )

    @property
    def expressions(self) -> tuple[MetricEntry | None, ...]:
        """The metrics over the tasks, and the score of a task."""
        return (*self.metrics, self.score)
