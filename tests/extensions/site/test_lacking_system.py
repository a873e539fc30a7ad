"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_the_pages_of_a_folder_are_written(folder: Path) -> None:
    status, said = ran(folder, "-m", "scoring", "site", "t.yaml", "-o", "pages")
    assert status == 0, said
    assert (folder / "pages" / "index.html").is_file()
