"""Where the golden vectors are: beside the repository, or where SCORING_GOLDEN points."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def golden_dir() -> Path | None:
    """The folder of golden vectors, or None in an outsider's clone."""
    named = os.environ.get("SCORING_GOLDEN")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "golden"
    return folder if folder.is_dir() else None


def require_golden(relative: str) -> Path:
    """A golden file; without it the test is skipped, which `.ci/run` refuses by checking the folder first."""
    folder = golden_dir()
    if folder is None:
        pytest.skip("no golden folder: set SCORING_GOLDEN to run full parity")
    return folder / relative


def read_jsonl(path: Path) -> Iterator[Any]:
    """The rows of a JSON Lines file, lazily."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def decode(value: Any) -> Any:
    """Turn the golden files' tags ({"$tuple": …}, {"$float": "nan"}, …) back into Python values."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, content),) = value.items()
        if tag in _TAGS:
            return _TAGS[tag](content)
    return {key: decode(item) for key, item in value.items()}


_TAGS = {
    "$tuple": lambda items: tuple(decode(item) for item in items),
    "$set": lambda items: {decode(item) for item in items},
    "$bytes": lambda text: text.encode("latin-1"),
    "$complex": lambda parts: complex(*parts),
    "$float": float,
    "$ellipsis": lambda _: ...,
    "$dict": lambda pairs: {decode(key): decode(item) for key, item in pairs},
}
