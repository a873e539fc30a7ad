"""What a run keeps of computed values: in either layout, the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.extensions.verification.read import read_run

SPEC = """kind: task
name: t
values:
  letter: prediction | find("[A-D]")
  words_of: reference | words
fields:
  choice: {prediction: letter, reference: words_of | item_at(0), score: equal}
by: [letter]
metrics: [mean, {share: sum(score) / sum(record.n)}]
"""


@pytest.mark.parametrize("layout", ["jsonl", "parquet"])
def test_a_run_keeps_values_by_name(tmp_path: Path, layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    if layout == "parquet":
        pytest.importorskip("pyarrow")
    spec, data = tmp_path / "t.yaml", tmp_path / "d.jsonl"
    spec.write_text(SPEC, "utf-8")
    rows = [
        {"id": "a", "response": "B", "reference": "B C", "n": 1},
        {"id": "b", "response": "x", "reference": "B", "n": 1},
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert main(["score", str(spec), str(data), "-o", str(tmp_path / "run"), "--scores", layout]) == 0, (
        capsys.readouterr()
    )
    kept = read_run(tmp_path / "run").records
    assert kept["a"]["values"] == {"letter": "B", "words_of": ["B", "C"]}
    assert kept["b"]["values"] == {"letter": None, "words_of": ["B"]}
