"""Predictions that olmo-eval's own functions build and write are scored as `scoring score` scores the same records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostCase, HostRecord, host_case

types = pytest.importorskip("olmo_eval.common.types")
io = pytest.importorskip("olmo_eval.runners.io")
pytestmark = pytest.mark.filterwarnings("ignore")


def response_of(one: HostRecord) -> Any:
    """A response as a task of olmo-eval has it; its gold answers are texts."""
    gold = None if one.reference is MISSING else json.dumps(one.reference)
    asked = types.Instance(question="What do you see?", gold_answer=gold, metadata={"id": one.id})
    outputs = [] if one.response is None else [types.LMOutput(text=one.response)]
    request = types.LMRequest(request_type=types.RequestType.COMPLETION)
    return types.Response(instance=asked, request=request, outputs=outputs, scores={"exact_match": 1.0})


def predictions_of(case: HostCase, folder: Path) -> Path:
    """The file that olmo-eval writes of a case."""
    io.write_predictions_jsonl(str(folder), "demo", io.build_predictions(list(map(response_of, case.records))), "model")
    (found,) = folder.rglob("*-predictions.jsonl")
    return Path(found)


@pytest.mark.parametrize("name", CASES)
def test_its_predictions_are_scored_and_written_back(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    path, back = predictions_of(case, tmp_path / "out"), tmp_path / "back.jsonl"
    spec = yaml.safe_load(case.spec.read_text("utf-8"))
    spec.pop("by", None)  # nothing else of a record is in a prediction
    plain = case.spec.with_name("plain.yaml")
    plain.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    with case.replaying():
        run = scoring.evaluate(plain, path, input_format="olmo-eval,reference=json", write_back=back)
    found = {one.id: one.score for one in run.records}
    case.check(found, run.summary["metrics"][0]["value"], signature=run.summary["signature"])
    lines = [json.loads(line) for line in back.read_text("utf-8").splitlines()]
    assert [line["scoring"]["status"] for line in lines] == [line["status"] for line in case.lines]
    kept = {line["native_id"]: line["instance_metrics"] for line in lines}
    assert all(one["exact_match"] == {"exact_match": 1.0} for one in kept.values())
