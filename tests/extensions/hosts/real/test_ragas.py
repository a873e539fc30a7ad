"""Ragas' own `evaluate`."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package writes into the working folder, and tells its makers of its use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `ragas.evaluate`; only texts can be in a sample."""
    from ragas import EvaluationDataset, SingleTurnSample, evaluate

    samples = [
        SingleTurnSample(
            user_input="What do you see?",
            response=one.response,
            reference=None if one.reference is MISSING else one.reference,
        )
        for one in records
    ]
    metric = scoring.platforms.ragas(spec, name="said", references_as="json")
    found = evaluate(EvaluationDataset(samples=samples), metrics=[metric], show_progress=False)
    rows = [{"value": None if math.isnan(one) else one} for one in found["said"]]
    return Seen(rows, found._repr_dict["said"])


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path, "texts", as_json=True)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("ragas", run, as_json=True)


def test_a_conversation_is_its_last_answer() -> None:
    from ragas import EvaluationDataset, MultiTurnSample, evaluate
    from ragas.messages import AIMessage, HumanMessage

    asked = HumanMessage(content="The capital of France?")
    samples: list[Any] = [
        MultiTurnSample(user_input=[asked, AIMessage(content="Lyon?"), AIMessage(content="Paris")], reference="paris"),
        MultiTurnSample(user_input=[asked, AIMessage(content="Rome")], reference="paris"),
        MultiTurnSample(user_input=[asked], reference="paris"),
    ]
    metric = scoring.platforms.ragas({"kind": "task", "name": "town", "score": "lower | equal"})
    found = evaluate(EvaluationDataset(samples=samples), metrics=[metric], show_progress=False)["town"]
    assert (found[:2], math.isnan(found[2])) == ([1.0, 0.0], True)


def test_a_result_of_an_experiment_has_the_reason() -> None:
    metric = scoring.platforms.ragas({"kind": "task", "name": "town", "score": "lower | equal"})
    assert asyncio.run(metric.ascore(response="Paris", reference="paris")).value == 1.0
    found = asyncio.run(metric.ascore(response="Paris"))
    assert (found.value, found.reason) == (None, "the record has no reference")
