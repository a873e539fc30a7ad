"""Read what exports write of a run folder: its task, its figures, and the lines of its records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import json_document, json_lines

STATUSES = ("scored", "unparsed", "unscored", "not_applicable")
"""The statuses under which a summary counts records."""


class RunFiles:
    """The files of a run of one task.

    Args:
        path: The run folder.
        host: Who the export is for, for messages.

    Attributes:
        manifest: The content of its manifest.
        summary: The content of its summary.

    Raises:
        InputError: when the folder holds the run of a suite, or a file can't be read.
    """

    def __init__(self, path: Path, host: str) -> None:
        self.path = path
        self.manifest: dict[str, Any] = json_document(InputFile(str(path / "manifest.json"), kind="json"))
        self.summary: dict[str, Any] = json_document(InputFile(str(path / "summary.json"), kind="json"))
        if "signature" not in self.summary or "task" not in self.summary:
            raise InputError(f"{path} is not the run of one task, and {host} takes the scores of one")

    @property
    def task(self) -> str:
        """The name of the task."""
        return str(self.summary["task"].get("name"))

    @property
    def version(self) -> str:
        """The version of the task; "" if it has none."""
        return str(self.summary["task"].get("version") or "")

    @property
    def meaning(self) -> str:
        """The part of the signature that says what the scores mean: the digest of the program, and the seed."""
        return str(self.manifest.get("meaning") or "")

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The entries of the figures over all records, each with its name, value and interval."""
        return list(self.summary.get("metrics") or [])

    @property
    def counts(self) -> dict[str, int]:
        """The number of records by status."""
        found = self.summary.get("counts") or {}
        return {status: int(found.get(status) or 0) for status in STATUSES}

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """The manifest's entries of the files that were read."""
        return [one for one in self.manifest.get("inputs") or [] if isinstance(one, dict)]

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the line of each record in order.

        Raises:
            InputError: when the run keeps its scores in another form, or a line can't be read.
        """
        paths = [self.path / "scores.jsonl", *sorted((self.path / "scores").glob("*.jsonl"))]
        found = [path for path in paths if path.is_file()]
        if not found:
            raise InputError(f"{self.path} has no `scores.jsonl`; score it again without `--scores parquet`")
        for path in found:
            for number, line in json_lines(InputFile(str(path), kind="jsonl")):
                if isinstance(line, ValueError):
                    raise InputError(f"can't read {path}: line {number}: {line}")
                yield line
