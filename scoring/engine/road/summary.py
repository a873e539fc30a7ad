"""The state from which the summary of a run is computed: mergeable counts and statistics.

A run keeps one such state and updates it with some thousands of records at a time, so its memory is that of its
metrics' states. Parts scored by other processes or machines are states, too, and merging them gives the same summary to
the bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.report import InputReport
from scoring.engine.road.census import Census
from scoring.engine.road.counts import (
    FieldTally,
    Reasons,
    count_reasons,
    field_table,
    reason_entries,
    record_counts,
    scored_share,
)
from scoring.engine.road.figures import CompiledMetric, Figures, FigureState, group_row, paths_of, with_reasons
from scoring.engine.road.text_forms import alike
from scoring.lang.places import PARSED, part_of
from scoring.outcomes import SCORED, UNPARSED, UNSCORED, FieldColumn, Outcomes, Results
from scoring.ranges import UNIT
from scoring.result import Outcome
from scoring.statistics.breakdown import BreakdownPart, attributes_of
from scoring.statistics.rows import ComparedSide, Rows, compared_column
from scoring.statistics.statistic import added, merged
from scoring.values import show_value


class ScopeState(Struct, frozen=True):
    """The counts and figures of a set of records: all of them, or one group of a breakdown."""

    counts: Mapping[str, int]
    figures: Sequence[FigureState]

    def merge(self, other: ScopeState) -> ScopeState:
        """Return the state over the records of both states."""
        figures = [one.merge(two) for one, two in zip(self.figures, other.figures, strict=True)]
        return ScopeState(added(self.counts, other.counts), figures)

    def reduced(self) -> ScopeState:
        """Return the state reduced to constant size."""
        return ScopeState(self.counts, [one.reduced() for one in self.figures])

    def pack(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"counts": dict(self.counts), "figures": [one.pack() for one in self.figures]}

    def unpack(self, data: Mapping[str, Any]) -> ScopeState:
        """Return the state from the plain data that `pack` returns; called on the state of no records."""
        figures = [one.unpack(state) for one, state in zip(self.figures, data["figures"], strict=True)]
        return ScopeState({str(name): int(count) for name, count in data["counts"].items()}, figures)

    def about(self) -> dict[str, Any]:
        """Return the entries of a summary that describe the records, other than figures: their counts and coverage."""
        return {"counts": dict(self.counts), "coverage": scored_share(self.counts)}


GroupState: TypeAlias = tuple[BreakdownPart, ScopeState]
"""A group of a breakdown, and the state over its records."""


class RunState(Struct, frozen=True):
    """The state over some records of a run.

    Args:
        whole: The state over all of them.
        groups: The state over each group of each breakdown, by the breakdown's name and the group's key.
        fields: The tally of each field.
        reasons: How often each reason for a missing score occurred.
        census: Observations about values, including how many records lack attributes or paths that the spec names.
    """

    whole: ScopeState
    groups: Mapping[str, Mapping[tuple[str, ...], GroupState]]
    fields: Mapping[str, FieldTally]
    reasons: Reasons
    census: Census = Census({})

    @classmethod
    def of(
        cls, task: CompiledTask, results: Results, records: Sequence[Mapping[str, Any]], census: Census | None = None
    ) -> RunState:
        """Return the state over some records.

        Args:
            task: The task that scored them.
            results: One result for each record.
            records: The records themselves, for metrics that read them; empty if none does.
            census: The census of their values, which the results need no longer contain.
        """
        own, fields = _counted(results)
        rows = _rows(task, results, own, fields, records)
        figures = figures_of(task)

        def group(part: BreakdownPart) -> GroupState:
            states = figures.states(rows.select(part.indices))
            return replace(part, indices=()), ScopeState(record_counts(results, own, part.indices), states)

        return cls(
            ScopeState(record_counts(results, own), figures.states(rows)),
            {name: {part.key: group(part) for part in figures.parts(rows, name)} for name in task.by},
            {name: FieldTally.of(column) for name, column in fields.items()},
            count_reasons(own.odd.values()),
            Census.of_table(task, rows, _expected_columns(task)).merge(census or Census({})),
        )

    def merge(self, other: RunState) -> RunState:
        """Return the state over the records of both parts."""

        def both(one: GroupState, two: GroupState) -> GroupState:
            return two[0], one[1].merge(two[1])

        return RunState(
            self.whole.merge(other.whole),
            {name: merged(mine, other.groups[name], both) for name, mine in self.groups.items()},
            merged(self.fields, other.fields, FieldTally.merge),
            self.reasons + other.reasons,
            self.census.merge(other.census),
        )

    def reduced(self) -> RunState:
        """Return the state reduced to a size that doesn't grow with the records: a figure with too many distinct units
        keeps their sums instead of the units, so that they can't be resampled."""
        groups = {
            name: {key: (part, scope.reduced()) for key, (part, scope) in scopes.items()}
            for name, scopes in self.groups.items()
        }
        return replace(self, whole=self.whole.reduced(), groups=groups)

    def pack(self) -> dict[str, Any]:
        """Return the state as plain data, from which `unpack` restores it on any machine.

        Raises:
            NotPortable: when a metric's statistic can't be packed.
        """
        return {
            "whole": self.whole.pack(),
            "groups": {
                name: [[list(part.group), scope.pack()] for part, scope in scopes.values()]
                for name, scopes in self.groups.items()
            },
            "fields": {name: tally.pack() for name, tally in self.fields.items()},
            "reasons": [[*why, count] for why, count in self.reasons.items()],
            "census": self.census.pack(),
        }

    @classmethod
    def unpack(cls, task: CompiledTask, data: Mapping[str, Any]) -> RunState:
        """Return the state from the plain data that `pack` returned for the same task.

        Raises:
            ValueError: when the data belong to another task or were changed.
        """
        empty = state_of_none(task)
        groups: dict[str, dict[tuple[str, ...], GroupState]] = {}
        for name in task.by:
            parts = [(BreakdownPart(tuple(group), ()), state) for group, state in data["groups"][name]]
            groups[name] = {part.key: (part, empty.unpack(state)) for part, state in parts}
        return cls(
            empty.unpack(data["whole"]),
            groups,
            {name: FieldTally.unpack(state) for name, state in data["fields"].items()},
            Counter({(status, reason): count for status, reason, count in data["reasons"]}),
            Census.unpack(data["census"]),
        )

    def summary(self, task: CompiledTask, report: InputReport) -> dict[str, Any]:
        """Return the summary as plain data, which is the same for any order of the records and any split into parts."""
        figures = figures_of(task)
        if self.whole.counts["records"]:
            self.census.report_to(task, report, self.whole.counts["records"])
            for name in task.by:
                _report_alike(name, self.groups[name].values(), report)
            for name in task.field_names:
                counts = self.fields[name].counts if name in self.fields else {"records": 0}
                if 0 < counts["records"] == counts["not_applicable"]:
                    report.add("idle_fields", name)

        def rows(name: str) -> list[dict[str, Any]]:
            found = sorted(self.groups[name].values(), key=lambda entry: entry[0].rank)
            return [group_row(name, part, scope.about(), figures.as_data(scope.figures)) for part, scope in found]

        return {
            "task": {"name": task.name, "version": task.version},
            "signature": task.signature,
            "seed": task.seed,
            "intervals": task.intervals.to_json(),
            **_reported_ranges(task),
            **({"better": task.better} if task.better != "higher" else {}),
            **self.whole.about(),
            "metrics": with_reasons(
                figures.as_data(self.whole.figures),
                task.metrics,
                lambda path: self.census.count("empty_paths", path) < self.whole.counts["records"],
                "record" if self.whole.counts["with_score"] else "",
            ),
            "fields": field_table(self.fields, task.field_names),
            "by": {name: rows(name) for name in task.by},
            "reasons": reason_entries(self.reasons),
            "inputs": report.to_json(),
        }


def metric_table(task: CompiledTask, results: Results, records: Sequence[Mapping[str, Any]]) -> Rows:
    """Return the table that the metrics of a task read, for some scored records."""
    return _rows(task, results, *_counted(results), records)


def _counted(results: Results) -> tuple[Outcomes, dict[str, FieldColumn]]:
    """Return the outcomes of the records and of their fields, with scores that are not finite numbers as missing."""
    fields = {name: replace(column, outcomes=column.outcomes.counted()) for name, column in results.fields.items()}
    return results.outcomes.counted(), fields


def _reported_ranges(task: CompiledTask) -> dict[str, Any]:
    """Return the summary's entry with the ranges of scores; empty if all are the unit interval."""
    reported = {name: interval.to_json() for name, interval in task.ranges.items() if interval != UNIT}
    fields = {name: ends for name, ends in reported.items() if name is not None}
    own = {"score": reported[None]} if None in reported else {}
    return {"ranges": {**own, "fields": fields}} if reported else {}


@lru_cache(maxsize=4)
def state_of_none(task: CompiledTask) -> ScopeState:
    """Return the state over no records of a task, which is computed once for all of its parts."""
    return RunState.of(task, Results.of([]), []).whole


def figures_of(task: CompiledTask) -> Figures:
    """Return the settings by which a task's figures are computed."""
    return Figures(task.metrics, task.intervals, task.seed)


def _attributes(task: CompiledTask) -> list[str]:
    """Return the names of the attributes used by breakdowns, clusters and strata, without duplicates."""
    names = (part for name in task.by for part in attributes_of(name))
    return list(dict.fromkeys((*names, *task.intervals.attributes)))


def _expected_columns(task: CompiledTask) -> list[tuple[str, str]]:
    """Return pairs of a kind of finding and an attribute or path that the spec names, to report if no record has it."""
    return [
        *(("empty_attributes", name) for name in _attributes(task)),
        *(("empty_paths", path) for path in dict.fromkeys(path for one in task.metrics for path in paths_of(one))),
    ]


def _report_alike(name: str, groups: Iterable[GroupState], report: InputReport) -> None:
    """Report groups whose names differ only in case, white space, invisible characters or Unicode form."""
    counts = {part.label: scope.counts["records"] for part, scope in groups}
    for found in alike(counts):
        names = " and ".join(f"{show_value(one)} ({counts[one]})" for one in found)
        report.add("alike_groups", f"by `{name}`: {names}", len(found))


def _rows(
    task: CompiledTask,
    results: Results,
    own: Outcomes,
    fields: Mapping[str, FieldColumn],
    records: Sequence[Mapping[str, Any]],
) -> Rows:
    """Return the table that the metrics read, with the outcomes ``own`` of records and a column for each field.

    A failure to which the spec's policy gives a score counts as scored.
    """
    size, passed = len(results), np.asarray(results.passed, dtype=np.uint8)
    names = _attributes(task)
    empty = np.full(size, np.nan)
    return Rows(
        results.ids,
        np.asarray(own.values, dtype=np.float64),
        statuses=_statuses(own),
        weights=np.asarray(results.weights),
        passed=_DECIDED[passed],
        fields={
            **dict.fromkeys(task.field_names, empty),
            **{name: np.asarray(column.outcomes.values) for name, column in fields.items()},
        },
        records=records,
        columns={
            **{name: [None] * size for name in names},
            **{name: results.attribute(name) for name in results.attributes},
            **_parsed_columns(task, results),
            **_compared_columns(task, results),
            **_value_columns(task, results),
        },
        column_of=task.column_of,
        ends={name: (interval.low, interval.high) for name, interval in task.ranges.items()},
    )


_DECIDED = np.array([0, 1, -1], dtype=np.int8)
"""The codes in metrics of records that fail, pass or are `UNDECIDED`, indexed by the codes in results."""


def reads_compared(task: CompiledTask) -> bool:
    """Return whether a metric reads parsed, compared or computed values, which must be kept for the figures."""
    return any(
        getattr(one, "reads_compared", False) or getattr(one, "parsed", None) or getattr(one, "values", None)
        for one in task.metrics
    )


def columns_read(task: CompiledTask, results: Results, records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns that a task's metrics read, other than scores, attributes, parsed answers and computed values.

    A run keeps them, so that its figures can be recomputed from its folder, for example over the records of two runs.
    """
    known = _attributes(task)  # from the task, since a record that could not be read has no attributes
    paths = [path for metric in task.metrics for path in _record_paths(metric) if path not in known]
    found = {path: task.column_of(path, records) for path in paths}
    is_compared = any(getattr(metric, "reads_compared", False) for metric in task.metrics)
    return {**found, **(_compared_columns(task, results) if is_compared else {})}


def _record_paths(metric: CompiledMetric) -> list[str]:
    """Return the paths that a metric reads in the records themselves, not in parsed or compared values."""
    join = getattr(metric, "join", None)
    settings = set() if join is None else {value for value in join.static.values() if isinstance(value, str)}
    compared = getattr(metric, "reads_compared", False)
    parsed = getattr(metric, "parsed", {})
    return [path for path in paths_of(metric) if path not in parsed and (not compared or path in settings)]


def _parsed_columns(task: CompiledTask, results: Results) -> dict[str, list[Any]]:
    """Return the columns, by path, that metrics read in the parsed answers."""
    readers = {path: read for one in task.metrics for path, read in getattr(one, "parsed", {}).items()}
    answers = results.parsed if results.parsed is not None else [None] * len(results)
    wrapped = [{PARSED: answer} for answer in answers] if readers else []
    return {path: list(map(read, wrapped)) for path, read in readers.items()}


def _value_columns(task: CompiledTask, results: Results) -> dict[str, list[Any]]:
    """Return the columns, by path, that metrics read in the spec's computed values."""
    found = {}
    for name, path in {name: path for one in task.metrics for name, path in getattr(one, "values", {}).items()}.items():
        key, *rest = path.segments
        column = _values(results.values.get(key), [None] * len(results))
        found[name] = [part_of(value, rest) for value in column] if rest else column
    return found


def _compared_columns(task: CompiledTask, results: Results) -> dict[str, list[Any]]:
    """Return the columns of both compared sides of each field, for metrics that read them; if there is only one field,
    its columns are also found without its name."""
    if not reads_compared(task):
        return {}
    nothing, found = [None] * len(results), {}
    for name in task.field_names:
        column = results.fields.get(name)
        sides = (None, None) if column is None else (column.predictions, column.references)
        for side, values in zip(_SIDES, sides, strict=True):
            compared = _values(values, nothing)
            for field in (name, None) if len(task.field_names) == 1 else (name,):
                found[compared_column(side, field)] = compared
    return found


_SIDES: tuple[ComparedSide, ComparedSide] = ("answer", "reference")


def _values(column: Sequence[Any] | None, nothing: list[Any]) -> list[Any]:
    if column is None:
        return nothing
    if Outcome not in set(map(type, column)):
        return list(column)
    return [None if type(value) is Outcome else value for value in column]


def _statuses(outcomes: Outcomes) -> Any:
    """Return a status byte for each record, as metrics expect: a failure with a score counts as scored."""
    statuses = np.asarray(outcomes.statuses, dtype=np.uint8)
    failed = (statuses == UNPARSED) | (statuses == UNSCORED)
    return np.where(failed & ~np.isnan(np.asarray(outcomes.values)), SCORED, statuses).astype(np.uint8)
