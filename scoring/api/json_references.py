"""References that a host can carry as text alone: JSON, read before anything is scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from scoring.api.arguments import in_words
from scoring.api.columns import column_lists
from scoring.api.turned import refuse_mixed
from scoring.compiler.task import CompiledTask
from scoring.data.json_read import NotJson, parse
from scoring.errors import InputError
from scoring.result import MISSING, Outcome
from scoring.values import show_type

ReferencesAs: TypeAlias = Literal["values", "json"]
"""The form of references: the values themselves, or JSON strings of them."""


def read_references(task: CompiledTask, references: Sequence[Any], given_as: ReferencesAs) -> Sequence[Any]:
    """Return the references of some answers as values; invalid JSON becomes an outcome with the reason.

    Raises:
        InputError: when they are said to be something else; when they are to be JSON, and the task reads none, or none
            of them is a text.
    """
    if not isinstance(given_as, str) or given_as not in ("values", "json"):
        raise InputError(f"references are `values` or `json`, not {in_words(given_as)}")
    if given_as == "values":
        return references
    if not (task.needs_reference or any(path.root == "reference" for path in task.parts.paths)):
        raise InputError(f'{task.name} reads no reference: leave references_as="json" out')
    there = [one for one in references if one is not None and one is not MISSING]
    if there and not any(isinstance(one, str) for one in there):
        raise InputError(f'no reference is a text, but {show_type(there[0])}: leave references_as="json" out')
    return list(map(_read, references))


def host_parts(
    task: CompiledTask,
    responses: Any,
    references: Any,
    contexts: Any,
    ids: Any,
    records: Any,
    references_as: ReferencesAs,
) -> tuple[list[Any], Sequence[Any], list[Any], list[Any], list[Any]]:
    """Return the columns that a host gives, see `scoring.api.columns.column_lists`, the references as values.

    Raises:
        ValueError: when two of them differ in length.
        InputError: when a column of an engine holds values of several types as text, and as `read_references`.
    """
    answers, given, known, keys, wholes = column_lists(responses, references, contexts, ids, records)
    # What holds columns of one type made texts of others; a list of Python's has types of its own.
    if references_as == "values" and not isinstance(references, list | tuple):
        refuse_mixed(task, given, "references")
    return answers, read_references(task, given, references_as), known, keys, wholes


def _read(reference: Any) -> Any:
    if reference is None or reference is MISSING:
        return reference
    if not isinstance(reference, str):
        return Outcome.unscored(f"the reference is {show_type(reference)}, and references are to be JSON texts")
    try:
        return parse(reference)
    except NotJson as error:
        return Outcome.unscored(f"the reference can't be read: {error}")
