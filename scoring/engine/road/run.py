"""One run: records scored, summed up, and written to a folder when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scoring.data.rows.join import Item
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Lane, Options, evaluate
from scoring.engine.road.judging import JudgeAccount
from scoring.engine.road.protocol import CompiledMetric, RecordScorer
from scoring.engine.road.summary import summarise
from scoring.engine.runs.folder import ScoreWriter
from scoring.outcomes import Results

OnProgress: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class RowRun:
    """The results of a task on a data set.

    Args:
        task: What scored the records.
        records: One result for each record, in the order of the data; held as columns, made when asked for.
        summary: Metrics, counts, fields and breakdowns as plain data.
        places: Where each record stands in the input.
    """

    task: RecordScorer
    records: Results
    summary: Mapping[str, Any]
    places: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Scored:
    """All records of one lane, scored.

    Args:
        places: Where each stands in the input.
        results: The results.
        records: The records themselves, where a metric may look at them.
    """

    places: list[str]
    results: Results
    records: list[Mapping[str, Any]]


def score_lanes(
    lanes: Sequence[Lane], *, options: Options, writer: ScoreWriter | None = None, on_progress: OnProgress | None = None
) -> list[Scored]:
    """Score the items of every lane.

    Args:
        lanes: The tasks with their records.
        options: Processes and batches; nothing that can change a number.
        writer: Gets each record as it is scored.
        on_progress: Told how many records are done, now and then.
    """
    records: list[list[Mapping[str, Any]]] = [[] for _ in lanes]
    keeping = [
        Lane(lane.task, _kept(lane.items, held), lane.label) if reads_records(lane.task) else lane
        for lane, held in zip(lanes, records, strict=True)
    ]
    places: list[list[str]] = [[] for _ in lanes]
    parts: list[list[Results]] = [[] for _ in lanes]
    done = 0
    for stretch in evaluate(keeping, options):
        places[stretch.lane] += stretch.places
        parts[stretch.lane].append(stretch.results)
        if writer is not None and stretch.lines is not None:
            writer.write(stretch.lines)
        done += len(stretch.places)
        if on_progress is not None:
            on_progress(done)
    return [Scored(*found) for found in zip(places, map(Results.join, parts), records, strict=True)]


def run_items(
    task: RecordScorer,
    items: Iterable[Item],
    *,
    options: Options | None = None,
    report: InputReport | None = None,
    writer: ScoreWriter | None = None,
    on_progress: OnProgress | None = None,
) -> RowRun:
    """Score items and sum up.

    Args:
        task: The compiled task.
        items: The records.
        options: Processes and batches; nothing that can change a number.
        report: What was odd about the input, filled while ``items`` is read.
        writer: Gets each record as it is scored.
        on_progress: Told how many records are done, now and then.
    """
    account = JudgeAccount(getattr(task, "asks_judge", False))
    lane = Lane(task, items)
    (scored,) = score_lanes([lane], options=options or Options(), writer=writer, on_progress=on_progress)
    summary = {**summarise(task, scored.results, scored.records, report or InputReport()), **account.summary()}
    return RowRun(task, scored.results, summary, scored.places)


def reads_records(task: RecordScorer) -> bool:
    """Whether a metric or a breakdown may look at the records themselves, which must then be kept in memory."""
    return any(metric_reads_records(metric) for metric in task.metrics)


def metric_reads_records(metric: CompiledMetric) -> bool:
    """Whether a metric may look at the records; only those that declare to read scores alone are known not to."""
    program = getattr(metric, "program", None)
    join = getattr(program, "join", None)
    return join is None or join.primitive.reads != "scores"


def _kept(items: Iterable[Item], records: list[Mapping[str, Any]]) -> Iterator[Item]:
    """The items, with their records set aside for metrics that read them."""
    for item in items:
        records.append(item.record or {})
        yield item
