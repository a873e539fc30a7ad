"""A lock pins what a spec means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from tests.unit.api.test_specs import TASK


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def test_a_lock_pins_what_a_spec_means(task: Path) -> None:
    assert [one.id for one in scoring.check(task, locked=True).findings] == ["lock-mismatch"]
    ((path, pinned),) = scoring.packs.lock(task).locks.items()
    assert path == task.with_suffix(".lock.json")
    assert json.loads(path.read_text())["meaning"] == pinned.meaning
    assert scoring.check(task, locked=True).findings == ()
    task.write_text(TASK.replace("lower|equal", "equal"), encoding="utf-8")
    assert not scoring.check(task, locked=True).passed


def test_a_broken_spec_gets_no_lock(task: Path) -> None:
    task.write_text("kind: task\nname: t\nscore: equl\n", encoding="utf-8")
    found = scoring.packs.lock(task)
    assert (found.passed, found.locks) == (False, {})
    assert not task.with_suffix(".lock.json").exists()
