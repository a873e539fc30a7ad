"""The verbs over spec files from Python: check, test, fmt, lock, convert, new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring

TASK = "kind: task\nname: t\nscore: lower|equal\nexamples:\n  - {response: A, reference: a, expect: 1.0}\n"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def test_a_file_or_a_folder_is_checked(task: Path) -> None:
    assert scoring.check(task).findings == ()
    (task.parent / "other.yaml").write_text("kind: task\nname: o\nscore: equl\n", encoding="utf-8")
    found = scoring.check(task.parent)
    assert [one.id for one in found.findings] == ["unknown-name"]
    assert not found.passed
    assert len(found.files) == 2
    assert repr(found) == "<Checked: 2 files, 1 finding>"
    assert found.to_json()["diagnostics"][0]["id"] == "unknown-name"
    assert "<pre>" in found._repr_html_()


def test_a_folder_without_specs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(scoring.InputError, match="there are no spec files in"):
        scoring.check(tmp_path)


def test_examples_are_tried(task: Path) -> None:
    assert (scoring.test(task).examples, scoring.test(task).passed) == (1, True)
    task.write_text(TASK.replace("expect: 1.0", "expect: 0.25"), encoding="utf-8")
    assert [one.id for one in scoring.test([task]).findings] == ["example-failed"]


def test_a_file_is_formatted_only_when_asked(task: Path) -> None:
    (change,) = scoring.specs.fmt(task, write=False).changes
    assert task.read_text() == TASK
    assert "+score: lower | equal" in change.diff()
    assert scoring.specs.fmt(task).changes == (change,)
    assert task.read_text() == change.after
    assert scoring.specs.fmt(task).changes == ()


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


def test_a_foreign_task_becomes_a_spec(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    metrics.write_text('{"field_score_function": {"a": "exact_str_match"}, "aggregation": {"function": "mean"}}')
    text = scoring.specs.convert(metrics, name="mine", output=tmp_path / "mine.yaml")
    assert (tmp_path / "mine.yaml").read_text() == text
    assert scoring.check(tmp_path / "mine.yaml").passed
    with pytest.raises(scoring.InputError, match="exists"):
        scoring.specs.convert(metrics, output=tmp_path / "mine.yaml")


def test_what_is_no_foreign_task_is_refused(task: Path) -> None:
    with pytest.raises(scoring.InputError, match="is no"):
        scoring.specs.convert(task)


def test_a_starter_is_in_order(tmp_path: Path) -> None:
    path = scoring.specs.new("task", tmp_path / "folder" / "mine.yaml")
    assert scoring.check(path).findings == ()
    with pytest.raises(scoring.InputError, match="exists"):
        scoring.specs.new("task", path)
    with pytest.raises(scoring.InputError, match=r"should end in \.yaml"):
        scoring.specs.new("pack", tmp_path / "mine.txt")
