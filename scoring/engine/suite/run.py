"""One run of a suite: every record scored by its task, task results joined, all of it in one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.data.rows.report import InputReport
from scoring.data.strict_json import dumps_pretty
from scoring.engine.road.evaluate import Lane, Options
from scoring.engine.road.going_on import Keeper
from scoring.engine.road.judging import JudgeAccount
from scoring.engine.road.run import OnProgress, Scored, score_lanes
from scoring.engine.runs.folder import TASK_RESULTS, ScoreWriter
from scoring.engine.suite.exports import exported
from scoring.engine.suite.items import TaskItems
from scoring.engine.suite.model import Suite, SuiteTask
from scoring.engine.suite.results import TaskResult, results_json
from scoring.engine.suite.summary import summarise_suite
from scoring.outcomes import Results


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
    records: Mapping[str, Results] = field(default_factory=dict, repr=False)
    places: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)


def suite_files(run: SuiteRun) -> dict[str, str]:
    """The files of a suite's folder that no other run has: task results, and the layouts of others, by name."""
    exports = (exported(layout, run.summary) for layout in run.suite.exports)
    return {TASK_RESULTS: dumps_pretty(results_json(run.tasks)), **{name: dumps_pretty(data) for name, data in exports}}


def run_suite(
    suite: Suite,
    tasks: Sequence[TaskItems],
    *,
    options: Options | None = None,
    report: InputReport | None = None,
    writer: ScoreWriter | None = None,
    on_progress: OnProgress | None = None,
    keeper: Keeper | None = None,
) -> SuiteRun:
    """Score the records of every task and sum up.

    Args:
        suite: The compiled suite.
        tasks: The records of each task.
        options: Processes and batches; nothing that can change a number.
        report: What was odd about the data.
        writer: Gets each record with its task, as it is scored.
        on_progress: Told how many records are done, now and then.
        keeper: Keeps what stands of the run.
    """
    account = JudgeAccount(suite.asks_judge)
    lanes = [Lane(part.task.compiled, part.items, part.task.name) for part in tasks]
    options = options or Options()
    scored = score_lanes(lanes, options=options, writer=writer, on_progress=on_progress, keeper=keeper)
    report = report or InputReport()
    results = tuple(_task_result(part.task, found, report) for part, found in zip(tasks, scored, strict=True))
    summary = {**summarise_suite(suite, results, report), **account.summary()}
    names = [part.task.name for part in tasks]
    return SuiteRun(
        suite,
        results,
        summary,
        {name: found.results for name, found in zip(names, scored, strict=True)},
        {name: found.places for name, found in zip(names, scored, strict=True)},
    )


def _task_result(task: SuiteTask, scored: Scored, report: InputReport) -> TaskResult:
    found = scored.summary(InputReport())
    for kind in ("empty_paths", "empty_fields", "idle_fields"):
        for name in found["inputs"].get(kind, {}).get("examples", ()):
            report.add(kind, f"{task.name}: {name}")
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
    """The suite's figures from task results alone.

    Args:
        suite: How results are joined.
        results: The task results.
        report: What was odd about them.
    """
    report = report or InputReport()
    for result in results:
        if not suite.reading.knows(result.name):
            report.add("tasks_without_attributes", result.name)
    names = {result.name for result in results}
    for name in suite.reading.table or ():
        if name not in names:
            report.add("attributes_without_task", name)
    return SuiteRun(suite, tuple(results), summarise_suite(suite, results, report))
