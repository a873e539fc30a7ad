"""The verbs over spec files from Python: check, lock."""

from __future__ import annotations

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
