"""State in tables what their scores mean: in the metadata of Arrow columns, and in the attributes of pandas frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.compiler.tasks.task import CompiledTask

KEY = "scoring"
"""The key in the attributes of a frame, and what the keys of a column's metadata begin with."""


def statement_of(task: CompiledTask) -> dict[str, str]:
    """Return what a table states of its scores: the task with its version, and the ``meaning`` of its signature.

    Examples:
        >>> import scoring
        >>> statement_of(scoring.load({"kind": "task", "name": "towns", "version": "1.2.0", "score": "equal"}))
        {'task': 'towns@1.2.0', 'meaning': 'a2436a38901a2549|seed:0'}
    """
    signature = task.signature
    return {"task": str(signature).partition("|")[0], "meaning": signature.meaning}


def column_metadata(statement: Mapping[str, str]) -> dict[str, str]:
    """Return a statement as the metadata of a column of Arrow.

    Examples:
        >>> column_metadata({"task": "towns@1.2.0"})
        {'scoring.task': 'towns@1.2.0'}
    """
    return {f"{KEY}.{name}": text for name, text in statement.items()}


def frame_attributes(known: Mapping[Any, Any], column: str, statement: Mapping[str, str]) -> dict[Any, Any]:
    """Return the attributes of a frame of pandas, given those that it has, with a statement for a column of scores.

    Examples:
        >>> frame_attributes({"scoring": {"score": {"task": "a"}}}, "my_score", {"task": "b"})
        {'scoring': {'score': {'task': 'a'}, 'my_score': {'task': 'b'}}}
    """
    told = known.get(KEY)
    return {**known, KEY: {**(told if isinstance(told, Mapping) else {}), column: dict(statement)}}
