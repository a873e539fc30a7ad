"""A spec is a metric of EvalScope, called by its own adapter and averaged by an aggregation, and by its own command."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("evalscope")

from evalscope.api.benchmark.adapters.default_data_adapter import DefaultDataAdapter
from evalscope.api.evaluator.state import Target
from evalscope.api.metric import SampleScore
from evalscope.api.registry import get_aggregation

import scoring
from scoring.extensions.hosts.modules.evalscope import AGGREGATION, NAME, spec_entry
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, host_case

COMMAND = Path(__file__).with_name("evalscope_model.py")


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    case.check(case.scores)
    adapter = SimpleNamespace(metric_list=[spec_entry(case.spec, references_as="json")])
    samples = []
    with case.replaying():
        for one, row in zip(case.records, rows_of(case), strict=True):
            state = SimpleNamespace(target_reference=Target(row["answer"] or ""))
            score = DefaultDataAdapter.match_score(adapter, one.response, one.response, "", state)
            samples.append(SampleScore(score=score, sample_id=one.id))
    scores = {one.sample_id: one.score.value.get(NAME) for one in samples}
    [mean] = get_aggregation(AGGREGATION)()(samples)
    case.check(scores, mean.score)
    [own] = get_aggregation("mean")()(samples)
    case.check(scores, own.score, host_adds=True)
    assert mean.num == own.num == len([score for score in case.scores if score is not None])
    assert (mean.aggregation, mean.metric_name) == (own.aggregation, own.metric_name)
    unscored = [one.score for one in samples if NAME not in one.score.value]
    assert all(one.metadata[NAME].startswith("error: unscored: ") for one in unscored)


@pytest.mark.parametrize("name", CASES)
def test_by_its_own_command(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    folder, answers, work = tmp_path / "rows", tmp_path / "answers.json", tmp_path / "work"
    folder.mkdir()
    given = [
        {"question": one.id, "answer": row["answer"]} for one, row in zip(case.records, rows_of(case), strict=True)
    ]
    (folder / "default_test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    answers.write_text(json.dumps({one.id: one.response for one in case.records}), encoding="utf-8")
    command = [sys.executable, str(COMMAND), str(case.spec), str(answers), "eval", "--model", "answers"]
    command += ["--eval-type", "mock_llm", "--datasets", "rows", "--work-dir", str(work), "--no-timestamp"]
    command += ["--dataset-args", json.dumps({"rows": {"dataset_id": str(folder)}})]
    task = scoring.load(case.spec)
    with case.replaying():
        # An absent answer is an empty one to EvalScope.
        wanted = {
            one.id: score if one.response is not None else task.score_parts("", one.reference).score
            for one, score in zip(case.records, case.scores, strict=True)
        }
        environ = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    [reviews] = work.glob("reviews/**/*.jsonl")
    found = {}
    for line in reviews.read_text("utf-8").splitlines():
        review = json.loads(line)
        found[review["messages"][0]["content"]] = review["sample_score"]["score"]["value"].get(NAME)
    assert found == wanted
    kept = [score for score in wanted.values() if score is not None]
    [report] = work.glob("reports/**/rows.json")
    [metric] = json.loads(report.read_text("utf-8"))["metrics"]
    assert metric["num"] == len(kept)
    assert metric["identity"]["aggregation"] == "mean"
    assert metric["score"] == round(math.fsum(kept) / len(kept), 4)  # a report has four digits
