"""LangSmith's own `evaluate`, without its server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.result import MISSING
from tests.support.host_cases import CASES, HostRecord
from tests.support.platforms import Seen, check_case, check_outcomes

pytest.importorskip("langsmith")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `langsmith.evaluate(…, upload_results=False)`."""
    from langsmith import Client, evaluate
    from langsmith.schemas import Example

    answers, dataset = {one.id: one.response for one in records}, uuid.uuid4()
    data = [
        Example(
            id=uuid.uuid4(),
            dataset_id=dataset,
            inputs=dict(one.whole),
            outputs={} if one.reference is MISSING else {"answer": one.reference},
        )
        for one in records
    ]
    found = evaluate(
        lambda inputs: {"output": answers[inputs["id"]]},
        data=data,
        evaluators=[scoring.platforms.langsmith(spec, name="said")],
        client=Client(api_url="http://127.0.0.1:9", api_key="none", info={}),
        upload_results=False,
    )
    rows = {}
    for row in found:
        (said,) = [one for one in row["evaluation_results"]["results"] if one.key == "said"]
        assert said.score is not None or said.value == said.metadata["status"]
        rows[row["example"].inputs["id"]] = {**said.metadata, "value": said.score, "reason": said.comment}
    return Seen([rows[one.id] for one in records], None)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("langsmith", run)
