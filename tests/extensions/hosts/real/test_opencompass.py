"""A spec is an evaluator of OpenCompass, called by the task that evaluates predictions."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("opencompass")

from datasets import Dataset
from mmengine.config import ConfigDict
from opencompass.tasks.openicl_eval import OpenICLEvalTask

from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case

EVALUATOR = "scoring.extensions.hosts.modules.opencompass.SpecEvaluator"


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    said = [one.response for one in case.records]
    evaluator = {"type": EVALUATOR, "spec": str(case.spec), "references_as": "json"}
    task = SimpleNamespace(
        eval_cfg=ConfigDict(evaluator=evaluator),
        output_column="answer",
        model_cfg=ConfigDict(abbr="model"),
        dataset_cfg=ConfigDict(abbr="data"),
        work_dir=str(tmp_path),
        dump_details=True,
    )
    rows = Dataset.from_list(rows_of(case))
    with case.replaying():
        found = OpenICLEvalTask._evaluate_predictions(task, said, rows, [{"prediction": one} for one in said])
    details = found["details"]
    case.check([one["score"] for one in details], found["mean"], signature="meaning:" + details[0]["meaning"])
    assert [one["reason"] for one in details] == [line.get("reason") for line in case.lines]
