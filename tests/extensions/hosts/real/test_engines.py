"""`scoring score --engine ray` and `--engine spark` as their users run them: the lines and figures of one process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY
from tests.support.host_cases import Answers, HostCase, host_case
from tests.support.ray_cluster import STARTS, TIMED_OUT, ray_cluster

ENGINES = {"ray": "ray", "spark": "pyspark"}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an engine; the commands of the tests join one cluster of Ray."""
    if find_spec(ENGINES[request.param]) is None:
        pytest.skip(f"needs {ENGINES[request.param]}")
    with ray_cluster() if request.param == "ray" else nullcontext():
        yield request.param


def ran(case: HostCase, engine: str, out: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    with case.replaying():
        command = [sys.executable, "-P", "-m", "scoring", "score", str(case.spec), str(case.data), "--engine", engine]
        environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        return subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, check=False, env=environ)


@pytest.mark.parametrize("name", ["invoices", "landmark"])
@pytest.mark.parametrize("answers", ["texts", "mixed"])
def test_every_line_is_as_by_one_process(engine: str, name: str, answers: Answers, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, answers)
    done = ran(case, engine, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with redirect_stdout(io.StringIO()):
        wanted = (case.run / "scores.jsonl").read_text("utf-8").splitlines()
    lines = (tmp_path / "out" / "scores.jsonl").read_text("utf-8").splitlines()
    assert lines == wanted
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    scores = [json.loads(line)["score"] for line in lines]
    case.check(scores, summary["metrics"][0]["value"], signature=summary["signature"])


def test_a_cluster_is_started_where_there_is_none(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    case = host_case("landmark", tmp_path)
    for _ in range(STARTS):
        done = ran(case, engine, tmp_path / "out")
        if TIMED_OUT not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    with redirect_stdout(io.StringIO()):
        wanted = (case.run / "scores.jsonl").read_bytes()
    assert (tmp_path / "out" / "scores.jsonl").read_bytes() == wanted


def test_a_judged_task_is_refused_in_one_line(engine: str, tmp_path: Path) -> None:
    done = ran(host_case("judged", tmp_path), engine, tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("scoring: this run can't be made in parts: a task that asks a judge")
