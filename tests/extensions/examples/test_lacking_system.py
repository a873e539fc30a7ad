"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_examples_are_run(folder: Path) -> None:
    status, said = ran(folder, "-m", "scoring", "test", "t.yaml")
    assert status == 0, said
    assert "bug in scoring" not in said
