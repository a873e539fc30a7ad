"""The parts of a summary that only suites have: groups, breakdowns and the table of their tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report.document import DocumentBlock, DocumentTable, Piece, TableColumn
from scoring.report.of.summary import (
    ELSEWHERE,
    breakdown_table,
    breakdowns,
    common_scale,
    headline_of,
    summary_blocks,
    tag,
)

MAX_TASKS = 20
SIZES = ("tasks", "records")


def suite_blocks(summary: Mapping[str, Any], task_tags: Sequence[frozenset[str]]) -> Iterator[DocumentBlock]:
    """Yield the blocks of a suite's summary; `task_tags` are the tags by which each task is selected on a page."""
    sizes = [counted(summary["counts"][key], key[:-1]) for key in SIZES]
    figures = [headline_of(metric, "tasks") for metric in summary["metrics"]]
    # Why a task has no score stands beside it.
    plain = {**summary, "task": summary["suite"], "reasons": ()}
    return summary_blocks(plain, sizes, figures, _tables(summary, tuple(task_tags)))


def _tables(summary: Mapping[str, Any], tags: tuple[frozenset[str], ...]) -> Iterator[DocumentTable]:
    """Yield the tables of groups, of breakdowns by attributes that a task has, and of tasks; if space is short, for a
    large suite only the tasks without a score are shown."""
    if summary["groups"]:
        yield breakdown_table("group", "Groups", summary["groups"], "group", SIZES)
    shown = {name: groups for name, groups in summary["by"].items() if any(one["group"] is not None for one in groups)}
    yield from breakdowns({"by": shown}, SIZES)
    tasks = summary["tasks"]
    small = len(tasks) <= MAX_TASKS
    lacking = [task for task in tasks if task["score"] is None]
    if not small and lacking:
        yield _task_table("task without a score", "Tasks without a score", lacking, MAX_TASKS, ())
    if tasks:
        yield _task_table("task", "Tasks", tasks, MAX_TASKS if small else 0, tags)


def _task_table(
    head: str, title: str, tasks: Sequence[Mapping[str, Any]], brief: int, tags: tuple[frozenset[str], ...]
) -> DocumentTable:
    table = DocumentTable.of(
        tasks,
        (TableColumn(head, width=40), lambda task: Piece(task["task"], picks=tag("task", task["task"]))),
        (TableColumn("records", "count"), "records"),
        (TableColumn("coverage", "share"), "coverage"),
        (TableColumn("score", "number", bar=True, scale=common_scale([task.get("range") for task in tasks])), "score"),
        (TableColumn("", width=60), "reason"),
        title=title,
        brief=brief,
        rest=ELSEWHERE,
        tags=tags,
        search=True,
    )
    return table.without_empty()
