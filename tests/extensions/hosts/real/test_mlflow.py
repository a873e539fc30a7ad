"""MLflow's own `genai.evaluate`, over files of this machine."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package writes into the working folder, and tells its makers of its use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `mlflow.genai.evaluate`, and read the feedback from the traces that it kept."""
    import mlflow

    settings = {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false"}
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, settings):
        mlflow.set_tracking_uri(f"{folder}/runs")
        mlflow.set_experiment(f"scoring-{uuid.uuid4()}")
        found = mlflow.genai.evaluate(
            data=[
                {
                    "inputs": dict(one.whole),
                    "outputs": one.response,
                    "expectations": {} if one.reference is MISSING else {"expected_response": one.reference},
                }
                for one in records
            ],
            scorers=[scoring.platforms.mlflow(spec, name="said")],
        )
        rows = {}
        for trace in mlflow.search_traces(return_type="list", max_results=500):
            (said,) = [one for one in trace.info.assessments if one.name == "said"]
            told = {key: json.loads(said.metadata[key]) for key in ("passed", "fields")}
            assert said.error is None or said.error.error_code == said.metadata["status"].upper()
            told |= {"value": said.value, "reason": said.rationale}
            told |= {key: said.metadata[key] for key in ("status", "meaning")}
            rows[trace.data.spans[0].inputs["id"]] = told
    return Seen([rows[one.id] for one in records], found.metrics["said/mean"], found.metrics.get("said.passed/mean"))


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("mlflow", run)
