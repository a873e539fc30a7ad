"""Parquet, by way of pyarrow (the extra `parquet`)."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.engine.inputs.file import InputFile
from scoring.engine.inputs.row import InputError, Row

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
            for batch in parquet.ParquetFile(stream).iter_batches(_BATCH):
                for record in batch.to_pylist():
                    number += 1
                    yield Row(f"row {number}", record)
        except pyarrow.ArrowException as error:
            raise InputError(f"can't read {file.name}: {' '.join(str(error).split())[:200]}") from error
