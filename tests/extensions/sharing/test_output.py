"""What is written beside a run is changed by nobody else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from tests.unit.data.test_output import SPEC, may_be_changed_by_all


@pytest.fixture
def open_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="this system holds no folders open")
@pytest.mark.usefixtures("open_mask")
def test_nothing_is_written_for_everybody_to_change_whatever_the_mask(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    (tmp_path / "data.jsonl").chmod(0o644)
    scoring.evaluate(SPEC, tmp_path / "data.jsonl", output=tmp_path / "run", html=True)
    scoring.runs.bundle(tmp_path / "run", tmp_path / "run.zip")
    scoring.specs.new("task", tmp_path / "deep" / "task.yaml")
    scoring.packs.lock(tmp_path / "deep" / "task.yaml")
    assert may_be_changed_by_all(tmp_path) == []
