"""The data arguments of a command, and the items that they stand for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from scoring.cli.errors import UsageError
from scoring.cli.numbers import from_zero
from scoring.data.file import InputFile
from scoring.data.rows.join import Item, join, single
from scoring.data.rows.read import read_rows
from scoring.data.rows.report import InputReport
from scoring.engine.road.protocol import CompiledTask


def add_data(parser: argparse.ArgumentParser) -> None:
    """The arguments that name records."""
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="JSONL, JSON, CSV, TSV, Parquet or Arrow, also .gz and .zst; `-` reads stdin",
    )
    parser.add_argument("--references", metavar="FILE", help="references, joined to the predictions in DATA by id")
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="format of DATA, such as `csv` or `csv,delimiter=tab,encoding=latin-1`"
    )
    parser.add_argument("--limit", type=from_zero, metavar="N", help="only the first N records")


@dataclass(frozen=True, slots=True)
class Data:
    """The input files of a command."""

    predictions: InputFile
    references: InputFile | None
    limit: int | None

    @classmethod
    def of(cls, options: argparse.Namespace) -> Data:
        """The files that the command was given.

        Raises:
            UsageError: when it was given none.
        """
        if options.data is None:
            raise UsageError("which records? DATA is missing")
        piped = sys.stdin.buffer.read() if options.data == "-" else None
        predictions = InputFile(options.data, piped, options.input_format)
        return cls(predictions, InputFile(options.references) if options.references else None, options.limit)

    def items(self, task: CompiledTask, report: InputReport) -> Iterator[Item]:
        """The records.

        Raises:
            InputError: when a file can't be read; files are opened at once.
        """
        rows = read_rows(self.predictions)
        if self.references is None:
            items = single(rows, task.record_id, report)
        else:
            items = join(rows, read_rows(self.references), task.record_id, report)
        return items if self.limit is None else islice(items, self.limit)

    def fraction(self) -> float | None:
        """How much of the data has been read."""
        return (self.references or self.predictions).fraction()

    def described(self, spec: str) -> list[dict[str, Any]]:
        """The files as the manifest names them, the spec first."""
        from scoring.engine.runs.manifest import describe_input

        files = [("spec", InputFile(spec, kind="spec"))]
        if self.references is None:
            files.append(("records", self.predictions))
        else:
            files += [("predictions", self.predictions), ("references", self.references)]
        return [describe_input(role, file) for role, file in files]
