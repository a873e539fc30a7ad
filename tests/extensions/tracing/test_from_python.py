"""Explanations from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from tests.support.kinds_of_tasks import KINDS, copy_examples
from tests.unit.api.test_runs import RECORDS, SPEC


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped examples of each kind of task."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_record_is_explained_wherever_it_stands(desk: Path) -> None:
    first = scoring.explain(*KINDS["suite"])
    task, _, name = first.about.removeprefix("record ").partition(" of ")[0].rpartition("/")
    assert scoring.explain(*KINDS["suite"], record=f"{task}/{name}").data == first.data
    assert scoring.explain(*KINDS["suite"], record=name).data == first.data
    with pytest.raises(scoring.InputError, match="no record has the id"):
        scoring.explain(*KINDS["suite"], record=f"{task}/nowhere")
    for spec in (SPEC, scoring.load(SPEC)):
        assert scoring.explain(spec, RECORDS, record="q2").about == "record q2 of t"
    assert scoring.explain(KINDS["table"][0]).about.startswith("image ")
    assert scoring.explain("unknown-name").data["id"] == "unknown-name"
