"""Functions that this extension provides to the core, under the names of their entry points."""

from __future__ import annotations

from typing import Any

from scoring.api.arguments import in_words
from scoring.api.tasks import ReferencesAs
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
    return Columns(task.score_lists(*host_parts(task, responses, references, contexts, ids, records, references_as)))


def task_worker(task: CompiledTask, seconds: float, memory: int | str | None) -> TaskWorker:
    """Return a worker that scores in separate processes, as `Task.worker` does.

    Raises:
        ValueError: for an invalid time or size.
    """
    if not isinstance(seconds, int | float) or not 0 < seconds <= 1e6:
        raise ValueError(f"a record can't have {in_words(seconds)} seconds: give a number above 0, up to a million")
    return TaskWorker(task, seconds, bytes_of(memory))
