"""The paths into records that a data file beside a spec has, read within bounds: the file may hold anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.json_read import NotJson, parse
from scoring.data.plain_files import open_plain
from scoring.extensions.editors.outline import OutlineNode
from scoring.lang.words import is_name, text_literal
from scoring.project.find import SPEC_FILES
from scoring.values import show_type

MOST_BYTES = 200_000
MOST_RECORDS = 20
_MOST_PATHS = 400
_DEEPEST = 5
_MOST_FILES = 200
_LONGEST_KEY = 100
DEFAULT_PARTS = {"id": "id", "response": "response", "reference": "reference", "context": "context"}
"""Where a record has its parts unless the spec says otherwise."""


class RowPath(Struct, frozen=True):
    """A path that records of the data file have: its segments, and the type of the first value found there."""

    segments: tuple[str, ...]
    type: str

    @property
    def written(self) -> str:
        """The path in the words of the language, without a root: `a."b c"`."""
        return ".".join(one if is_name(one) else text_literal(one) for one in self.segments)


def data_file_beside(spec: Path) -> Path | None:
    """Return the file of records beside a spec: with its name, called `data`, or the only one of its folder."""
    for name in (spec.stem, "data", "records"):
        for suffix in (".jsonl", ".json"):
            path = spec.with_name(name + suffix)
            if path != spec and path.is_file():
                return path
    try:
        with os.scandir(spec.parent) as entries:
            found = [
                one.name for one, _ in zip(entries, range(_MOST_FILES), strict=False) if one.name.endswith(".jsonl")
            ]
    except OSError:
        return None
    return spec.with_name(found[0]) if len(found) == 1 else None


def record_paths(spec: Path) -> tuple[RowPath, ...]:
    """Return the paths of the records beside a spec; () if there is no such file, or it can't be read."""
    try:
        path = data_file_beside(spec)
        if path is None:
            return ()
        state = path.stat()
        return _read(path, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError):
        return ()


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int, _size: int) -> tuple[RowPath, ...]:
    with open_plain(path) as file:
        content = file.read(MOST_BYTES)
    found: dict[tuple[str, ...], str] = {}
    for record in _records(content, is_lines=path.suffix not in SPEC_FILES):
        for segments, kind in _paths(record):
            found.setdefault(segments, kind)
            if len(found) >= _MOST_PATHS:
                break
    return tuple(RowPath(segments, kind) for segments, kind in found.items())


def _records(content: bytes, *, is_lines: bool) -> Iterator[Mapping[str, Any]]:
    if not is_lines:
        whole = _parsed(content)
        rows = whole if isinstance(whole, list) else [whole] if isinstance(whole, dict) else []
        yield from (row for row in rows[:MOST_RECORDS] if isinstance(row, dict))
        return
    for line in content.split(b"\n")[:MOST_RECORDS]:
        row = _parsed(line)
        if isinstance(row, dict):
            yield row


def _parsed(text: bytes) -> Any:
    try:
        return parse(text)
    except NotJson:
        return None


def _paths(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    waiting: list[tuple[tuple[str, ...], Any]] = [((), record)]
    while waiting:
        segments, value = waiting.pop(0)
        if segments:
            yield segments, show_type(value, 2)
        if isinstance(value, dict) and len(segments) < _DEEPEST:
            inner = [(key, one) for key, one in value.items() if isinstance(key, str) and len(key) <= _LONGEST_KEY]
            waiting += [((*segments, key), one) for key, one in inner[:_MOST_PATHS]]


def below_root(root: str, record: OutlineNode | None, found: Iterable[RowPath]) -> list[RowPath]:
    """Return the paths below a root of the language, such as `reference`, without the root.

    Args:
        root: `record`, `reference`, `context`, …
        record: The outline of the spec's key `record`, which says where the parts are.
        found: The paths of the records.
    """
    if root == "record":
        own = [] if record is None else [key.text for key, _ in record.below() if key.text not in DEFAULT_PARTS]
        return [RowPath((name,), "") for name in own] + list(found)
    stated = None if record is None else record.get(root)
    path = stated.text if stated is not None and stated.text else DEFAULT_PARTS.get(root, "")
    base = tuple(path.split(".")) if path else ()
    size = len(base)
    return [
        RowPath(one.segments[size:], one.type)
        for one in found
        if base and one.segments[:size] == base and len(one.segments) > size
    ]
