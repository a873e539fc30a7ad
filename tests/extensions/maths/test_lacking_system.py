"""Where a system lacks what Windows lacks, this works, or says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lacking import printed, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_formulas_are_compared_and_what_is_too_much_work_is_unscored(folder: Path) -> None:
    pytest.importorskip("sympy")
    program = """
task = scoring.load({"kind": "task", "name": "t", "score": "equal_formulas"})
for given in ("x + 1", "x + 2"):
    found = task.score_parts(given, "1 + x")
    print(found.score, found.status)
from scoring.extensions.maths import worker
try:
    worker.formulas_equal("(x+y)^{30}", r"\\sin(x+y)^{30}", limit=0.0005)
except worker.FormulaError as error:
    print(error)
"""
    assert printed(folder, program).splitlines() == ["1.0 scored", "0.0 scored", "the formula takes too much work"]
