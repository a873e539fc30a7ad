"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_a_parquet_file_is_read(folder: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"id": [1, 2], "response": ["a", "b"], "reference": ["a", "a"]})
    parquet.write_table(table, folder / "rows.parquet")
    status, said = ran(folder, "-m", "scoring", "score", "t.yaml", "rows.parquet")
    assert status == 0, said
    assert "mean      0.5000" in said
