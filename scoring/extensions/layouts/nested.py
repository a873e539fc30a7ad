"""Rows that lie deeper in a JSON document, or are the entries of an object, as in published files of benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from scoring.data.rows.batch import id_text
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import Block
from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern

_STEP = lazy_pattern(r'\.?(?:(?P<each>\[\*\])|(?P<entry>\*)|(?P<key>[\w-]+)|"(?P<quoted>[^"]+)")')
_FORM = "`data[*]` (the items of a list), `data.*` (the entries of an object), two joined by `+`, or one and ` by KEY`"
_SHOWN = 6


class _Step(NamedTuple):
    """A step of a path: into each item of a list (`kind` is "each"), each entry of an object, or the value of `key`."""

    kind: str
    key: str = ""


def document_rows(name: str, document: Any, path: str) -> Block:
    """Return the values at a path of a JSON document as rows.

    An item of a list is a row if it is an object. Any other value, and each entry of an object, becomes a row with a
    `value`; that of an entry has its name as `key`. Several paths to the entries of objects, joined by `+`, give one
    row for each key, with each path's value under the last name in the path. With ` by KEY` behind the path, the
    objects with one value of that key are one row: that value as `key`, and the objects as `rows`.

    Args:
        name: The name of the file, for messages.
        document: The decoded document.
        path: Names, `[*]` for each item of a list and `*` for each entry of an object, such as `data[*].qas[*]` or
            `annotations[*] by image_id`.

    Raises:
        InputError: when the path is not of this form, or the document is not as it says.

    Examples:
        >>> document_rows("f", {"q1": "Paris", "q2": "Rome"}, "*").records
        [{'key': 'q1', 'value': 'Paris'}, {'key': 'q2', 'value': 'Rome'}]
        >>> document_rows("f", {"data": [{"qas": [{"id": 1}, {"id": 2}]}, {"qas": []}]}, "data[*].qas[*]").records
        [{'id': 1}, {'id': 2}]
        >>> document_rows("f", {"answer": {"a": "x"}, "sp": {"a": [1], "b": []}}, "answer.*+sp.*").records
        [{'key': 'a', 'answer': 'x', 'sp': [1]}, {'key': 'b', 'sp': []}]
        >>> document_rows("f", [{"id": 7, "says": "a"}, {"id": 7, "says": "b"}], "[*] by id").records
        [{'key': 7, 'rows': [{'id': 7, 'says': 'a'}, {'id': 7, 'says': 'b'}]}]
    """
    path, is_grouped, by = path.partition(" by ")
    if is_grouped:
        return block_of("record", enumerate(_grouped(name, document, path, by.strip()), start=1))
    parts = [_steps(name, part) for part in path.split("+")]
    if len(parts) == 1:
        rows = [_row(key, value, parts[0]) for key, value in _values(name, document, parts[0], path)]
        return block_of("record", enumerate(rows, start=1))
    found: dict[str, dict[str, Any]] = {}
    for steps in parts:
        column = next((step.key for step in reversed(steps) if step.key), "")
        if steps[-1].kind != "entry" or not column or column == "key":
            raise InputError(f"can't read {name}: `rows={path}`: each of several paths ends in a name and `.*`")
        for key, value in _values(name, document, steps, path):
            row = found.setdefault(key, {"key": key})
            if column in row:
                raise InputError(f"can't read {name}: `rows={path}`: two values have the key {key!r:.40}")
            row[column] = value
    return block_of("record", enumerate(found.values(), start=1))


def _grouped(name: str, document: Any, path: str, by: str) -> list[dict[str, Any]]:
    """Return a row for each value of the key `by` of the objects at a path; one without it is a row of its own."""
    steps = _steps(name, path)
    found: dict[str, dict[str, Any]] = {}
    others: list[dict[str, Any]] = []
    for key, value in _values(name, document, steps, path):
        row = _row(key, value, steps)
        text = id_text(row.get(by))
        if text is None:
            others.append(row)
        else:
            found.setdefault(text, {"key": row[by], "rows": []})["rows"].append(row)
    if not found:
        raise InputError(f"can't read {name}: none of the rows at `{path}` has `{by}`, by which they are put together")
    return [*found.values(), *others]


def _steps(name: str, path: str) -> list[_Step]:
    """Return the steps of a path; raise InputError if it is none, or leads to a single value."""
    found: list[_Step] = []
    place = 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None or (path[place] == "." and not found):
            raise InputError(f"can't read {name}: `rows={path:.100}` is no path to rows; write {_FORM}")
        kind = str(match.lastgroup)
        found.append(_Step(kind) if kind in ("each", "entry") else _Step("key", match["key"] or match["quoted"]))
        place = match.end()
    if not found or found[-1].kind == "key":
        raise InputError(f"can't read {name}: `rows={path:.100}` leads to one value, not to rows; write {_FORM}")
    return found


def _values(name: str, document: Any, steps: list[_Step], path: str) -> Iterator[tuple[str, Any]]:
    """Yield the values to which steps lead, each with the name of the last entry on the way, "" for none."""
    values: list[tuple[str, Any]] = [("", document)]
    for step in steps:
        following: list[tuple[str, Any]] = []
        for key, value in values:
            if step.kind == "each" and isinstance(value, list):
                following += ((key, item) for item in value)
            elif step.kind == "entry" and isinstance(value, dict):
                following += value.items()
            elif step.kind == "key" and isinstance(value, dict) and step.key in value:
                following.append((key, value[step.key]))
            else:
                raise InputError(f"can't read {name}: `rows={path}`: {_lack(step, value)}")
        values = following
    yield from values


def _row(key: str, value: Any, steps: list[_Step]) -> dict[str, Any]:
    if steps[-1].kind == "entry":
        return {"key": key, "value": value}
    return value if isinstance(value, dict) else {"value": value}


def _lack(step: _Step, value: Any) -> str:
    """Return what a value lacks for a step of a path, in words."""
    kinds = {list: "a list", dict: "an object", str: "a text", bool: "a truth value", type(None): "null"}
    is_a = kinds.get(type(value), "a number")
    if step.kind == "each":
        return f"`[*]` is for a list, and there is {is_a}"
    if not isinstance(value, dict):
        return f"`{step.key or '*'}` is of an object, and there is {is_a}"
    some = ", ".join(f"`{one:.30}`" for one in islice(value, _SHOWN))
    more = ", …" if len(value) > _SHOWN else ""
    return f"there is no `{step.key}`; there are {some}{more}" if value else f"there is no `{step.key}`: it is empty"
