"""Records written in every format of ours; a new format needs an entry here, and its tests follow."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest

from scoring import processes
from scoring.data.file_format import FileFormat, own_formats
from scoring.registry.plugins import LOGS
from tests.support.workbooks import workbook

Records = list[dict[str, Any]]


def delimited(records: Records, mark: str, encoding: str = "utf-8") -> bytes:
    """A table of text whose header is the keys of the first record."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, records[0], delimiter=mark, quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode(encoding)


def json_lines(records: Records) -> bytes:
    """One record a line."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def arrow_table(records: Records) -> Any:
    """An Arrow table, or the test is skipped where there is no pyarrow."""
    return pytest.importorskip("pyarrow").Table.from_pylist(records)


def parquet(table: Any) -> bytes:
    """A Parquet file of an Arrow table."""
    from pyarrow import parquet

    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def ipc(table: Any, kind: str = "new_file") -> bytes:
    """An Arrow file, which is Feather, or with `new_stream` an Arrow stream."""
    from pyarrow import ipc

    stream = io.BytesIO()
    with getattr(ipc, kind)(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


WRITE: dict[str, Callable[[Records], bytes]] = {
    "jsonl": json_lines,
    "json": lambda records: json.dumps(records).encode(),
    "csv": lambda records: delimited(records, ";"),
    "tsv": lambda records: delimited(records, "\t"),
    "parquet": lambda records: parquet(arrow_table(records)),
    "arrow": lambda records: ipc(arrow_table(records)),
    "xlsx": lambda records: workbook([[*records[0]], *(list(record.values()) for record in records)]),
}


def general_formats() -> dict[str, FileFormat]:
    """Our formats whose records may have any keys, in the files themselves."""
    return {name: form for name, form in own_formats().items() if form.shape != "fixed" and name not in LOGS}


def zstd(content: bytes) -> bytes:
    """The bytes compressed as .zst, or the test is skipped where there is no pyarrow."""
    packed: bytes = pytest.importorskip("pyarrow").compress(content, codec="zstd", asbytes=True)
    return packed


@contextlib.contextmanager
def read_here() -> Iterator[None]:
    """Files of columns are read in this process within a block: to fork one that has grown with all tests takes ten
    times as long as to read, and `tests/extensions/columns/test_apart.py` holds both ways to the same rows."""
    with patch.object(processes, "COPIES", False):
        yield


PACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstd}
