"""One run: records scored, summed up, and written to a folder when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from scoring.data.rows.join import Item
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Evaluated, Options, evaluate
from scoring.engine.road.judging import JudgeAccount
from scoring.engine.road.protocol import CompiledMetric, CompiledTask
from scoring.engine.road.summary import summarise
from scoring.engine.runs.folder import MANIFEST, SUMMARY, RunFolder, ScoreWriter
from scoring.engine.runs.manifest import manifest
from scoring.result import RecordResult

OnProgress: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a task on a data set.

    Args:
        task: What scored the records.
        records: One result for each record, in the order of the data.
        summary: Metrics, counts, fields and breakdowns as plain data.
        places: Where each record stands in the input.
    """

    task: CompiledTask
    records: tuple[RecordResult, ...]
    summary: Mapping[str, Any]
    places: tuple[str, ...] = field(default=(), repr=False)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric by its name."""
        return {metric["metric"]: metric["value"] for metric in self.summary["metrics"]}

    @property
    def signature(self) -> str:
        """Everything that can change the numbers, in one line."""
        return self.task.signature

    def write(self, path: str | Path, *, force: bool = False, layout: str = "jsonl") -> Path:
        """Write the run folder.

        Args:
            path: The folder; it must be missing or empty.
            force: Replace an older run.
            layout: ``jsonl`` or ``parquet``.

        Raises:
            InputError: when the folder is not free.
        """
        folder = RunFolder(Path(path), force)
        with folder:
            with folder.scores(layout) as writer:
                for where, result in zip(self.places, self.records, strict=True):
                    writer.write(where, result)
            finish(folder, self.task, self.summary, inputs=[])
        return folder.path


def run_items(
    task: CompiledTask,
    items: Iterable[Item],
    *,
    options: Options | None = None,
    report: InputReport | None = None,
    writer: ScoreWriter | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """Score items and sum up.

    Args:
        task: The compiled task.
        items: The records.
        options: Processes and batches; nothing that can change a number.
        report: What was odd about the input, filled while ``items`` is read.
        writer: Gets each record as it is scored.
        on_progress: Told how many records are done, now and then.
    """
    options = options or Options()
    account = JudgeAccount(getattr(task, "asks_judge", False))
    records: list[Mapping[str, Any]] = []
    results: list[RecordResult] = []
    places: list[str] = []
    for done, scored in enumerate(evaluate(task, _kept(items, records, options), options), start=1):
        results.append(scored.result)
        places.append(scored.where)
        if writer is not None:
            _write(writer, scored)
        if on_progress is not None and (options.threads > 1 or not done % 64):
            on_progress(done)
    summary = {**summarise(task, results, records, report or InputReport()), **account.summary()}
    return Run(task, tuple(results), summary, tuple(places))


def run_records(task: CompiledTask, records: Iterable[Mapping[str, Any]], *, options: Options | None = None) -> Run:
    """Score records that are already in memory."""
    items = (
        Item(task.record_id(record), f"record {number}", dict(record)) for number, record in enumerate(records, start=1)
    )
    return run_items(task, items, options=options)


def reads_records(task: CompiledTask) -> bool:
    """Whether a metric or a breakdown may look at the records themselves, which must then be kept in memory."""
    return any(metric_reads_records(metric) for metric in task.metrics)


def metric_reads_records(metric: CompiledMetric) -> bool:
    """Whether a metric may look at the records; only those that declare to read scores alone are known not to."""
    program = getattr(metric, "program", None)
    join = getattr(program, "join", None)
    return join is None or join.primitive.reads != "scores"


def finish(
    folder: RunFolder,
    task: CompiledTask,
    summary: Mapping[str, Any],
    inputs: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write the summary and the manifest of a run."""
    folder.write_json(SUMMARY, summary)
    folder.write_json(MANIFEST, manifest(task, inputs, settings))


def _kept(items: Iterable[Item], records: list[Mapping[str, Any]], options: Options) -> Iterator[Item]:
    """The items, with their records set aside for metrics that read them."""
    for item in items:
        if options.keep_records:
            records.append(item.record or {})
        yield item


def _write(writer: ScoreWriter, scored: Evaluated) -> None:
    if scored.line is not None:
        writer.write_line(scored.line)
    else:
        writer.write(scored.where, scored.result)
