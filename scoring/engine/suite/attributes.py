"""Attributes of tasks, by which a suite is grouped and broken down: read from a file, keyed by task name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_text import NotJson, parse_document
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import InputError

NAME_KEYS = ("name", "task_name", "task")
# A longer text describes a task; it does not name a group of tasks.
MAX_TEXT = 200

Attributes = dict[str, dict[str, Any]]


def read_attributes(path: Path, shown: str) -> Attributes:
    """The attributes of each task: a JSON object by task name, or rows that name their task.

    Args:
        path: The file.
        shown: How messages call it.

    Raises:
        InputError: when it can't be read, a row names no task, or two rows differ about one.
    """
    file = InputFile(str(path))
    if (
        file.kind == "json"
        and isinstance(found := _json(file, shown), dict)
        and not isinstance(found.get("records"), list)
    ):
        return _by_name(found, shown)
    rows = read_rows(file)
    result: Attributes = {}
    for row in rows:
        name = name_of(row.record or {})
        if name is None:
            raise InputError(f"can't read {shown}: {row.where} names no task")
        held = {key: value for key, value in (row.record or {}).items() if key not in NAME_KEYS}
        if result.setdefault(name, held) != held:
            differ = f"two rows give `{name}` different attributes, the second in {row.where}"
            raise InputError(f"can't read {shown}: {differ}")
    return result


def name_of(row: Mapping[str, Any]) -> str | None:
    """The task that a row names.

    Examples:
        >>> name_of({"task_name": "chess"}), name_of({"id": 1})
        ('chess', None)
    """
    names = (row[key] for key in NAME_KEYS if isinstance(row.get(key), str) and row[key])
    return next(names, None)


def is_attribute(value: Any) -> bool:
    """Whether tasks can be broken down by a value: a short text, a number, or a list of them.

    Examples:
        >>> is_attribute("Photographs"), is_attribute(["maths", "vision"]), is_attribute([{"response": "A"}])
        (True, True, False)
    """
    if isinstance(value, list):
        return all(not isinstance(item, list) and is_attribute(item) for item in value)
    return value is None or isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) <= MAX_TEXT)


def _json(file: InputFile, shown: str) -> Any:
    try:
        return parse_document(file.read(), file.size)
    except NotJson as error:
        raise InputError(f"can't read {shown}: {error}") from error


def _by_name(found: dict[str, Any], shown: str) -> Attributes:
    for name, attributes in found.items():
        if not isinstance(attributes, dict):
            raise InputError(f"can't read {shown}: the attributes of `{name}` are no object")
    return found
