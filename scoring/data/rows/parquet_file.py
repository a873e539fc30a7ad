"""Parquet, by way of pyarrow (the extra `parquet`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.jsonl import explain
from scoring.data.rows.row import InputError, Row

_BATCH = 4096


def read_parquet(file: InputFile) -> Iterator[Row]:
    """The rows of a Parquet file.

    Raises:
        InputError: when pyarrow is missing, or the file is not Parquet.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install 'scoring-dsl[parquet]'") from error
    number = 0
    with file.open() as stream:
        try:
            table = parquet.ParquetFile(stream)
            _check_names(file.name, table.schema_arrow.names)
            for batch in table.iter_batches(_BATCH):
                yield from _rows(batch, number)
                number += batch.num_rows
        except pyarrow.ArrowException as error:
            raise InputError(f"can't read {file.name}: {' '.join(str(error).split())[:200]}") from error


def _check_names(name: str, columns: Sequence[str]) -> None:
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"can't read {name}: the column `{twice}` stands twice")


def _rows(batch: Any, before: int) -> Iterator[Row]:
    """The rows of a batch; where it can't be read as a whole, each row on its own, so that only bad ones are bad."""
    try:
        records = batch.to_pylist()
    except (ValueError, OverflowError):
        for place in range(batch.num_rows):
            yield _row(f"row {before + place + 1}", batch.slice(place, 1))
        return
    for number, record in enumerate(records, start=before + 1):
        yield Row(f"row {number}", record)


def _row(where: str, row: Any) -> Row:
    record = {}
    for column in row.schema.names:
        try:
            record[column] = row.column(column)[0].as_py()
        except UnicodeDecodeError as error:
            return Row(where, None, f"column `{column}`: {explain(error)}")
        except (ValueError, OverflowError) as error:
            # A time finer than a microsecond, a date after the year 9999: Python has no such value.
            return Row(where, None, f"column `{column}`: the value can't be read ({type(error).__name__})")
    return Row(where, record)
