"""The dialect side of `scoring score`: the same answers under every function that is called ANLS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.engine.batch import batches, score_items
from scoring.engine.inputs.report import InputReport

if TYPE_CHECKING:
    from scoring.cli.data import Data
    from scoring.compiler.task import CompiledTask
    from scoring.engine.inputs.join import Item

_BATCH = 512


def show_dialects(task: CompiledTask, data: Data, console: Console) -> int:
    """Print the mean under each dialect, and how many answers it scores otherwise than the published definition.

    Raises:
        UsageError: when the task has several fields, so that it has no single answer to compare.
    """
    from scoring.report.dialects import dialects_table
    from scoring.report.table import table

    if len(task.field_names) != 1:
        raise UsageError(f"--dialects needs a task with a single answer; this one has {len(task.field_names)} fields")
    rows = dialects_table(pairs(task, data.items(task, InputReport())))
    console.print(table(rows, ["dialect", "", "mean", "differing"], right=[2, 3], style=console.style))
    return CLEAN


def pairs(task: CompiledTask, items: Iterable[Item]) -> Iterator[tuple[Any, list[str]]]:
    """What the task compares: each parsed answer with its references, as far as both are there and the latter text."""
    for batch in batches(items, _BATCH):
        for result in score_items(task, batch):
            part = result.fields.get(task.field_names[0])
            if part is None or part.prediction is None:
                continue
            references = part.reference if isinstance(part.reference, list) else [part.reference]
            texts = [reference for reference in references if isinstance(reference, str)]
            if texts:
                yield part.prediction, texts
