"""Nulls of columns, where a spec says that null is a value: columns have it for what was not there, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.data.plain import without_nulls
from scoring.data.rows.join import Item
from scoring.data.rows.memory import shape_of
from scoring.data.rows.report import InputReport


def counted_nulls(
    task: CompiledTask, sources: Iterable[Any], items: Iterable[Item], report: InputReport
) -> Iterable[Item]:
    """The same items; those whose response or reference holds null are counted, if columns may have put it there.

    Args:
        task: What they are for.
        sources: The tables that they come from.
        items: The records.
        report: Told of them.
    """
    is_filled = any(shape_of(source) != "records" for source in sources)
    return _counted(task, items, report) if is_filled and task.spec.on_null == "value" else items


def _counted(task: CompiledTask, items: Iterable[Item], report: InputReport) -> Iterator[Item]:
    read = [(part, task.reader_of(part)) for part in ("response", "reference")]
    for item in items:
        for part, value in ((part, reader(item.record)) for part, reader in read if item.record is not None):
            if value is None or without_nulls(value) != value:
                report.add("column_nulls", f"{part} ({item.where})")
        yield item
