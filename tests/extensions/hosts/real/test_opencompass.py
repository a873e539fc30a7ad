"""A spec is an evaluator of OpenCompass, called by the task that evaluates predictions, and by its own command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("opencompass")

from datasets import Dataset
from mmengine.config import ConfigDict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # those of the package's own source are not ours
    from opencompass.tasks.openicl_eval import OpenICLEvalTask

import scoring
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, HostCase, host_case

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


CONFIG = """
PARTS = "tests.extensions.hosts.real.opencompass_parts"
models = [dict(type=f"{{PARTS}}.AnswersOfFile", abbr="answers", path={answers!r}, max_out_len=8, batch_size=50,
               run_cfg=dict(num_gpus=0))]
datasets = [dict(
    type=f"{{PARTS}}.RowsOfFile", abbr="rows", path={rows!r},
    reader_cfg=dict(input_columns=["question"], output_column="answer"),
    infer_cfg=dict(
        prompt_template=dict(type="PromptTemplate", template="{{question}}"),
        retriever=dict(type="ZeroRetriever"), inferencer=dict(type="GenInferencer"),
    ),
    eval_cfg=dict(evaluator=dict(type={evaluator!r}, spec={spec!r}, references_as="json")),
)]
"""


def opencompass(case: HostCase, folder: Path, *arguments: str) -> dict[str, Any]:
    """Run the command with a model that has the answers of the case; return the results that it writes."""
    rows, answers, config = folder / "rows.jsonl", folder / "answers.json", folder / "config.py"
    given = [{**row, "question": one.id} for one, row in zip(case.records, rows_of(case), strict=True)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    answers.write_text(json.dumps({one.id: one.response for one in case.records}), encoding="utf-8")
    named = {"answers": str(answers), "rows": str(rows), "evaluator": EVALUATOR, "spec": str(case.spec)}
    config.write_text(CONFIG.format(**named), encoding="utf-8")
    command = [sys.executable, "-c", "from opencompass.cli.main import main; main()", str(config), "--debug"]
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1"}
    with case.replaying():
        environ |= {name: os.environ[name] for name in case.environ}
        done = subprocess.run(
            [*command, "-w", str(folder / "work"), *arguments],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    [written] = (folder / "work").glob("*/results/answers/rows.json")
    found: dict[str, Any] = json.loads(written.read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", CASES)
def test_by_its_own_command(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    found = opencompass(case, tmp_path)
    details = found["details"]
    case.check([one["score"] for one in details], found["mean"], signature="meaning:" + details[0]["meaning"])


def test_predictions_that_it_wrote_are_scored_and_evaluated_again(tmp_path: Path) -> None:
    case = host_case("landmark", tmp_path, "texts")
    case.check(case.scores)
    opencompass(case, tmp_path, "-m", "all")
    [predictions] = (tmp_path / "work").glob("*/predictions/answers/rows.json")
    out = tmp_path / "scored.json"
    run = scoring.evaluate(
        case.spec, predictions, layout="opencompass", input_format="opencompass,reference=json", write_back=out
    )
    case.check([one.score for one in run.records], run.summary["metrics"][0]["value"])
    written = json.loads(out.read_text("utf-8"))
    assert [one["scoring"]["score"] for one in written.values()] == case.scores
    predictions.write_text(out.read_text("utf-8"), encoding="utf-8")
    next((tmp_path / "work").glob("*/results/answers/rows.json")).unlink()
    again = opencompass(case, tmp_path, "-m", "eval", "-r", "latest")
    case.check([one["score"] for one in again["details"]], again["mean"])
