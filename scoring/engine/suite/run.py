"""One run of a suite: every record scored by its task, task results joined, all of it in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from scoring.data.rows.join import Item
from scoring.data.rows.report import InputReport
from scoring.data.strict_json import dumps
from scoring.engine.road.batch import unscored
from scoring.engine.road.evaluate import Options, evaluate
from scoring.engine.road.judging import JudgeAccount
from scoring.engine.road.run import reads_records
from scoring.engine.road.summary import summarise
from scoring.engine.runs.folder import RunFolder
from scoring.engine.runs.record_line import record_data, record_line
from scoring.engine.suite.dispatch import Dispatcher, wrapped
from scoring.engine.suite.folder import finish_suite
from scoring.engine.suite.items import TaskItems
from scoring.engine.suite.model import Suite, SuiteTask
from scoring.engine.suite.oddities import SuiteReport
from scoring.engine.suite.results import TaskResult
from scoring.engine.suite.summary import summarise_suite
from scoring.result import RecordResult

OnProgress: TypeAlias = Callable[[int], None]
OnLine: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The results of a suite.

    Args:
        suite: What was run.
        tasks: One result for each task, in the order of the suite.
        summary: Means, groups and breakdowns as plain data.
        records: The results of the records by task; empty when the suite was computed from task results.
        places: Where each record stands in the input, by task.
    """

    suite: Suite
    tasks: tuple[TaskResult, ...]
    summary: Mapping[str, Any]
    records: Mapping[str, Sequence[RecordResult]] = field(default_factory=dict, repr=False)
    places: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric over all tasks by its name."""
        return {metric["metric"]: metric["value"] for metric in self.summary["metrics"]}

    @property
    def signature(self) -> str:
        """Everything that can change the numbers, in one line."""
        return self.suite.signature

    def write(self, path: str | Path, *, force: bool = False, inputs: Sequence[Mapping[str, Any]] = ()) -> Path:
        """Write the run folder.

        Args:
            path: The folder; it must be missing or empty.
            force: Replace an older run.
            inputs: The input files as the manifest names them.

        Raises:
            InputError: when the folder is not free.
        """
        folder = RunFolder(Path(path), force)
        with folder:
            if self.records:
                with folder.scores() as writer:
                    for task, results in self.records.items():
                        for where, result in zip(self.places[task], results, strict=True):
                            writer.write_line(dumps({"task": task, **record_data(where, result)}))
            finish_suite(folder, self, inputs)
        return folder.path


def run_suite(
    suite: Suite,
    tasks: Sequence[TaskItems],
    *,
    options: Options | None = None,
    report: SuiteReport | None = None,
    on_line: OnLine | None = None,
    on_progress: OnProgress | None = None,
) -> SuiteRun:
    """Score the records of every task and sum up.

    A record that must not be scored follows its own task's policy for failures.

    Args:
        suite: The compiled suite.
        tasks: The records of each task.
        options: Processes and batches; nothing that can change a number.
        report: What was odd about the data.
        on_line: Gets each record as a line of JSON with its task, as it is scored.
        on_progress: Told how many records are done, now and then.
    """
    options = options or Options(lines=on_line is not None)
    compiled = {part.task.name: part.task.compiled for part in tasks}
    account = JudgeAccount(suite.asks_judge)
    dispatcher = Dispatcher(suite.name, suite.version, suite.signature, compiled)
    scored: dict[str, list[RecordResult]] = {name: [] for name in compiled}
    places: dict[str, list[str]] = {name: [] for name in compiled}
    pairs = [(part.task, item) for part in tasks for item in part.items]
    stream = evaluate(dispatcher, _wrapped(pairs), options)
    for done, ((task, item), one) in enumerate(zip(pairs, stream, strict=True), start=1):
        result = one.result if item.problem is None else unscored(task.compiled, item, item.problem)
        scored[task.name].append(result)
        places[task.name].append(item.where)
        if on_line is not None:
            known = one.line if item.problem is None else None
            on_line(_with_task(task.name, known or record_line(item.where, result)))
        if on_progress is not None and (options.threads > 1 or not done % 64):
            on_progress(done)
    results = tuple(_task_result(part, scored[part.task.name]) for part in tasks)
    summary = {**summarise_suite(suite, results, report or SuiteReport()), **account.summary()}
    return SuiteRun(suite, results, summary, scored, places)


def _with_task(task: str, line: str) -> str:
    """A record's line of JSON with its task as the first key."""
    return f'{{"task":{dumps(task)},{line[1:]}'


def _wrapped(pairs: Sequence[tuple[SuiteTask, Item]]) -> Iterator[Item]:
    for task, item in pairs:
        record = wrapped(task.name, item.record or {})
        yield Item(item.id, item.where, record, item.problem)


def _task_result(part: TaskItems, results: Sequence[RecordResult]) -> TaskResult:
    task = part.task
    records = [item.record or {} for item in part.items] if reads_records(task.compiled) else []
    found = summarise(task.compiled, results, records, InputReport())
    value = found["metrics"][0]["value"]
    reasons = found["reasons"]
    why = None if value is not None else reasons[0]["reason"] if reasons else "no data"
    return TaskResult(
        task.name,
        value,
        len(results),
        0,
        why,
        found["coverage"],
        task.attributes,
        found["metrics"],
        found["counts"],
        task.compiled.signature,
    )


def recompute(suite: Suite, results: Sequence[TaskResult], report: SuiteReport | None = None) -> SuiteRun:
    """The suite's figures from task results alone.

    Args:
        suite: How results are joined.
        results: The task results.
        report: What was odd about them.
    """
    report = report or SuiteReport()
    for result in results:
        if not suite.reading.knows(result.name):
            report.add("tasks_without_attributes", result.name)
    names = {result.name for result in results}
    for name in suite.reading.table or ():
        if name not in names:
            report.add("attributes_without_task", name)
    return SuiteRun(suite, tuple(results), summarise_suite(suite, results, report))
