"""A task over a whole data set: files in, figures, breakdowns, worst images and plots out, all plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.data.rows.report import InputReport
from scoring.data.sets.task import VisionTask
from scoring.engine.data_set.lines import image_results, worst
from scoring.engine.data_set.parts import Matched, matched_in_parts
from scoring.engine.data_set.read import DataSet
from scoring.engine.data_set.table import TableMetric
from scoring.engine.road.counts import FieldTally, count_reasons, coverage, field_table, listed, record_counts
from scoring.engine.road.evaluate import DIED
from scoring.engine.road.figures import Figures, note_empty, with_reasons
from scoring.format.intervals import Intervals
from scoring.outcomes import ABSENT, Outcomes, Results
from scoring.result import Outcome, RecordResult
from scoring.vision.plots import plots_of


@dataclass(frozen=True, slots=True)
class How:
    """How a data set is scored.

    Args:
        intervals: How confidence intervals are made.
        seed: The seed of everything that draws random numbers.
        processes: How many processes match; no figure depends on it.
    """

    intervals: Intervals = field(default_factory=Intervals)
    seed: int = 0
    processes: int = 1


@dataclass(frozen=True)
class VisionResult:
    """What a task found.

    Args:
        data: The summary, ready for JSON.
        plots: SVG by file name.
        records: One result for each image.
        places: Where each image stands in the data set.
    """

    data: dict[str, Any]
    plots: dict[str, str]
    records: Results = field(repr=False)
    places: Sequence[str] = field(repr=False)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric by its name."""
        return {metric["metric"]: metric["value"] for metric in self.data["metrics"]}


def evaluate_tables(task: VisionTask, metrics: Mapping[str, TableMetric], data: DataSet, how: How) -> VisionResult:
    """Score a data set that was read.

    Args:
        task: What the records are.
        metrics: Metrics by the text that shows them.
        data: The tables.
        how: Intervals and processes.
    """
    known = {key: matched_in_parts(metrics, images, how.processes) for key, images in data.keyed.items()}
    cluster = how.intervals.cluster
    names = [*task.by, *([cluster] if cluster else [])]
    places, results = image_results({key: found.images for key, found in known.items()}, task, names)
    lost = list(dict.fromkeys(uid for found in known.values() for uid in found.lost))
    places += [f"image {uid}" for uid in lost]
    columns = Results.of([*results, *(RecordResult(uid, Outcome.unscored(DIED)) for uid in lost)])
    keyed = {key: _key(task, found, key, columns, how) for key, found in known.items()}
    counts = record_counts(columns, columns.outcomes.counted())
    tallies = {name: FieldTally.of(column) for name, column in columns.fields.items()}
    report = InputReport()
    for name in data.unmapped:
        report.add("empty_labels", name)
    note_empty(lambda name: columns.attribute(name) if name in columns.attributes else (), task.by, cluster, report)
    summary = {
        "intervals": how.intervals.to_json(),
        "counts": counts,
        "coverage": coverage(counts),
        **_common(keyed, task.by),
        "fields": [_without_notes(row) for row in field_table(tallies, list(keyed))],
        "reasons": listed(count_reasons(columns.outcomes.odd.values())),
        "inputs": report.to_json(),
        "records": task.records,
        **data.info,
        "keys": {key: {**part, "by": _by_label(part["by"])} for key, part in keyed.items()},
    }
    return VisionResult(summary, _plots(keyed), columns, places)


def _key(task: VisionTask, known: Matched, key: str, results: Results, how: How) -> dict[str, Any]:
    """The figures of one label key, its groups and its worst images."""
    outcomes = results.fields[key].outcomes if key in results.fields else Outcomes.of(())
    own = [place for place, status in enumerate(outcomes.statuses) if status != ABSENT]
    figures = Figures(known.metrics, how.intervals, how.seed)

    def describe(places: Sequence[int]) -> Mapping[str, Any]:
        counts = record_counts(results, outcomes, [own[place] for place in places])
        return {"counts": counts, "coverage": coverage(counts)}

    return {
        "metrics": with_reasons(figures.of(known.images), known.metrics, lambda path: True, "image"),
        "by": {name: figures.by(known.images, name, describe) for name in task.by},
        "worst": worst(known.images.data, [(results.ids[place], outcomes[place]) for place in own], task.worst),
    }


def _common(keyed: Mapping[str, Mapping[str, Any]], by: Sequence[str]) -> dict[str, Any]:
    """Metrics and breakdowns as every kind of run has them; with several label keys, each under its key.

    Of a metric's details only single figures are repeated: the tables stand under `keys`.
    """
    before = {key: f"{key}/" if len(keyed) > 1 else "" for key in keyed}

    def short(row: Mapping[str, Any], key: str) -> dict[str, Any]:
        single = {name: value for name, value in row.get("details", {}).items() if type(value) in (int, float)}
        return {**row, "metric": f"{before[key]}{row['metric']}", "details": single}

    def shorter(group: Mapping[str, Any], key: str) -> dict[str, Any]:
        return {**group, "metrics": [short(row, key) for row in group["metrics"]]}

    return {
        "metrics": [short(row, key) for key, part in keyed.items() for row in part["metrics"]],
        "by": {
            f"{before[key]}{name}": [shorter(group, key) for group in part["by"][name]]
            for key, part in keyed.items()
            for name in by
        },
    }


def _by_label(breakdowns: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The metrics of each group by its name."""
    return {name: {_word(group["group"]): group["metrics"] for group in groups} for name, groups in breakdowns.items()}


def _word(group: Any) -> str:
    if group is None:
        return "(none)"
    return str(group).lower() if isinstance(group, bool) else str(group)


def _without_notes(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of fields; what images are made of stands beside each image, and is not counted by its words."""
    return {name: value for name, value in row.items() if name != "notes"}


def _plots(keyed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Plots of the whole data set by file name."""
    plots: dict[str, str] = {}
    for key, part in keyed.items():
        for number, metric in enumerate(part["metrics"], start=1):
            for name, text in plots_of(metric.get("details", {})).items():
                plots[f"{_file_name(key)}_{number}_{name}.svg"] = text
    return plots


def _file_name(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in text)[:40] or "label"
