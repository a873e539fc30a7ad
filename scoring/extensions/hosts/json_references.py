"""Decode references that a calling program can pass only as JSON text, before anything is scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoring.api.arguments import in_words
from scoring.api.tasks import ReferencesAs
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.errors import InputError
from scoring.extensions.columns.turned import ReferenceTexts, ResponseTexts
from scoring.extensions.hosts.columns import column_lists
from scoring.result import MISSING, Outcome
from scoring.values import show_type


def read_references(task: CompiledTask, references: Sequence[Any], references_as: ReferencesAs) -> Sequence[Any]:
    """Return the references as values, decoding them if they are given as JSON.

    A reference that is not valid JSON becomes an unscored outcome with the reason.

    Raises:
        InputError: when `references_as` is neither ``values`` nor ``json``; for ``json``, also when the task reads no
            reference, or none of the references is a text.
    """
    if not isinstance(references_as, str) or references_as not in ("values", "json"):
        raise InputError(f"references are `values` or `json`, not {in_words(references_as)}")
    if references_as == "values":
        return references
    if not (task.needs_reference or any(path.root == "reference" for path in task.parts.paths)):
        raise InputError(f'{task.name} reads no reference: leave references_as="json" out')
    there = [one for one in references if one is not None and one is not MISSING]
    if there and not any(isinstance(one, str) for one in there):
        raise InputError(f'no reference is a text, but {show_type(there[0])}: leave references_as="json" out')
    return list(map(reference_of_json, references))


def host_parts(
    task: CompiledTask,
    responses: Any,
    references: Any,
    contexts: Any,
    ids: Any,
    records: Any,
    references_as: ReferencesAs,
) -> tuple[list[Any], Sequence[Any], list[Any], list[Any], list[Any]]:
    """Return the columns that a calling program passes as plain lists, see `column_lists`, with references decoded if
    they are given as JSON.

    Raises:
        ValueError: when two of the columns differ in length.
        InputError: when a typed column has converted values of several types to text, and in the cases of
            `read_references`.
    """
    answers, raw, known, keys, wholes = column_lists(responses, references, contexts, ids, records)
    # What holds columns of one type made texts of others; a list of Python's has types of its own.
    if references_as == "values" and not isinstance(references, list | tuple):
        ReferenceTexts(task, "references").check(raw)
    if not isinstance(responses, list | tuple):
        ResponseTexts(task, "responses").check(answers)
    return answers, read_references(task, raw, references_as), known, keys, wholes


def reference_of_json(reference: Any) -> Any:
    """Return the value of a reference that is given as JSON text; an unscored outcome if it is none."""
    if reference is None or reference is MISSING:
        return reference
    if not isinstance(reference, str):
        return Outcome.unscored(f"the reference is {show_type(reference)}, and references are to be JSON texts")
    try:
        return parse(reference)
    except NotJson as error:
        return Outcome.unscored(f"the reference can't be read: {error}")
