"""Scoring a task over a whole data set: from files to figures, breakdowns, worst images and plots, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, structs

from scoring.data.rows.report import InputReport
from scoring.engine.road.counts import (
    FieldTally,
    count_reasons,
    field_table,
    reason_entries,
    record_counts,
    scored_share,
)
from scoring.engine.road.evaluate import DIED
from scoring.engine.road.figures import Figures, note_empty, with_reasons
from scoring.engine.road.pool import T, in_processes
from scoring.engine.road.text_forms import alike
from scoring.extensions.vision.arrays import Ints
from scoring.extensions.vision.data_set.lines import image_results, worst
from scoring.extensions.vision.data_set.pictures import picture_sections
from scoring.extensions.vision.data_set.table import DataSet, ImageMetric, Images, TableMetric
from scoring.extensions.vision.files.task import VisionTask
from scoring.extensions.vision.metrics.statistic import MetricState, VisionStatistic
from scoring.format.sections import Intervals
from scoring.outcomes import ABSENT, Outcomes, Results
from scoring.report.document import Section
from scoring.result import Outcome, RecordResult
from scoring.statistics.breakdown import group_word
from scoring.statistics.statistic import Statistic
from scoring.values import show_value

Answer: TypeAlias = "tuple[list[int], list[MetricState | None]]"
"""The images that were lost, and for each metric the kept result for the others."""


class How(Struct, frozen=True):
    """The settings of a run over a data set: confidence intervals, seed, and number of processes."""

    intervals: Intervals = Intervals()
    seed: int = 0
    processes: int = 1


@dataclass(frozen=True)
class VisionResult:
    """The result of scoring a data set.

    Args:
        data: The summary, ready for JSON.
        records: One result for each image.
        places: The location of each image in the data set, in words.
        pictures: Returns the images with the lowest scores as blocks of a page, with what was found on them.
    """

    data: dict[str, Any]
    records: Results = field(repr=False)
    places: Sequence[str] = field(repr=False)
    pictures: Callable[[], Iterable[Section]] = field(repr=False, compare=False)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric by its name."""
        return {metric["metric"]: metric["value"] for metric in self.data["metrics"]}


def evaluate_tables(task: VisionTask, metrics: Mapping[str, TableMetric], data: DataSet, how: How) -> VisionResult:
    """Return the result of scoring a data set: its figures, breakdowns, worst images, plots, and a result per image."""
    known = {key: matched_in_parts(metrics, images, how.processes) for key, images in data.keyed.items()}
    cluster = how.intervals.cluster
    names = [*task.by, *([cluster] if cluster else [])]
    columns = image_results({key: found.images for key, found in known.items()}, task, names)
    places = [f"image {number}" for number in range(1, len(columns) + 1)]
    if lost := list(dict.fromkeys(uid for found in known.values() for uid in found.lost)):
        places += [f"image {uid}" for uid in lost]
        columns = Results.join([columns, Results.of([RecordResult(uid, Outcome.unscored(DIED)) for uid in lost])])
    keyed = {key: _key(task, found, key, columns, how) for key, found in known.items()}
    counts = record_counts(columns, columns.outcomes.counted())
    # The counts that make up an image's score are shown with the image, and not tallied like other notes.
    tallies = {
        name: FieldTally.of(structs.replace(column, outcomes=replace(column.outcomes, odd={})))
        for name, column in columns.fields.items()
    }
    report = _odd(data)
    note_empty(lambda name: columns.attribute(name) if name in columns.attributes else (), task.by, cluster, report)
    summary = {
        "intervals": how.intervals.to_json(),
        "counts": counts,
        "coverage": scored_share(counts),
        **_common(keyed, task.by),
        "fields": field_table(tallies, list(keyed)),
        "reasons": reason_entries(count_reasons(columns.outcomes.odd.values())),
        "inputs": report.to_json(),
        "records": task.records,
        **data.info,
        "keys": {key: {**part, "by": _by_label(part["by"])} for key, part in keyed.items()},
    }
    worst_of = {key: [one["id"] for one in part["worst"]] for key, part in keyed.items()}
    return VisionResult(summary, columns, places, partial(picture_sections, task, data, worst_of, task.pictures))


def _odd(data: DataSet) -> InputReport:
    """Return a report on suspicious labels of a data set: names in the label map that the data lacks, and labels that
    look alike.
    """
    report = InputReport()
    for name in data.unmapped:
        report.add("empty_labels", name)
    for key, images in data.keyed.items():
        labels = images.data.labels
        for found in alike(labels if isinstance(labels, tuple) else labels.names):
            report.add("alike_labels", f"`{key}`: {' and '.join(map(show_value, found))}", len(found))
    return report


def _key(task: VisionTask, known: Matched, key: str, results: Results, how: How) -> dict[str, Any]:
    """Return the figures under one label key: of all images, of each group of a breakdown, and the list of the worst
    images.

    Args:
        task: The settings of the data set.
        known: The images and metrics.
        key: The label key.
        results: The results of all images.
        how: The settings of the run.
    """
    outcomes = results.fields[key].outcomes if key in results.fields else Outcomes.of(())
    own = [index for index, status in enumerate(outcomes.statuses) if status != ABSENT]
    figures = Figures(known.metrics, how.intervals, how.seed)

    def describe(indexes: Sequence[int]) -> Mapping[str, Any]:
        counts = record_counts(results, outcomes, [own[index] for index in indexes])
        return {"counts": counts, "coverage": scored_share(counts)}

    return {
        "metrics": with_reasons(figures.of(known.images), known.metrics, lambda path: True, "image"),
        "by": {name: figures.by(known.images, name, describe) for name in task.by},
        "worst": worst(known.images.data, [(results.ids[index], outcomes[index]) for index in own], task.worst),
    }


def _common(keyed: Mapping[str, Mapping[str, Any]], by: Sequence[str]) -> dict[str, Any]:
    """Return the metrics and breakdowns of all label keys, under `metrics` and `by`, the entries that summaries of all
    kinds of tasks have; with several keys, names begin with the key and a slash.

    Of a metric's details only single numbers are included, no tables or curves.

    Args:
        keyed: The figures under each label key, as `_key` returns them.
        by: The names of the breakdowns.
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
    """Return, for each breakdown, the metrics of each group by the group's name."""
    return {
        name: {group_word(group["group"]): group["metrics"] for group in groups} for name, groups in breakdowns.items()
    }


# ---- parts of the images, matched in several processes


class Matched(Struct, frozen=True):
    """The images that can be scored, the metrics, including results that other processes have already computed, and
    the ids of images on which a process crashed (`lost`).
    """

    images: Images
    metrics: list[ImageMetric]
    lost: list[Any]


def matched_in_parts(metrics: Mapping[str, TableMetric], images: Images, processes: int) -> Matched:
    """Compute the mergeable results of the metrics in several processes, each for a part of the images, and return the
    metrics with these results.

    With one process nothing is computed in advance: a returned metric is then computed when it is called.

    Raises:
        RuntimeError: when several processes are requested and the system can't fork.
    """
    if processes <= 1 or len(images) < 2:
        return Matched(images, [ImageMetric(text, metric) for text, metric in metrics.items()], [])

    def work(indexes: Sequence[int]) -> list[Answer]:
        part = images.data.part(np.array(indexes, dtype=np.int64))
        statistics = [metric(part) for metric in metrics.values()]
        return [([], [found.metric_state if isinstance(found, VisionStatistic) else None for found in statistics])]

    def lost(indexes: Sequence[int]) -> list[Answer]:
        return [(list(indexes), [])]

    parts: list[Ints] = np.array_split(np.arange(len(images)), min(len(images), 2 * processes))
    jobs = (part.tolist() for part in parts)
    answers = list(chain.from_iterable(in_processes(work, jobs, lost=lost, apart=halves, processes=processes)))
    gone = {index for indexes, _ in answers for index in indexes}
    rest = images.select([index for index in range(len(images)) if index not in gone]) if gone else images
    columns = list(zip(*(states for indexes, states in answers if not indexes), strict=True)) or [()] * len(metrics)
    bound = [
        _known(text, metric, rest, states) for (text, metric), states in zip(metrics.items(), columns, strict=True)
    ]
    return Matched(rest, bound, [images.ids[index] for index in sorted(gone)])


def _known(text: str, metric: TableMetric, images: Images, states: Sequence[MetricState | None]) -> ImageMetric:
    """Return a metric with the merged results of the processes already computed; if the results can't be merged, the
    returned metric is computed when it is called.

    Args:
        text: The metric's expression.
        metric: The metric.
        images: All images.
        states: The result of each process; None for one that can't be merged.
    """
    empty: Statistic = metric(images.data.part(np.zeros(0, dtype=np.int64)))
    known = [part for part in states if part is not None]
    if not isinstance(empty, VisionStatistic) or not known:
        return ImageMetric(text, metric)
    return ImageMetric(text, metric, {images.data: empty.with_metric_state(_merged(known))})


def _merged(parts: list[MetricState]) -> MetricState:
    """Return the state merged from those of all parts, at least one, by repeatedly merging pairs of neighbours."""
    while len(parts) > 1:  # in pairs, so that most states are copied only a few times
        pairs = [parts[start : start + 2] for start in range(0, len(parts), 2)]
        parts = [pair[0].merge(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


def halves(items: Sequence[T]) -> list[Sequence[T]]:
    """Return a list split into two halves, for `in_processes`; an empty list if it has only one item.

    Examples:
        >>> halves([1, 2, 3]), halves([1])
        ([[1], [2, 3]], [])
    """
    middle = len(items) // 2
    return [items[:middle], items[middle:]] if middle else []
