"""A suite's run that Python writes holds what the command writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.engine.suite.load import evaluate_suite, load_suite
from tests.unit.engine.suite.world import DATA, make, rows


def test_python_writes_the_scores_that_the_command_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, data = make(tmp_path), rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(path), str(data), "-o", str(tmp_path / "command")]) == 0
    with pytest.warns(DeprecationWarning, match=r"is now `scoring\.evaluate"):
        evaluate_suite(load_suite(path), data).write(tmp_path / "python")
    written = [sorted((tmp_path / name / "scores.jsonl").read_text().splitlines()) for name in ("command", "python")]
    assert written[0] == written[1]
    assert '"parsed":{"move":"e4"}' in "".join(written[0])
