"""The census of confidences: the same however it is counted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.unit.engine.road.test_census import SPEC, inputs, mixed, rows

SURE = {**SPEC, "metrics": ["mean", 'ece(confidence="sure")']}


@pytest.fixture(scope="module")
def whole() -> str:
    found = json.dumps(inputs(SURE, mixed, 3_000))
    assert all(kind in found for kind in ("unequal_types", "error_answers", "cases", "alike_groups", "percents"))
    return found


@pytest.mark.parametrize("size", [1, 7, 512, 10_000])
def test_it_is_the_same_for_any_size_of_batches(size: int, whole: str) -> None:
    assert json.dumps(inputs(SURE, mixed, 3_000, batch_size=size)) == whole


def test_it_is_the_same_in_any_order_and_any_process(tmp_path: Path, whole: str) -> None:
    records = rows(mixed, 3_000)
    random.Random(5).shuffle(records)
    (tmp_path / "task.yaml").write_text(json.dumps(SURE))
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    spec, data = str(tmp_path / "task.yaml"), str(tmp_path / "data.jsonl")
    small: dict[str, Any] = {"keep_values": False, "keep_records": False}
    assert json.dumps(scoring.evaluate(spec, data, processes=2, **small).to_json()["inputs"]) == whole
    plain = {**SURE, "intervals": {}}  # states of clusters are another matter
    (tmp_path / "task.yaml").write_text(json.dumps(plain))
    one = scoring.evaluate(spec, data).to_json()["inputs"]
    assert scoring.evaluate(spec, data, parts=str(tmp_path / "parts"), **small).to_json()["inputs"] == one
    assert scoring.runs.merge(str(tmp_path / "parts")).to_json()["inputs"] == one
