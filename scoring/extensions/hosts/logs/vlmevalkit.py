"""The tables of predictions that VLMEvalKit writes, as Excel, TSV or CSV: a row for each question.

Source:
    open-compass/VLMEvalKit, vlmeval/inference.py, whose result has the columns of the data set and `prediction`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.file_format import require
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, record_of

_FORMATS = (".xlsx", ".tsv", ".csv")
_ADDED = ("score", "status", "reason", "meaning")


def _rows(file: InputFile) -> Iterator[tuple[int, dict[str, Any] | ValueError]]:
    kind = Path(file.name).suffix.lower()
    if kind not in _FORMATS:
        raise InputError(f"can't read {file.name}: tables of VLMEvalKit are {', '.join(_FORMATS)}")
    for number, row in enumerate(read_rows(InputFile(file.address, kind=kind[1:])), start=1):
        yield number, row.record if row.record is not None else ValueError(row.problem or "it is no row")


def _samples(file: InputFile) -> Iterator[Sample]:
    for number, row in _rows(file):
        yield Sample(number, row if isinstance(row, ValueError) else _record(file, row))


def _record(file: InputFile, row: dict[str, Any]) -> dict[str, Any]:
    if "prediction" not in row:
        raise InputError(f"can't read {file.name}: it has no column `prediction`, as tables of VLMEvalKit have")
    return record_of(row.get("index"), row.get("prediction"), row.get("answer"), context=row.get("question"), more=row)


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    """Write the rows with their scores as a workbook.

    Raises:
        InputError: for any other kind of file: in CSV, an answer that begins with `=` would be a formula.
    """
    if path.suffix.lower() != ".xlsx":
        raise InputError(f"can't write back to {path}: tables are written back as .xlsx; name such a file")
    rows = [(row, verdicts.data_of(number)) for number, row in _rows(file) if isinstance(row, dict)]
    names = list(dict.fromkeys(name for row, _ in rows for name in row))
    found = [_added(verdict) for _, verdict in rows]
    added = list(dict.fromkeys([*_ADDED, *(name for one in found for name in one)]))
    cells = [
        [*(row.get(name) for name in names), *(one.get(name) for name in added)]
        for (row, _), one in zip(rows, found, strict=True)
    ]
    table: list[list[Any]] = [[*names, *(f"scoring_{name}" for name in added)], *cells]
    _write_workbook(table, path)


def _added(verdict: dict[str, Any] | None) -> dict[str, Any]:
    """Return the values that are written beside a row, by the ends of their columns' names: whether it passed only if
    the task says what passes, and fields only if it has some beside its one score."""
    if verdict is None:
        return {}
    found = {name: verdict[name] for name in _ADDED}
    passed = {} if verdict["passed"] is None else {"passed": verdict["passed"]}
    fields = {} if set(verdict["fields"]) == {"answer"} else verdict["fields"]
    return {**found, **passed, **{f"field.{name}": score for name, score in fields.items()}}


def _write_workbook(table: list[list[Any]], path: Path) -> None:
    book = require("Excel", "openpyxl", "scoring-dsl[excel]").Workbook(write_only=True)
    from openpyxl.cell import WriteOnlyCell

    sheet = book.create_sheet()
    for row in table:
        cells = [WriteOnlyCell(sheet, value) for value in row]
        for cell in cells:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # the text of an answer is never a formula
        sheet.append(cells)
    book.save(path)


LOG = HostLog(
    "vlmevalkit",
    "a table of VLMEvalKit",
    _samples,
    unit="row",
    begins=(b"PK\x03\x04",),  # of .xlsx, where it is that
    write_back=_write_back,
)
