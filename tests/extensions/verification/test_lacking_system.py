"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_runs_are_verified_and_compared(folder: Path) -> None:
    for name in ("first", "second"):
        assert ran(folder, "-m", "scoring", "score", "t.yaml", "rows.jsonl", "-o", name, "--html")[0] == 0
    for words in (("verify", "first"), ("compare", "first", "second")):
        status, said = ran(folder, "-m", "scoring", *words)
        assert status == 0, said
        assert "bug in scoring" not in said
