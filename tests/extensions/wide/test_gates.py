"""Merged parts have gates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.cli.test_gates import ROWS, SPEC, score


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(SPEC)
    Path("d.jsonl").write_text("\n".join(map(json.dumps, ROWS)))


def test_merged_parts_have_gates(capsys: pytest.CaptureFixture[str]) -> None:
    assert score("--parts", "parts", "--min", "mean=0.9") == 4
    assert main(["merge", "parts", "--min", "mean=0.75"]) == 0
    assert main(["merge", "parts", "--min", "mean=0.9"]) == 4
    assert main(["merge", "parts", "--min", "meen=0.9"]) == 2
