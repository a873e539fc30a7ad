"""Paths of a spec double what they read: in two hundred characters a thousand million times."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main

DOUBLING = {
    "lists": ["response", *["[@, @]"] * 28],
    "mappings": ["response", *["{a: @, b: @}"] * 28],
    "lists made flat": ["response", *["[@, @]"] * 28, *["[]"] * 28],
    "texts": ["response", *["join('', [@, @])"] * 30],
    "texts of lists": ["response", *["to_string([@, @])"] * 26],
    "what is compared": ["response", *["[@, @]"] * 28, "@ == @"],
    "lists that are mapped": ["[response]", *["map(&[@, @], @)"] * 28],
}


@pytest.mark.parametrize(
    ("name", "place"),
    [*((name, "response") for name in DOUBLING), *(("texts", place) for place in ("id", "by", "metric"))],
)
def test_a_path_that_doubles_reads_nothing(
    name: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = " | ".join(DOUBLING[name])
    parts = {"id": "id", "response": "response", "reference": "reference"}
    spec: dict[str, Any] = {"kind": "task", "name": "t", "record": parts, "score": "equal", "metrics": ["mean"]}
    if place in parts:
        spec["record"] = {**parts, place: path}
    elif place == "by":
        spec["by"] = [path]
    else:
        spec["metrics"] = ["mean", {"best": f"f1(prediction={json.dumps(path)}, reference='reference')"}]
    (tmp_path / "t.json").write_text(json.dumps(spec))
    (tmp_path / "d.jsonl").write_text('{"id": "1", "response": "a", "reference": "a"}\n' * 2)
    begun = time.process_time()
    code = main(["score", str(tmp_path / "t.json"), str(tmp_path / "d.jsonl")])
    printed = "".join(capsys.readouterr())
    assert "this is a bug" not in printed
    assert code in (0, 1, 3)
    assert ("coverage  100%" in printed) is (place != "response" and code == 0), printed
    assert time.process_time() - begun < 60


def test_a_path_that_only_reads_much_is_as_it_was() -> None:
    """A hundred thousand items, each made a mapping, picked and sorted: as JMESPath has it."""
    items = [{"a": number, "b": [str(number)] * 3} for number in range(100_000)]
    path = "sort_by(items[?a >= `1`].{n: a, text: join('-', b)}, &n)[-1].text"
    task = scoring.load({"kind": "task", "name": "t", "record": {"response": path}, "score": "equal"})
    assert task.score({"items": items, "reference": "99999-99999-99999"}).score == 1.0
