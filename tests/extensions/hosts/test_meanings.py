"""Every host is told the same meaning as `scoring score` states, with the seed that was given."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import export
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from scoring.extensions.hosts.modules.vlmevalkit import evaluate_predictions

SEED = 7
SPEC = {"kind": "task", "name": "demo/towns", "version": "1.0.0", "score": "lower | equal"}
LINE = {
    "doc_id": 0, "doc_hash": "h", "input": "?", "target": "paris", "filtered_resps": "Paris", "resps": ["Paris"],
}  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that `scoring score` made of the log of a host, written back beside it."""
    (tmp_path / "towns.json").write_text(json.dumps(SPEC), encoding="utf-8")
    (tmp_path / "samples.jsonl").write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    files = ["towns.json", "samples.jsonl"]
    paths = [str(tmp_path / name) for name in files]
    back, out = str(tmp_path / "back.jsonl"), str(tmp_path / "run")
    assert main(["score", *paths, "--layout", "lmms-eval", "--seed", str(SEED), "--write-back", back, "-o", out]) == 0
    return tmp_path / "run"


def wanted(run: Path) -> str:
    found: str = json.loads((run / "manifest.json").read_text("utf-8"))["meaning"]
    assert found.endswith(f"|seed:{SEED}")
    return found


def exported(run: Path, tool: str, suffix: str) -> str:
    """The texts of all files of an export."""
    found = export(tool, run, run.parent / f"{tool}{suffix}")
    return "\n".join(Path(path).read_text("utf-8") for path in found.data["files"])


@pytest.mark.parametrize(
    ("tool", "suffix"),
    [("inspect", ".jsonl"), ("every-eval-ever", ""), ("hf-results", ".yaml"), ("openmetrics", ".prom")],
)
def test_exports_state_it_whole(run: Path, tool: str, suffix: str) -> None:
    assert wanted(run) in exported(run, tool, suffix)


def test_a_log_that_is_written_back_states_it(run: Path) -> None:
    line = json.loads((run.parent / "back.jsonl").read_text("utf-8"))
    assert line["scoring"]["meaning"] == wanted(run)


def test_a_task_of_lm_eval_carries_the_seed_that_is_given(run: Path) -> None:
    out, files = run.parent / "tasks", "demo_towns_scoring.yaml"
    assert main(["export", f"lm-eval,seed={SEED}", str(run.parent / "towns.json"), "-o", str(out)]) == 0
    assert json.dumps(wanted(run)) in (out / files).read_text("utf-8")
    assert HostTask.of_file(out / "demo_towns.json").meaning == wanted(run)
    with pytest.raises(InputError, match="`seed` of `lm-eval` is that of `scoring score --seed`"):
        export("lm-eval,seed=x", run.parent / "towns.json", out, force=True)


def of_platform(task: scoring.Task) -> Any:
    return scoring.platforms.to_feedback(task.score_parts("Paris", "paris"), task)["meaning"]


def of_module(task: scoring.Task) -> Any:
    return HostTask(task).sample("Paris", "paris", {})["meaning"]


def of_service(task: scoring.Task) -> Any:
    pytest.importorskip("starlette", reason="a service needs the extra `serve`")
    from scoring.extensions.serving.verbs import _served

    return _served([task])[0].meaning


def of_opencompass(spec: Any, seed: int | None = None) -> Any:
    return SpecEvaluator(spec, seed=seed).score(["Paris"], ["paris"], [{}])["details"][0]["meaning"]


def of_vlmevalkit(spec: Any, seed: int | None = None) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "said.tsv"
        table.write_text("index\tanswer\tprediction\n1\tparis\tParis\n", encoding="utf-8")
        evaluate_predictions(spec, table, seed=seed)
        return json.loads((Path(folder) / "said_scoring.jsonl").read_text("utf-8"))["meaning"]


@pytest.mark.parametrize("told", [of_opencompass, of_vlmevalkit])
def test_hosts_that_name_a_spec_give_its_seed_beside_it(run: Path, told: Callable[..., Any]) -> None:
    spec = run.parent / "towns.json"
    assert told(spec, seed=SEED) == told(scoring.load(spec, seed=SEED)) == wanted(run)
    assert told(spec) != wanted(run)
    with pytest.raises(InputError, match="is loaded, with its seed 7: give 8 to"):
        told(scoring.load(spec, seed=SEED), seed=8)


@pytest.mark.parametrize("told", [of_platform, of_module, of_service])
def test_hosts_that_call_a_task_are_told_it(run: Path, told: Callable[[scoring.Task], Any]) -> None:
    assert told(scoring.load(run.parent / "towns.json", seed=SEED)) == wanted(run)
