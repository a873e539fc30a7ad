"""Functions that this extension provides to the core, under the names of their entry points."""

from __future__ import annotations

from typing import Any

from scoring.api.arguments import in_words
from scoring.api.run import Run, Stretched
from scoring.api.tasks import ReferencesAs, Task
from scoring.compiler.tasks.task import CompiledTask
from scoring.extensions.hosts.columns import Columns
from scoring.extensions.hosts.json_references import host_parts
from scoring.extensions.hosts.worker import TaskWorker, bytes_of


def score_columns(
    task: CompiledTask,
    responses: Any,
    references: Any,
    contexts: Any,
    ids: Any,
    records: Any,
    references_as: ReferencesAs,
) -> Columns:
    """Return the scores of answers that are given as columns, as `Task.score_columns` does."""
    parts = host_parts(task, responses, references, contexts, ids, records, references_as)
    return Columns(task.score_lists(*parts), task, parts[-1])


def evaluate_columns(task: Task, responses: Any, references: Any, **more: Any) -> Run:
    """Return the run over answers that are given as columns, as `Task.evaluate_columns` does."""
    found = task.score_columns(responses, references, **more)
    places = [f"answer {number}" for number in range(1, len(found) + 1)]
    return Run(task, "rows", found.summary().to_json(), (Stretched(None, places, found.results),))


def task_worker(task: CompiledTask, seconds: float, memory: int | str | None) -> TaskWorker:
    """Return a worker that scores in separate processes, as `Task.worker` does.

    Raises:
        ValueError: for an invalid time or size.
    """
    if not isinstance(seconds, int | float) or not 0 < seconds <= 1e6:
        raise ValueError(f"a record can't have {in_words(seconds)} seconds: give a number above 0, up to a million")
    return TaskWorker(task, seconds, bytes_of(memory))
