"""The file format JSON: an array of records, or an object with `records`."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_lines import parse_once
from scoring.data.json_read import NotJson, check_document, not_utf8, parse
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import Block
from scoring.depth import DEEPEST
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.extension import service

_TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


def _read_json(file: InputFile) -> Iterator[Block]:
    """Yield the rows of a JSON file as a block.

    Raises:
        InputError: when the file as a whole is not JSON, or does not contain a list of records.
    """
    content = file.read()
    file.found = file.settings
    try:
        check_document(content, file.size)
        text = content.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"can't read {file.name}: {not_utf8(error)}") from error
    except NotJson as error:
        raise InputError(f"can't read {file.name}: {error}") from error
    if not text.strip():
        raise InputError(f"can't read {file.name}: it is empty; check what wrote it")
    constants: list[str] = []
    try:
        value = parse(text, once=True, constants=constants, levels=DEEPEST + 1)
    except NotJson as error:
        items = None if error.is_syntax or file.settings else _items(text)
        if items is None:
            raise InputError(f"can't read {file.name}: {error}") from error
        # One record is too deep, or has a huge number or a repeated key: the others are still good.
        constants.append("NaN")  # it may contain NaN
        block = block_of("record", enumerate((parse_once(item.encode()) for item in items), start=1))
    else:
        rows = file.settings.get("rows")
        deeper = None if rows is None else service("document-rows", "`rows` of JSON")
        block = rows_of_document(file.name, value) if deeper is None else deeper(file.name, value, rows)
    yield block.without_nan() if "NaN" in constants else block


def rows_of_document(name: str, value: Any) -> Block:
    """Return the rows of a decoded JSON file as a block.

    Raises:
        InputError: when it does not contain exactly one list of records.
    """
    if isinstance(value, dict) and isinstance(value.get("records"), list):
        records = value["records"]
        other = next((key for key, items in value.items() if items is not records and _are_like(records, items)), None)
        if other is not None:
            raise InputError(
                f"can't read {name}: it holds two lists of records, `records` and `{other}`, and only one is read; "
                "leave one out"
            )
        value = records
    if not isinstance(value, list):
        from scoring.data.slips import of_document

        wanted = "expected an array of records, or an object with `records`"
        raise InputError(f"can't read {name}: {wanted}; {of_document(value)}")
    return block_of("record", enumerate(value, start=1))


def _are_like(records: list[Any], items: Any) -> bool:
    """Return whether ``items`` is a list whose first item shares a key with the first of the records."""
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, dict) and any(
        isinstance(one, dict) and not first.keys().isdisjoint(one) for one in records[:1]
    )


def _items(text: str) -> list[str] | None:
    """Return the texts of an array's items, found by matching brackets outside strings; None if it is not an array."""
    if not text.lstrip().startswith("["):
        return None
    depth, start, items = 0, 0, []
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth == 1:
                start = token.end()
        elif mark in "]}," and depth == 1:
            items.append(text[start : token.start()])
            start = token.end()
        if mark in "]}":
            depth -= 1
    return items if depth == 0 else None


# Which rows of a document are read changes no value, so every spelling of it is the usual one.
JSON = FileFormat(
    "json", "JSON", (".json",), _read_json, settings=("rows",), usual={"rows": ""}, plain=lambda name, value: ""
)
