"""The Python of docs/hosts/tables.md runs, with the libraries that it names, and finds the same scores in each."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("duckdb")
arrow = pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets")

import scoring.tables  # noqa: E402
from tests.support.golden import REPOSITORY  # noqa: E402

PAGE = (REPOSITORY / "docs/hosts/tables.md").read_text("utf-8")
TASK = """\
kind: task
name: places
version: 1.0.0
record: {response: answer, reference: gold}
parse: json
fields: {city: equal}
"""
ROWS = [
    {"answer": '{"city": "Rome"}', "gold": {"city": "Rome"}, "doc_type": "a"},
    {"answer": '{"city": "Paris"}', "gold": {"city": "Rome"}, "doc_type": "b"},
    {"answer": "no idea", "gold": {"city": "Rome"}, "doc_type": "b"},
]


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    datasets.disable_progress_bars()
    Path("task.yaml").write_text(TASK)
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    names: dict[str, Any] = {
        "scoring": scoring,
        "table": arrow.Table.from_pylist(ROWS),
        "dataset": datasets.Dataset.from_list(ROWS),
    }
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, "docs/hosts/tables.md", "exec"), names)
    wanted = [1.0, 0.0, None]
    assert names["table"]["score"].to_pylist() == names["dataset"][:]["score"] == wanted
    frame = names["frame"].scoring.score("task.yaml", references_as="json")
    assert frame["score"].to_list() == wanted
    assert names["connection"].sql("SELECT score(answer, gold) FROM 'answers.jsonl'").fetchall() == [
        (1.0,),
        (0.0,),
        (None,),
    ]
