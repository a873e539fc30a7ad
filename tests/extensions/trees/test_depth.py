"""Trees are compared down to the stated depth, and runs over them are written and read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.depth import DEEPEST
from tests.property.test_depth import check_depths, nested


@pytest.mark.parametrize("kind", ["lists", "mappings", "pairs"])
def test_trees_are_compared_down_to_the_stated_depth_and_refused_below(kind: str) -> None:
    check_depths("tree(leaf=equal)", kind)


def test_a_run_of_the_deepest_values_is_written_and_read_again(tmp_path: Path) -> None:
    spec, data, value = tmp_path / "t.yaml", tmp_path / "data.jsonl", nested(DEEPEST - 1, "mappings")
    spec.write_text("kind: task\nname: t\nparse: json\nscore: tree(leaf=equal)\n")
    data.write_text(json.dumps({"id": 1, "response": json.dumps({"a": value}), "reference": {"a": value}}) + "\n")
    run = scoring.evaluate(spec, data, output=tmp_path / "r")
    assert [one.score for one in run.records] == [1.0]
    assert scoring.runs.verify(tmp_path / "r").same
