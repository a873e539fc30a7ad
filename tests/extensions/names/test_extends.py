"""A task extends one by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring

TASK = {"kind": "task", "name": "mine", "version": "3.0.0"}


def meaning(spec: Any) -> str:
    return str(scoring.load(spec).signature).split("|")[1]


def test_only_the_paths_of_a_record_are_stated_anew() -> None:
    own = {**TASK, "extends": "squad@2", "record": {"response": "pred", "reference": "gold"}}
    assert meaning(own) == meaning("squad@2")
    found = scoring.score(own, {"pred": "the Eiffel Tower", "gold": ["Eiffel Tower"]})
    assert found.score == 1.0
    assert scoring.load(own).spec.name == "mine"


@pytest.mark.parametrize(
    ("name", "finding", "message"),
    [
        ("nothing@1", "no-such-file", "no task is called `nothing`"),
        ("squad@9", "import-version", "no version that fits `9`"),
        ("megabench-suite", "cannot-extend", "`megabench-suite` is no task"),
        ("rubrics@1", "no-such-file", "no task is called `rubrics`; a pack is"),
    ],
)
def test_a_name_that_is_no_task_is_refused_at_its_place(tmp_path: Path, name: str, finding: str, message: str) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(f"kind: task\nname: mine\nversion: 1.0.0\nextends: {name}\n")
    (found,) = scoring.check(path).findings
    assert (found.id, message in found.message, str(found.span)) == (finding, True, f"{path}:4:10")


def test_it_travels_whole(tmp_path: Path) -> None:
    own = {**TASK, "extends": "squad@2", "record": {"response": "pred"}}
    task = scoring.load(own)
    assert type(task).from_bytes(task.to_bytes()).signature == task.signature
