"""A single run of a suite: reads the rows of each task, scores them, and joins the task results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.json_write import dumps_pretty
from scoring.data.rows.batch import Batch, single
from scoring.data.rows.join import join_by_id
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row, blocks_of
from scoring.engine.road.evaluate import Lane
from scoring.engine.road.run import Driven, score_lanes
from scoring.engine.runs.folder import TASK_RESULTS
from scoring.extensions.suites.exports import exported
from scoring.extensions.suites.model import Suite, SuiteTask
from scoring.extensions.suites.results import TaskResult, summarise_suite
from scoring.outcomes import Results
from scoring.registry.effect import accounts


class TaskRecords(Struct, frozen=True):
    """One task of a suite with its records."""

    task: SuiteTask
    batch: Batch


def read_tasks(
    suite: Suite, data: Any, references: Any, report: InputReport
) -> tuple[list[TaskRecords], list[tuple[str, Any]]]:
    """Return the records of every task, in the order of the suite, and the files that they come from with their roles.

    The data is a folder with a file for each task, one file for all of them, or a table in memory. Separate references
    have one of these forms, too, and are joined by id within each task. `report` receives remarks on the data.

    Raises:
        InputError: when a file can't be read.
    """
    names = [task.name for task in suite.tasks]
    rows, files = suite.layout.read(data, names, report)
    gold, more = (None, []) if references is None else suite.layout.read(references, names, report)
    roles = [("records" if references is None else "predictions", file) for file in files]
    found = [
        _of_task(task, rows.get(task.name, []), None if gold is None else gold.get(task.name, []), report)
        for task in suite.tasks
    ]
    return found, [*roles, *(("references", file) for file in more)]


def _of_task(task: SuiteTask, rows: Sequence[Row], gold: Sequence[Row] | None, report: InputReport) -> TaskRecords:
    """Return the records of a task, joined with its references, each with the values that all of them share.

    Args:
        task: The task.
        rows: The rows of its data.
        gold: The rows of its references; None if they are not separate.
        report: Receives oddities, such as a task without data.
    """

    def identify(record: Mapping[str, Any]) -> Any:
        return task.compiled.record_id({**task.shared, **record})

    def ids_of(records: Sequence[Mapping[str, Any]]) -> list[Any]:
        return list(map(identify, records))

    if gold is None:
        batch = Batch.join(list(single(blocks_of(rows), ids_of, report)))
    else:
        batch = Batch.of(join_by_id(rows, gold, identify, report))
    if not batch:
        report.add("tasks_without_data", task.name)
    if task.shared:
        records = [None if record is None else _with_shared(record, task.shared) for record in batch.records]
        batch = replace(batch, records=records)
    return TaskRecords(task, batch)


def _with_shared(record: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its task's shared values added; only values other than None override them."""
    return {**shared, **{key: value for key, value in record.items() if value is not None or key not in shared}}


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The results of a run of a suite: those of each task, the summary, and, by task name, the results of the records
    and the records' places in the input."""

    suite: Suite
    tasks: tuple[TaskResult, ...]
    summary: Mapping[str, Any]
    records: Mapping[str, Results] = field(default_factory=dict, repr=False)
    places: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)


def suite_files(run: SuiteRun) -> dict[str, str]:
    """Return the content, by name, of the files that only runs of suites have: task results and exports."""
    exports = (exported(layout, run.summary) for layout in run.suite.spec.export)
    data = {TASK_RESULTS: [result.to_json() for result in run.tasks], **dict(exports)}
    return {name: dumps_pretty(content) for name, content in data.items()}


def run_suite(
    suite: Suite, tasks: Sequence[TaskRecords], *, report: InputReport | None = None, **how: Unpack[Driven]
) -> SuiteRun:
    """Score the records of every task of a suite, and return the results with the summary.

    Args:
        suite: The suite.
        tasks: Its tasks with their records.
        report: Receives remarks on the data.
        how: The arguments of `score_lanes`, such as options and a progress callback.
    """
    used = accounts(suite.recipe.uses)
    scored = score_lanes([Lane(part.task.compiled, [part.batch], part.task.name) for part in tasks], **how)
    by_task = {part.task.name: found for part, found in zip(tasks, scored, strict=True)}
    summaries = {name: found.summary(InputReport()) for name, found in by_task.items()}
    done = run_of_summaries(suite, summaries, report or InputReport())
    return dataclasses.replace(
        done,
        summary={**done.summary, **used()},
        records={name: found.results for name, found in by_task.items()},
        places={name: found.places for name, found in by_task.items()},
    )


def run_of_summaries(suite: Suite, summaries: Mapping[str, Mapping[str, Any]], report: InputReport) -> SuiteRun:
    """Return the results of a suite, given the summary of each of its tasks by name; `report` receives their remarks on
    the data."""
    tasks = (task for task in suite.tasks if task.name in summaries)
    results = tuple(_task_result(task, summaries[task.name], report) for task in tasks)
    return SuiteRun(suite, results, summarise_suite(suite, results, report))


def _task_result(task: SuiteTask, found: Mapping[str, Any], report: InputReport) -> TaskResult:
    for kind, oddity in found["inputs"].items():
        if kind not in ("empty_attributes", "partial_attributes"):  # a suite looks for these among its tasks
            report.take({kind: {**oddity, "examples": [f"{task.name}: {one}" for one in oddity["examples"]]}})
    headline, reasons = found["metrics"][0], found["reasons"]
    value = headline["value"]
    why = None if value is not None else reasons[0]["reason"] if reasons else headline.get("reason", "no data")
    return TaskResult(
        task.name,
        value,
        found["counts"]["records"],
        0,
        why,
        found["coverage"],
        task.attributes,
        found["metrics"],
        found["counts"],
        task.compiled.signature,
    )


def recompute(suite: Suite, results: Sequence[TaskResult], report: InputReport | None = None) -> SuiteRun:
    """Return the results of a suite, with the summary, computed from task results without any records; tasks without
    attributes and attributes without a task are added to `report`."""
    report = report or InputReport()
    for result in results:
        if not suite.reading.knows(result.name):
            report.add("tasks_without_attributes", result.name)
    names = {result.name for result in results}
    for name in suite.reading.table or ():
        if name not in names:
            report.add("attributes_without_task", name)
    return SuiteRun(suite, tuple(results), summarise_suite(suite, results, report))
