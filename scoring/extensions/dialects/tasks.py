"""Score the same records by several tasks that share a name in the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from scoring.api.opening import open_spec
from scoring.api.sources import GivenData
from scoring.compiler.programs.columns import in_parts
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import score_batch
from scoring.extensions.dialects.scores import Compared, DialectScores, scores_against_first


def opened_tasks(names: Iterable[str], reader: CompiledTask | None = None) -> dict[str, CompiledTask]:
    """Return the tasks of some names, compiled, by name.

    Args:
        names: The names of tasks, such as ``squad@2``.
        reader: A task of the user's own that states where its records have their parts, which then holds for all.

    Raises:
        SpecError: when no task has such a name, or a task reads a key of which the reader says nothing.
    """
    record = reader.spec.data.get("record") if reader is not None else None
    return {name: open_spec(_read_at(name, record)).task for name in names}


def _read_at(name: str, record: Any) -> str | dict[str, Any]:
    if not record:
        return name
    return {"kind": "task", "name": name.partition("@")[0], "extends": name, "record": record}


def compare_tasks(
    tasks: Mapping[str, CompiledTask], docs: Mapping[str, str], given: GivenData
) -> tuple[list[DialectScores], list[Compared]]:
    """Return the scores that each task gives the records, and the records; the first task is the baseline.

    Args:
        tasks: The tasks by name.
        docs: The description of each by name.
        given: The records, opened.
    """
    columns: dict[str, list[float | None]] = {name: [] for name in tasks}
    pairs: list[Compared] = []
    for batch in given.batches(_widest(list(tasks.values())), InputReport()):
        for name, task in tasks.items():
            columns[name] += _scores(task, batch)
        pairs += [Compared(*one) for one in _answers(next(iter(tasks.values())), batch)]
    return scores_against_first({name: tuple(scores) for name, scores in columns.items()}, docs), pairs


def _widest(tasks: Sequence[CompiledTask]) -> CompiledTask:
    """Return the task that reads the most keys of records, which are those that are read of files of columns."""
    return max(tasks, key=lambda task: float("inf") if task.columns is None else len(task.columns))


def _scores(task: CompiledTask, batch: Batch) -> list[float | None]:
    score = partial(score_batch, task)
    return [result.score for result in chain.from_iterable(in_parts(score, batch, score))]


def _answers(task: CompiledTask, batch: Batch) -> Iterable[tuple[Any, Any, Any, Mapping[str, Any]]]:
    for key, place, record in zip(batch.ids, batch.places, batch.records, strict=True):
        known = record or {}
        yield place if key is None else key, task.parts.reader.response(known), task.parts.reader.reference(known), {}
