"""Langfuse's own `run_experiment`, without its server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("langfuse")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `Langfuse(…).run_experiment`."""
    from langfuse import Langfuse

    keys = {"public_key": "none", "secret_key": "none"}
    client = Langfuse(**keys, host="http://127.0.0.1:9", tracing_enabled=False)
    answers = {one.id: one.response for one in records}
    found = client.run_experiment(
        name="scoring",
        data=[
            {"input": dict(one.whole), "expected_output": None if one.reference is MISSING else one.reference}
            for one in records
        ],
        task=lambda *, item, **_: answers[item["input"]["id"]],
        evaluators=[scoring.platforms.langfuse(spec, name="said")],
    )
    rows = {}
    for row in found.item_results:
        told = {one.name: one for one in row.evaluations}
        said = told.get("said")
        one = said or told["said.status"]
        assert said is not None or one.value == one.metadata["status"]
        rows[row.item["input"]["id"]] = {**one.metadata, "value": said and said.value, "reason": one.comment}
    return Seen([rows[one.id] for one in records], None)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("langfuse", run)
