"""`scores.parquet`: the records of a run as columns, by way of pyarrow (the extra `parquet`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scoring.data.rows.row import InputError
from scoring.data.strict_json import dumps, plain
from scoring.engine.runs.record_line import record_data
from scoring.result import RecordResult

_ROWS = 8192


class ParquetWriter:
    """Writes `scores.parquet`; ids, attributes and parsed values as JSON text, scores as numbers.

    Raises:
        InputError: when pyarrow is missing.
    """

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise InputError("Parquet needs pyarrow: pip install 'scoring-dsl[parquet]'") from error
        self._arrow = pyarrow
        text, number = pyarrow.string(), pyarrow.float64()
        outcome = [("score", number), ("status", text), ("reason", text)]
        field = pyarrow.struct([("name", text), *outcome, ("notes", text)])
        self._schema = pyarrow.schema(
            [
                ("id", text),
                ("where", text),
                *outcome,
                ("passed", pyarrow.bool_()),
                ("unparsed", text),
                ("fields", pyarrow.list_(field)),
                ("attributes", text),
                ("parsed", text),
            ]
        )
        self._writer = parquet.ParquetWriter(path, self._schema)
        self._rows: list[dict[str, Any]] = []

    def write(self, where: str, result: RecordResult) -> None:
        """Write one record."""
        self._add(plain(record_data(where, result)))

    def write_line(self, line: str) -> None:
        """Write one record that is already a line of JSON."""
        self._add(json.loads(line))

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()

    def _add(self, data: dict[str, Any]) -> None:
        self._rows.append(
            {
                "id": _text(data["id"]),
                "where": data["where"],
                **_outcome(data),
                "passed": data.get("passed"),
                "unparsed": _clean(data.get("unparsed")),
                "fields": [
                    {"name": _clean(name), **_outcome(part), "notes": dumps(part["notes"]) if "notes" in part else None}
                    for name, part in data["fields"].items()
                ],
                "attributes": dumps(data["attributes"]) if "attributes" in data else None,
                "parsed": dumps(data["parsed"]),
            }
        )
        if len(self._rows) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
            self._rows.clear()


def _outcome(data: dict[str, Any]) -> dict[str, Any]:
    return {"score": _number(data["score"]), "status": data["status"], "reason": _clean(data.get("reason"))}


def _number(value: Any) -> float | None:
    if isinstance(value, dict):
        # Parquet has NaN and infinities of its own; a complex score has no place in a column of numbers.
        return float(value["$float"]) if "$float" in value else None
    return None if value is None else float(value)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return _clean(value)
    return dumps(value)


def _clean(text: str | None) -> str | None:
    """Parquet text is UTF-8, which holds no lone surrogates."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()
