"""JSON files of records: a fast parser where installed, the standard one otherwise, and limits on both."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scoring.data.sets.faults import BrokenRecords, Fault


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Args:
        path: The file.
    """
    with collection_paused():
        return _parse(path.read_bytes(), str(path))


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection while many objects are made that all stay: it would look at each of them in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The values of a JSON Lines file with their places, one at a time.

    Args:
        path: The file.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                where = f"{path}:{number}"
                yield where, _parse(line, where)


def _parse(text: bytes, where: str) -> Any:
    try:
        import orjson
    except ImportError:
        return _standard(text, where)
    try:
        return orjson.loads(text)
    except ValueError:  # NaN is not JSON; the standard parser reads it, and the check of values names the record
        return _standard(text, where)


def _standard(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BrokenRecords([Fault(where, f"not JSON: {error}")]) from error
