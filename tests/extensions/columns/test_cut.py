"""Parts of Parquet files are row groups, and of these the columns that something reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.extensions.wide.cutting import cut
from tests.extensions.wide.test_cut import RECORDS, written
from tests.support.formats import WRITE


def test_row_groups_are_cut_with_the_rows_before_them(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), tmp_path / "a.parquet", row_group_size=16)
    parts = list(cut(InputFile(str(tmp_path / "a.parquet")), 1))
    assert [(part.start, part.stop, part.first) for part in parts] == [(0, 1, 0), (1, 2, 16), (2, 3, 32)]


def test_columns_that_nothing_reads_are_not_read(tmp_path: Path) -> None:
    file = written(tmp_path, "a.parquet", WRITE["parquet"](RECORDS))
    file.columns = {"id", "absent"}
    assert [row.record for row in read_rows(file)] == [{"id": record["id"]} for record in RECORDS]
