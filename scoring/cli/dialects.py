"""The dialect side of `scoring score`: the same answers under several scorers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, FINDINGS, UsageError
from scoring.data.rows.report import InputReport
from scoring.engine.road.batch import batches, score_items

if TYPE_CHECKING:
    from scoring.api.dialects import Compared
    from scoring.cli.data import Data
    from scoring.compiler.task import CompiledTask
    from scoring.data.rows.join import Item

_BATCH = 512


def show_dialects(task: CompiledTask, data: Data, options: argparse.Namespace, console: Console) -> int:
    """Print the mean under each dialect, and the records on which they differ.

    Raises:
        UsageError: when the task has several fields, so that it has no single answer to compare.
    """
    from scoring.api.dialects import compare_scorers, dialects_data, differing, scorers_named
    from scoring.cli.findings import show
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.report.of.dialects import dialects_document

    if len(task.field_names) != 1:
        raise UsageError(f"--dialects needs a task with a single answer; this one has {len(task.field_names)} fields")
    held = list(compared(task, data.items(task, InputReport())))
    try:
        found = compare_scorers(scorers_named(options.dialects), held)
    except SpecError as error:
        show(error.diagnostics, console, options.format)
        return FINDINGS
    result = dialects_data(found, held)
    if options.json:
        console.json(result)
    else:
        answers = {at: held[place].prediction for at, place in enumerate(differing(found))}
        console.show(dialects_document(result, answers), options.form)
    return CLEAN


def compared(task: CompiledTask, items: Iterable[Item]) -> Iterator[Compared]:
    """What the task compares: each parsed answer with its reference, where both are there."""
    from scoring.api.dialects import Compared

    for batch in batches(items, _BATCH):
        for item, result in zip(batch, score_items(task, batch), strict=True):
            part = result.fields.get(task.field_names[0])
            if part is None or part.prediction is None or part.reference is None:
                continue
            yield Compared(result.id, part.prediction, part.reference, task.row(item.record or {}))
