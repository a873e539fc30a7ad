"""Suites and their runs travel between processes, and a bundle of one is no task."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import scoring
from tests.unit.api.test_bundle import changed


def test_a_suite_and_its_run_pickle() -> None:
    opened = scoring.api.open_spec("specs/examples/suite/suite.yaml")
    run = scoring.evaluate("specs/examples/suite/suite.yaml", "specs/examples/suite/predictions.jsonl")
    assert pickle.loads(pickle.dumps(opened.target)).signature == opened.target.signature
    found = pickle.loads(pickle.dumps(run))
    assert found.to_json() == run.to_json()
    assert found.signature == run.signature
    assert found.records == run.records


def test_a_bundle_of_a_suite_is_no_task() -> None:
    spec = json.loads(scoring.load({"kind": "task", "name": "t", "score": "equal"}).to_bytes())["files"][0]
    suite = {**spec, "form": "yaml", "text": Path("specs/examples/suite/suite.yaml").read_text()}
    data = scoring.load({"kind": "task", "name": "t", "score": "equal"}).to_bytes()
    with pytest.raises(scoring.InputError, match=r"the suite `.*`, but a task is expected"):
        scoring.Task.from_bytes(changed(data, files=[suite], labels=None))
