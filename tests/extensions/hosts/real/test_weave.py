"""Weave's own `Evaluation`, without its server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("weave")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `weave.Evaluation(…).evaluate(model)`."""
    import weave

    answers = {one.id: one.response for one in records}

    @weave.op
    def model(id: str) -> Any:
        return answers[id]

    rows = [dict(one.whole) | {"expected": None if one.reference is MISSING else one.reference} for one in records]
    evaluation = weave.Evaluation(dataset=rows, scorers=[scoring.platforms.weave(spec, name="said")])
    found = asyncio.run(evaluation.get_eval_results(model))
    summary = asyncio.run(evaluation.evaluate(model))
    told = [row["scores"]["said"] for row in found.rows]
    said = summary["said"]
    fields = {name: one["mean"] for name, one in said["fields"].items()}
    return Seen(told, said["value"]["mean"], (said.get("passed") or {}).get("true_fraction"), fields)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("weave", run)
