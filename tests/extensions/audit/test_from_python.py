"""An audit from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.support.kinds_of_tasks import KINDS, copy_examples
from tests.unit.api.test_wrong_arguments import ROWS


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped examples of each kind of task."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_audit_is_a_table_of_laws(desk: Path) -> None:
    found = scoring.audit(*KINDS["rows"])
    assert {"scorer", "law", "tried", "holds", "excepted", "is_broken", "is_advice", "broken"} == set(found.table()[0])
    assert found.passed == found.to_json()["passed"]
    assert scoring.audit(scoring.load(KINDS["rows"][0]), KINDS["rows"][1]).data == found.data
    assert scoring.audit(KINDS["table"][0]).to_json()["scorers"]
    with pytest.raises(scoring.InputError, match="there is no change `colour`"):
        scoring.audit(*KINDS["rows"], invariant=["colour"])
    with pytest.raises(scoring.InputError, match="scoring audit: a suite joins"):
        scoring.audit(*KINDS["suite"])


def test_a_change_given_as_a_text_is_one(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text("kind: task\nname: t\nscore: casefold | equal\n")
    assert "case" in scoring.audit(path, ROWS, invariant="case").to_json()["must_hold"]
