"""Braintrust's own `Eval`, without its server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("braintrust")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `Eval(…, no_send_logs=True)`."""
    from braintrust import Eval

    answers = {one.id: one.response for one in records}
    found = Eval(
        "scoring",
        data=[
            {"input": dict(one.whole), "expected": None if one.reference is MISSING else one.reference}
            for one in records
        ],
        task=lambda input: answers[input["id"]],
        scores=[scoring.platforms.braintrust(spec, name="said")],
        no_send_logs=True,
    )
    rows = {row.input["id"]: {"value": row.scores["said"]} for row in found.results}
    scores = found.summary.scores
    passed = scores["said.passed"].score if "said.passed" in scores else None
    return Seen([rows[one.id] for one in records], scores["said"].score, passed)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path, ulps=8)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("braintrust", run)
