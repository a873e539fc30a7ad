"""Where rows name their task and hold their records: paths, of which the first with a value counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring


def suite(folder: Path, data: dict[str, Any]) -> str:
    (folder / "task.json").write_text(json.dumps({"kind": "task", "name": "one", "score": "equal"}))
    path = folder / "suite.json"
    path.write_text(json.dumps({"kind": "suite", "name": "s", "tasks": ["task.json"], "data": data}))
    return str(path)


def test_of_several_paths_the_first_with_a_value_counts(tmp_path: Path) -> None:
    spec = suite(tmp_path, {"task": ["at.task", "name"], "records": ["answers", "more"]})
    pair = {"response": "a", "reference": "a"}
    rows = [{"at": {"task": "one"}, "answers": [{"id": 1, **pair}]}, {"name": "one", "more": [{"id": 2, **pair}]}]
    assert scoring.evaluate(spec, rows).summary["metrics"][0]["value"] == 1.0


@pytest.mark.parametrize("path", ["task || name", "answers[0:1]", "a b"])
def test_what_computes_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(scoring.SpecError) as raised:
        scoring.load(suite(tmp_path, {"task": path}))
    (found,) = raised.value.diagnostics
    assert (found.id, found.message) == ("bad-path", f"`{path}` is no path")
    assert "in a list" in found.help[0]
