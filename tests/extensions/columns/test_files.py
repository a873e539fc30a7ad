"""Rows of Parquet files: what is read, what spoils a row, what refuses the file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import Row
from scoring.errors import InputError


def rows(file: InputFile) -> list[Row]:
    return list(read_rows(file))


def records(file: InputFile) -> list[dict[str, Any] | None]:
    return [row.record for row in read_rows(file)]


def test_parquet_rows_are_records(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"id": [1, 2], "gold": [["a"], []]}), tmp_path / "a.parquet")
    assert records(InputFile(str(tmp_path / "a.parquet"))) == [{"id": 1, "gold": ["a"]}, {"id": 2, "gold": []}]


def test_a_parquet_value_that_is_no_value_here_spoils_only_its_row(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    text = pyarrow.array([b"ok", b"\xff", b"fine"], pyarrow.binary()).view(pyarrow.string())
    times = pyarrow.array([0, 0, 300_000_000_000], pyarrow.timestamp("s"))  # beyond the year 9999
    parquet.write_table(pyarrow.table({"id": [1, 2, 3], "r": text, "t": times}), tmp_path / "a.parquet")
    found = rows(InputFile(str(tmp_path / "a.parquet")))
    assert [row.record is None for row in found] == [False, True, True]
    assert [row.reason.partition(": ")[::2] for row in found[1:]] == [
        ("row 2", "column `r`: not UTF-8 at byte 1"),
        ("row 3", "column `t`: the value can't be read (OverflowError)"),
    ]


def test_a_parquet_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table([[1], ["a"], ["b"]], names=["id", "r", "r"]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="the column `r` appears twice"):
        rows(InputFile(str(tmp_path / "a.parquet")))


def test_parquet_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'scoring-dsl\[parquet\]'"):
        read_rows(InputFile("a.parquet", b"x"))


def test_what_is_no_parquet_file_is_refused() -> None:
    with pytest.raises(InputError, match="Parquet"):
        rows(InputFile("a.parquet", b"no"))
