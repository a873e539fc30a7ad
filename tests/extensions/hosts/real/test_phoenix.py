"""Phoenix' own `evaluate_dataframe`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.host_outcomes import OUTCOMES
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("phoenix.evals")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `phoenix.evals.evaluate_dataframe`."""
    pd = pytest.importorskip("pandas")
    from phoenix.evals import evaluate_dataframe

    table = pd.DataFrame(
        {
            "output": [one.response for one in records],
            "expected": [None if one.reference is MISSING else one.reference for one in records],
            "input": [dict(one.whole) for one in records],
        }
    )
    found = evaluate_dataframe(table, [scoring.platforms.phoenix(spec, name="said")], hide_tqdm_bar=True)
    rows = []
    for cell in found["said_score"]:
        said = json.loads(cell) if isinstance(cell, str) else cell
        assert said["label"] == said["metadata"]["status"]
        rows.append({**said["metadata"], "value": said.get("score"), "reason": said.get("explanation")})
    return Seen(rows, None)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("phoenix", run)


def test_other_columns_are_bound_by_name() -> None:
    pd = pytest.importorskip("pandas")
    from phoenix.evals import bind_evaluator, evaluate_dataframe

    bound = bind_evaluator(
        evaluator=scoring.platforms.phoenix({"kind": "task", "name": "town", "score": "lower | equal"}),
        input_mapping={"output": "answer", "expected": "gold"},
    )
    table = pd.DataFrame({"answer": ["Paris"], "gold": ["paris"]})
    (said,) = evaluate_dataframe(table, [bound], hide_tqdm_bar=True)["town_score"]
    assert (json.loads(said) if isinstance(said, str) else said)["score"] == 1.0


def test_an_experiment_takes_the_same_evaluator() -> None:
    experiments = pytest.importorskip("phoenix.client.experiments")
    score = experiments.create_evaluator()(scoring.platforms.phoenix(OUTCOMES, name="said"))
    found = score.evaluate(
        output="no JSON", expected={"title": "", "text": "", "words": [["rome"]]}, input={}, metadata={}, reference=None
    )
    assert (found.get("score"), found["label"]) == (None, "unparsed")
    assert "no JSON object in the response" in found["explanation"]
