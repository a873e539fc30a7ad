"""The records of a suite: rows of each task, joined to their references where these stand apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.data.rows.join import Item, join, single
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Row
from scoring.engine.suite.model import Suite, SuiteTask


@dataclass(frozen=True, slots=True)
class TaskItems:
    """The records of one task."""

    task: SuiteTask
    items: tuple[Item, ...]


def read_items(
    suite: Suite, data: Any, references: Any, report: InputReport
) -> tuple[list[TaskItems], list[tuple[str, Any]]]:
    """The records of every task, in the order of the suite, and the files they come from with their roles.

    Args:
        suite: The compiled suite.
        data: A folder with a file for each task, one file of all of them, or a table in memory.
        references: References that stand apart, in either form; joined by id within each task.
        report: Told what was odd.

    Raises:
        InputError: when a file can't be read.
    """
    names = [task.name for task in suite.tasks]
    rows, files = suite.layout.read(data, names, report)
    roles = [("records" if references is None else "predictions", file) for file in files]
    if references is None:
        return [_of_task(task, rows.get(task.name, []), report) for task in suite.tasks], roles
    gold, more = suite.layout.read(references, names, report)
    found = [_joined(task, rows.get(task.name, []), gold.get(task.name, []), report) for task in suite.tasks]
    return found, [*roles, *(("references", file) for file in more)]


def _of_task(task: SuiteTask, rows: Iterable[Row], report: InputReport) -> TaskItems:
    return _shared(task, single(rows, _identify(task), report), report)


def _joined(task: SuiteTask, rows: Iterable[Row], gold: Iterable[Row], report: InputReport) -> TaskItems:
    return _shared(task, join(rows, gold, _identify(task), report), report)


def _identify(task: SuiteTask) -> Callable[[Mapping[str, Any]], Any]:
    return lambda record: task.compiled.record_id({**task.shared, **record})


def _shared(task: SuiteTask, items: Iterable[Item], report: InputReport) -> TaskItems:
    """The task's items, each with what all records of the task share."""
    held = tuple(items)
    if not held:
        report.add("tasks_without_data", task.name)
    if task.shared:
        held = tuple(
            item if item.record is None else item._replace(record={**task.shared, **_given(item.record, task.shared)})
            for item in held
        )
    return TaskItems(task, held)


def _given(record: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """What a record says; a key that holds nothing does not hide what its task shares."""
    return {key: value for key, value in record.items() if value is not None or key not in shared}


def total(tasks: Sequence[TaskItems]) -> int:
    """How many records there are."""
    return sum(len(task.items) for task in tasks)
