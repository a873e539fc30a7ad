"""Run an opened suite on data: what `scoring.api.running` does for tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scoring.api.opening import Opened
from scoring.api.paths import check_paths
from scoring.api.run import Run, Stretched
from scoring.api.running import RunInProgress
from scoring.api.sources import GivenData
from scoring.data.rows.batch import LOOKED_AT
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Lane, counted_nulls
from scoring.errors import InputError
from scoring.extensions.pages.records import tags_of
from scoring.extensions.suites.model import Suite, in_group
from scoring.extensions.suites.results import read_results, task_table, tasks_of
from scoring.extensions.suites.run import SuiteRun, TaskRecords, read_tasks, recompute, run_suite, suite_files
from scoring.registry.extension import service
from scoring.report.of.summary import tag


def score_suite(way: RunInProgress) -> Run:
    """Score the records of every task of a suite, or compute the suite from its file of task results; return the run.

    Args:
        way: The run to perform: the opened suite, the given data, and the options.

    Raises:
        InputError: when a file can't be read, or no record is of any task.
    """
    suite, report = _suite_in(way.opened), InputReport()
    if suite.results is not None:
        done = recompute(suite, read_results(suite.results, report), report)
        return _suite_run(suite, done, (), way.given.specs)
    tasks, files = suite_records(way.opened, way.given, report)
    size = sum(len(task.batch) for task in tasks)
    if not size:
        raise InputError("the data holds no record of any task of the suite")
    done = run_suite(
        suite,
        tasks,
        options=way.options.options(suite.asks_judge),
        report=report,
        writer=way.line_writer(),
        on_progress=way.options.progress_callback(lambda count: count / size),
        keeper=way.keeper([file for _, file in files]),
    )
    return _suite_run(suite, done, tasks, way.inputs(files))


def suite_lanes(opened: Opened, given: GivenData, report: InputReport) -> list[Lane]:
    """Return each task of an opened suite with its records in the given data, as lanes (tasks to be scored in one run);
    `report` receives remarks on the data.

    Raises:
        InputError: when a file can't be read.
    """
    tasks, _ = suite_records(opened, given, report)
    return [Lane(one.task.compiled, [one.batch], one.task.name) for one in tasks]


def _suite_in(opened: Opened) -> Suite:
    assert isinstance(opened.target, Suite)
    return opened.target


def suite_records(
    opened: Opened, given: GivenData, report: InputReport
) -> tuple[list[TaskRecords], list[tuple[str, Any]]]:
    """Read the records of each task of an opened suite from the given data and check the first ones; return the tasks
    with their records, and the role and file of each input. `report` receives remarks on the data."""
    tasks, files = read_tasks(_suite_in(opened), given.data, given.references, report)
    if given.limit is not None:
        tasks = [replace(task, batch=task.batch[: given.limit]) for task in tasks]
    sources = [file for _, file in files]
    for task in tasks:
        deque(counted_nulls(task.task.compiled, sources, [task.batch], report), 0)
        first = task.batch[:LOOKED_AT]
        records = first.whole()
        check_paths(task.task.compiled, records)
        service("turned-columns", "a suite")(task.task.compiled, sources, records, report)
        given.foretell(task.task.compiled, first)
    return tasks, list(files)


def _suite_run(suite: Suite, done: SuiteRun, tasks: Sequence[TaskRecords], inputs: Sequence[Mapping[str, Any]]) -> Run:
    def responses(wanted: set[int]) -> dict[int, Any]:
        items = [(part.task.compiled, record) for part in tasks for record in part.batch.records]
        return {place: items[place][0].reader_of("response")(items[place][1]) for place in wanted}

    parts = tuple(Stretched(name, done.places[name], results) for name, results in done.records.items())
    files, tags = suite_files(done), _task_tags(done)
    return Run(suite, "suite", done.summary, parts, files, inputs, tags=tags, responses=responses)


def _task_tags(done: SuiteRun) -> list[frozenset[str]]:
    """Return, for each task of a suite in the order of the summary, the labels of the groups and breakdowns that the
    task is in."""
    ordered = tasks_of(done.suite, done.tasks)
    broken_down = tags_of(done.suite.spec.by, task_table(ordered).column, len(ordered))
    return [
        tags | {tag("group", name) for name, group in done.suite.groups.items() if in_group(group, task.attributes)}
        for task, tags in zip(ordered, broken_down, strict=True)
    ]
