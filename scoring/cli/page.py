"""The page `report.html` of a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scoring.report.of.records import lowest, tag, tags_of, unread
from scoring.report.of.summary import summary_document
from scoring.report.render import render
from scoring.result import RecordResult

if TYPE_CHECKING:
    from scoring.cli.data import Data
    from scoring.compiler.task import CompiledTask
    from scoring.engine.suite.items import TaskItems
    from scoring.engine.suite.run import SuiteRun

PAGE = "report.html"


def page(
    summary: Mapping[str, Any], records: Sequence[RecordResult] = (), responses: Mapping[int, Any] | None = None
) -> str:
    """The page of a run: its summary, and the records with the lowest scores."""
    return render(summary_document(summary, records, responses), "html")


def read_again(task: CompiledTask, data: Data, records: Sequence[RecordResult]) -> dict[int, Any]:
    """The raw responses of the shown records that did not parse; read again, since a run does not keep them."""
    from scoring.data.rows.report import InputReport

    wanted = _wanted(records)
    read = task.reader_of("response")
    items = enumerate(data.items(task, InputReport())) if wanted else ()
    return {place: read(item.record) for place, item in items if place in wanted and item.record is not None}


def suite_page(done: SuiteRun, parts: Sequence[TaskItems]) -> str:
    """The page of a suite: its figures, its tasks, and of all their records those with the lowest scores."""
    pairs = [(part.task, item) for part in parts for item in part.items]
    records = [result for part in parts for result in done.records[part.task.name]]
    responses = {
        place: pairs[place][0].compiled.reader_of("response")(pairs[place][1].record) for place in _wanted(records)
    }
    tasks = [task.name for task, _ in pairs]
    return render(summary_document(done.summary, records, responses, tasks, _task_tags(done)), "html")


def _task_tags(done: SuiteRun) -> list[frozenset[str]]:
    """The groups and breakdowns that each task of a suite is picked by."""
    from scoring.engine.suite.summary import task_table, tasks_of

    ordered = tasks_of(done.suite, done.tasks)
    members = [
        {tag("group", name) for name, group in done.suite.groups.items() if group.holds(task.attributes)}
        for task in ordered
    ]
    broken_down = tags_of(done.suite.by, task_table(ordered).column, len(ordered))
    return [tags | members[place] for place, tags in enumerate(broken_down)]


def _wanted(records: Sequence[RecordResult]) -> set[int]:
    return {place for place in lowest(records) if unread(records[place])}
