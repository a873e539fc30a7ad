"""A scenario state that `helm-run` wrote is read, and HELM's own classes read the statistics that are written back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("helm.benchmark.run")

from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.metric import PerInstanceStats
from helm.common.codec import from_json

import scoring

# The simple model says the last word of its prompt to everything.
SPEC = {"kind": "task", "name": "even", "parse": 'replace("Parity:", "Even")', "score": "equal", "metrics": ["mean"]}
RUN = "simple_classification:model=simple/model1"


def test_a_run_of_its_own_command(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from helm.benchmark.run import main; main()", "--run-entries", RUN]
    options = ["--suite", "s", "--max-eval-instances", "200"]
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    [log] = tmp_path.glob("benchmark_output/runs/s/*/scenario_state.json")
    out = tmp_path / "per_instance_stats.json"
    run = scoring.evaluate(SPEC, log, write_back=out)
    task = scoring.load(SPEC)
    wanted = {}
    for state in from_json(log.read_text("utf-8"), ScenarioState).request_states:
        said, right = state.result.completions[0].text, state.instance.first_correct_reference.output.text
        wanted[state.instance.id] = task.score_parts(said, right).score
    assert len(run.records) == len(wanted) > 50
    assert {one.id: one.score for one in run.records} == wanted
    assert len(set(wanted.values())) > 1
    stats = from_json(out.read_text("utf-8"), list[PerInstanceStats])
    assert {one.instance_id: one.stats[0].mean for one in stats} == wanted
