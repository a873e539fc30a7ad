"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


# Each example of a formula would start a process of its own there, which `maths/test_lacking_system.py` tries.
PROGRAM = """
from scoring.cli.main import main
from scoring.extensions.maths import server, worker


def ask(question, limit):
    try:
        return server._answer(question)
    except Exception as error:
        raise worker.FormulaError(type(error).__name__, str(error)) from None


worker._ask = ask
raise SystemExit(main(["site", "t.yaml", "-o", "pages"]))
"""


def test_the_pages_of_a_folder_are_written(folder: Path) -> None:
    status, said = ran(folder, "-c", PROGRAM)
    assert status == 0, said
    assert (folder / "pages" / "index.html").is_file()
