"""A manifest seals the run of a suite, and that of a data set."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.unit.engine.runs.test_folder import ROOT, digests, manifest_of

BOXES = (ROOT / "specs/examples/detection/task.yaml", None)


@pytest.fixture
def suite(tmp_path: Path) -> tuple[Path, Path]:
    spec, data = tmp_path / "suite.yaml", tmp_path / "answers.jsonl"
    (tmp_path / "one.yaml").write_text("kind: task\nname: one\nversion: 1.0.0\nscore: equal\n")
    spec.write_text("kind: suite\nname: s\nversion: 1.0.0\ntasks:\n  - one.yaml\n")
    data.write_text('{"task": "one", "id": 1, "response": "a", "reference": "a"}\n')
    return spec, data


def test_so_it_has_of_a_suite_and_of_a_data_set_of_images(tmp_path: Path, suite: tuple[Path, Path]) -> None:
    scoring.evaluate(*suite, output=tmp_path / "suite", html=True)
    assert "task_results.json" in manifest_of(tmp_path / "suite")["files"]
    scoring.evaluate(*BOXES, output=tmp_path / "images", html=True)
    for name in ("suite", "images"):
        assert manifest_of(tmp_path / name)["files"] == digests(tmp_path / name)
