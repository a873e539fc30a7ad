"""Samples that lmms-eval itself wrote are read, scored as `scoring score` scores the data, and written back."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, HostCase, host_case, meaning_of

if find_spec("lmms_eval") is None:
    pytest.skip("lmms-eval is not installed", allow_module_level=True)

COMMAND = Path(__file__).with_name("lmms_model.py")
OWN = "def said(doc, results):\n    return {'length': float(len(str(results[0])))}\n"
"""A metric of the harness, which a log must have one of."""


FORM = "lmms-eval,reference=json"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostCase]:
    folder = tmp_path_factory.mktemp("cases")
    return {name: host_case(name, folder, "texts") for name in CASES}


@pytest.fixture(scope="module")
def samples(cases: Mapping[str, HostCase], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The file of samples of each case, by one run of the harness's command."""
    folder = tmp_path_factory.mktemp("lmms")
    tasks, out, answers = folder / "tasks", folder / "out", folder / "answers.json"
    tasks.mkdir()
    (tasks / "own.py").write_text(OWN, encoding="utf-8")
    for name, case in cases.items():
        rows = tasks / f"{name}.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in rows_of(case)), encoding="utf-8")
        own = {
            "task": f"own_{name}",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(rows)}},
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "id",
            "doc_to_target": "answer",
            "generation_kwargs": {"until": []},
            "metric_list": [{"metric": "length", "aggregation": "mean", "higher_is_better": True}],
        }
        text = json.dumps(own)[:-1] + ', "process_results": !function own.said}'
        (tasks / f"own_{name}.yaml").write_text(text, encoding="utf-8")
    answers.write_text(json.dumps({one.id: one.response for case in cases.values() for one in case.records}))
    command = [sys.executable, str(COMMAND), str(answers), "--model", "answers-of-file", "--include_path", str(tasks)]
    command += ["--tasks", ",".join(f"own_{name}" for name in cases), "--log_samples", "--output_path", str(out)]
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf")}
    done = subprocess.run(command, cwd=tasks, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found = {name: list(out.glob(f"**/*_samples_own_{name}.jsonl")) for name in cases}
    assert all(found.values()), done.stderr[-4000:]  # its command exits with 0 where it fails
    return {name: path for name, [path] in found.items()}


@pytest.mark.parametrize("name", CASES)
def test_samples_are_scored_and_written_back(
    name: str, cases: Mapping[str, HostCase], samples: Mapping[str, Path], tmp_path: Path
) -> None:
    case, out = cases[name], tmp_path / samples[name].name
    spec = case.spec.with_name(f"{name}-of-log.yaml")  # it writes nothing of a document but its target
    lines = case.spec.read_text("utf-8").splitlines(keepends=True)
    spec.write_text("".join(line for line in lines if not line.startswith("by:")), encoding="utf-8")
    task, wanted = scoring.load(case.spec), list(case.scores)
    for place, one in enumerate(case.records):
        if one.response is None:  # which is the text `None` there
            wanted[place] = task.score_parts("None", one.reference).score
    with case.replaying():
        run = scoring.evaluate(spec, samples[name], input_format=FORM, write_back=out)
        again = scoring.evaluate(spec, out, input_format=FORM)
    assert [one.score for one in run.records] == wanted
    assert meaning_of(run.summary["signature"]) == case.meaning
    kept = [one for one in wanted if one is not None]
    assert run.summary["metrics"][0]["value"] == math.fsum(kept) / len(kept)
    written: list[dict[str, Any]] = [json.loads(line) for line in out.read_text("utf-8").split("\n") if line]
    assert [line["scoring"]["score"] for line in written] == [one.score for one in run.records]
    before = [json.loads(line) for line in samples[name].read_text("utf-8").split("\n") if line]
    assert [{key: value for key, value in line.items() if key != "scoring"} for line in written] == before
    assert again.summary["metrics"] == run.summary["metrics"]
