"""A project in a folder, with a pack beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import scoring

T = TypeVar("T")
PACK = """\
kind: pack
name: close
version: {version}
scorers:
  close_text:
    doc: {doc}
    params: {{threshold: {threshold}}}
    score: levenshtein | zero_below(threshold)
"""
TASK = """\
kind: task
name: demo/close
version: 1.0.0
imports: {c: close@1}
score: c.close_text
"""


def pack(version: str = "1.0.0", threshold: float = 0.8, doc: str = "How close two texts are.") -> str:
    """The text of a pack."""
    return PACK.format(version=version, threshold=threshold, doc=doc)


def written(path: Path, text: str) -> Path:
    """A file with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def project(folder: Path, toml: str = '[packs]\nclose = { folder = "../shapes" }\n') -> Path:
    """A project with a task, beside the folder of a pack; the folder of the project."""
    written(folder / "shapes" / "pack.yaml", pack())
    written(folder / "project" / "scoring.toml", toml)
    written(folder / "project" / "task.yaml", TASK)
    return folder / "project"


def outcome(call: Callable[[], T]) -> T | list[str]:
    """What a call gives, or the ids of its findings, each of which is a line."""
    try:
        return call()
    except scoring.SpecError as error:
        return [one.id if one.message.isprintable() else repr(one.message) for one in error.diagnostics]
