"""Hostile records are explained in bounded texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.unit.engine.test_hostile import RESPONSES, SPEC, records


@pytest.mark.parametrize("name", RESPONSES)
def test_each_record_can_be_explained(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, data = tmp_path / "spec.json", tmp_path / "data.jsonl"
    spec.write_text(json.dumps(SPEC))
    data.write_text("".join(json.dumps(record) + "\n" for record in records() if record["id"] == name))
    assert main(["explain", str(spec), str(data)]) == 0
    assert main(["explain", str(spec), str(data), "--json"]) == 0
    assert len(capsys.readouterr().out) < 200_000
