"""Specs are scored by lighteval itself, and its details by `scoring score`, to the same bits."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lighteval")

import pyarrow.parquet as pq

import scoring
from scoring.result import MISSING
from tests.support.golden import REPOSITORY
from tests.support.host_cases import CASES, HostCase, host_case

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, HostCase]:
    folder = tmp_path_factory.mktemp("cases")
    return {name: host_case(name, folder, "texts") for name in CASES}


@pytest.fixture(scope="module")
def out(cases: dict[str, HostCase], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that lighteval's own command wrote."""
    folder = tmp_path_factory.mktemp("lighteval")
    for name, case in cases.items():
        data = case.spec.parent / name / "test.jsonl"
        data.parent.mkdir()
        rows = []
        for one in case.records:
            known = {key: value for key, value in one.whole.items() if key in ("id", "doc_type", "languages", "human")}
            gold = None if one.reference is MISSING else json.dumps(one.reference)
            rows.append(json.dumps({"id": one.id, "record": json.dumps(known), "reference": gold}) + "\n")
        data.write_text("".join(rows), encoding="utf-8")
    said = folder / "answers.json"
    said.write_text(json.dumps({one.id: one.response for case in cases.values() for one in case.records}))
    command = [sys.executable, str(HERE / "lighteval_model.py"), "custom", "said", str(HERE / "lighteval_model.py")]
    command += [",".join(f"{name}|0" for name in CASES), "--custom-tasks", str(HERE / "lighteval_tasks.py")]
    command += ["--output-dir", str(folder / "out"), "--save-details"]
    environ = {
        "LIGHTEVAL_CASES": str(cases["invoices"].spec.parent), "LIGHTEVAL_ANSWERS": str(said),
        "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf"),
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    environ = {**os.environ, **environ, **cases["judged"].environ}
    found = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, (found.stdout + found.stderr)[-3000:]
    return folder / "out"


def details(out: Path, name: str) -> Path:
    (found,) = out.glob(f"details/*/*/details_{name}|0_*.parquet")
    return found


def figures(out: Path, name: str) -> dict[str, Any]:
    (found,) = out.glob("results/*/results_*.json")
    own: dict[str, Any] = json.loads(found.read_text("utf-8"))["results"][f"{name}|0"]
    return own


@pytest.mark.parametrize("name", CASES)
def test_lighteval_has_our_scores_and_figures(name: str, cases: dict[str, HostCase], out: Path) -> None:
    case, own = cases[name], figures(out, name)
    rows = {row["doc"]["specific"]["id"]: row for row in pq.read_table(details(out, name)).to_pylist()}
    case.check({key: row["metric"]["scoring"]["score"] for key, row in rows.items()}, own["mean"])
    kept = [rows[one.id]["metric"]["scoring"] for one in case.records]
    reasons = [(one["status"], one["reason"]) for one in kept]
    assert reasons == [(one["status"], one.get("reason")) for one in case.lines]
    assert [own["mean_low"], own["mean_high"]] == case.summary["metrics"][0]["interval"]
    assert own["coverage"] == case.summary["coverage"]
    assert own["unparsed_rate"] == case.summary["counts"]["not_parsed"] / 200
    assert {f"meaning:{one['meaning'].partition('|')[0]}" for one in kept} == {case.meaning}
    assert not any(math.isnan(value) for value in own.values())


@pytest.mark.parametrize("name", CASES)
def test_details_are_scored_and_written_back(name: str, cases: dict[str, HostCase], out: Path, tmp_path: Path) -> None:
    case = cases[name]
    with case.replaying():
        run = scoring.evaluate(
            case.spec, details(out, name), input_format="lighteval,reference=json", write_back=tmp_path / "o.parquet"
        )
    case.check({one.attributes.get("id", one.id): one.score for one in run.records}, run.metrics["mean"])
    again = pq.read_table(tmp_path / "o.parquet")
    assert again.drop_columns("scoring").equals(pq.read_table(details(out, name)))
    kept = {row["doc"]["specific"]["id"]: row["scoring"] for row in again.to_pylist()}
    case.check({key: row["score"] for key, row in kept.items()})
