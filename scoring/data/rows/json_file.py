"""JSON: an array of records, or an object whose `records` is one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.jsonl import decode_row, explain
from scoring.data.rows.row import InputError, Row, row_of

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


def read_json(file: InputFile) -> Iterator[Row]:
    """The rows of a JSON file.

    Raises:
        InputError: when the file as a whole isn't JSON or holds no list of records.
    """
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"can't read {file.name}: {explain(error)}") from error
    return _rows(file.name, text)


def _rows(name: str, text: str) -> Iterator[Row]:
    try:
        value = json.loads(text)
    except (RecursionError, ValueError) as error:
        items = _items(text) if not isinstance(error, json.JSONDecodeError) else None
        if items is None:
            why = explain(error) if isinstance(error, ValueError) else "nested too deeply to read"
            raise InputError(f"can't read {name}: {why}") from error
        # One record is too deep or holds an endless number: the others are still good.
        return (decode_row(f"record {number}", item) for number, item in enumerate(items, start=1))
    return (row_of(f"record {number}", item) for number, item in enumerate(_records(name, value), start=1))


def _records(name: str, value: Any) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("records"), list):
        value = value["records"]
    if isinstance(value, list):
        return value
    raise InputError(f"can't read {name}: expected an array of records, or an object with `records`")


def _items(text: str) -> list[str] | None:
    """The texts of an array's items, found by matching brackets outside strings; None if it is no array."""
    if not text.lstrip().startswith("["):
        return None
    depth, start, items = 0, 0, []
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth == 1:
                start = token.end()
        elif (mark in "]}" and depth == 1) or (mark == "," and depth == 1):
            items.append(text[start : token.start()])
            start = token.end()
        if mark in "]}":
            depth -= 1
    return items if depth == 0 else None
