"""Write and read the records of a run, or of a part of one, as Parquet columns, using pyarrow (the extra `parquet`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, IOBase
from pathlib import Path
from typing import Any

from scoring.data.file_format import require
from scoring.data.json_read import parse
from scoring.data.json_write import dumps

_ROWS = 8192


class ParquetWriter:
    """A writer of the records of a run to one Parquet file; ids, attributes, computed and parsed values are JSON text,
    scores are numbers.

    Raises:
        InputError: when pyarrow is missing.
    """

    def __init__(self, sink: Path | IOBase) -> None:
        pyarrow = require("Parquet", "pyarrow", "scoring-dsl[parquet]")
        from pyarrow import parquet

        self._arrow = pyarrow
        text, number = pyarrow.string(), pyarrow.float64()
        outcome = [("score", number), ("status", text), ("reason", text)]
        field = pyarrow.struct([("name", text), *outcome, ("notes", text)])
        self._sink = sink
        self._file = parquet.ParquetWriter
        self._writer: Any = None
        self._task = pyarrow.field("task", text)
        self._schema = pyarrow.schema(
            [
                ("id", text),
                ("where", text),
                *outcome,
                ("passed", pyarrow.bool_()),
                ("unparsed", text),
                ("fields", pyarrow.list_(field)),
                ("attributes", text),
                ("values", text),
                ("weight", number),
                ("read", text),
                ("parsed", text),
            ]
        )
        self._rows: list[dict[str, Any]] = []

    def write(self, lines: Sequence[str]) -> None:
        """Write some records, given as the lines of `scores.jsonl`; they are collected until a row group is full."""
        for data in map(json.loads, lines):
            self._rows.append(_row(data))
            if len(self._rows) >= _ROWS:
                self._flush()

    def close(self) -> None:
        """Write the remaining records and close the file."""
        self._flush()
        self._open().close()

    def _flush(self) -> None:
        if self._rows:
            writer = self._open()
            writer.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
            self._rows.clear()

    def _open(self) -> Any:
        """Return the open writer of pyarrow; on the first call, its schema gets the column `task` if the first record
        has that key."""
        if self._writer is None:
            if self._rows and "task" in self._rows[0]:
                self._schema = self._schema.insert(0, self._task)
            self._writer = self._file(self._sink, self._schema)
        return self._writer


def concatenate_files(files: Sequence[bytes]) -> bytes:
    """Return one Parquet file with the row groups of several, given and returned as bytes; all have the same
    columns."""
    from pyarrow import BufferReader, parquet

    found = BytesIO()
    with parquet.ParquetWriter(found, parquet.read_schema(BufferReader(files[0]))) as writer:
        for table in map(parquet.ParquetFile, map(BufferReader, files)):
            for group in range(table.num_row_groups):
                writer.write_table(table.read_row_group(group))
    return found.getvalue()


def name_at(path: Path, position: int) -> tuple[str | None, str]:
    """Return the id and the place in the input of the record in the row `position` of a Parquet file of scores."""
    from pyarrow import parquet

    (row,) = parquet.read_table(path, columns=["id", "where"]).slice(position, 1).to_pylist()
    return row["id"], row["where"]


def stored_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a Parquet file of scores, as plain data like that of the lines of `scores.jsonl`.

    Raises:
        InputError: when pyarrow is missing.
    """
    require("Parquet", "pyarrow", "scoring-dsl[parquet]")
    from pyarrow import parquet

    for row in parquet.read_table(path).to_pylist():
        fields = {part["name"]: _decoded(part, "notes") for part in row["fields"] or ()}
        yield {**_decoded(row, "parsed", "attributes", "values", "read"), "fields": fields}


def _decoded(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a row in which the JSON text of the named columns is replaced by its value; older runs may lack these
    columns."""
    read = {name: parse(row[name]) for name in names if row.get(name) is not None}
    return {**row, **read}


def _row(data: dict[str, Any]) -> dict[str, Any]:
    return {
        **({"task": data["task"]} if "task" in data else {}),
        "id": _text(data["id"]),
        "where": data["where"],
        **_outcome(data),
        "passed": data.get("passed"),
        "unparsed": _clean(data.get("unparsed")),
        "fields": [
            {"name": _clean(name), **_outcome(part), "notes": dumps(part["notes"]) if "notes" in part else None}
            for name, part in data["fields"].items()
        ],
        "weight": data.get("weight"),
        **{name: dumps(data[name]) if name in data else None for name in ("attributes", "values", "read", "parsed")},
    }


def _outcome(data: dict[str, Any]) -> dict[str, Any]:
    return {"score": _number(data["score"]), "status": data["status"], "reason": _clean(data.get("reason"))}


def _number(value: Any) -> float | None:
    if isinstance(value, dict):
        # Parquet has native NaN and infinities; a complex score can't be stored in a column of numbers.
        return float(value["$float"]) if "$float" in value else None
    return None if value is None else float(value)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return _clean(value)
    return dumps(value)


def _clean(text: str | None) -> str | None:
    """Return a text with lone surrogates, which UTF-8 and so Parquet can't encode, replaced by escapes; None
    unchanged."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()
