"""Read a file by its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from scoring.data.file import KINDS, InputFile
from scoring.data.rows.csv_file import read_csv
from scoring.data.rows.json_file import read_json
from scoring.data.rows.jsonl import read_jsonl
from scoring.data.rows.parquet_file import read_parquet
from scoring.data.rows.row import InputError, Row

_READERS: dict[str, Callable[[InputFile], Iterator[Row]]] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "csv": read_csv,
    "parquet": read_parquet,
}


def read_rows(file: InputFile) -> Iterator[Row]:
    """The rows of a file, read as they are needed; the first one is read at once.

    Raises:
        InputError: when the file can't be read. It is raised here rather than at the first row, so that a run stops
            before it starts.
    """
    if file.kind not in _READERS:
        raise InputError(f"unknown kind of file `{file.kind}`; known are {', '.join(KINDS)}")
    rows = _READERS[file.kind](file)
    first = next(rows, None)
    if first is None:
        raise InputError(f"can't read {file.name}: it holds no records")
    return chain([first], rows)
