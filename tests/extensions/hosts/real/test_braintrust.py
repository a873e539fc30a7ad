"""Braintrust's own `Eval`, without its server."""

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

pytest.importorskip("braintrust")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package are not ours


def run(spec: Any, records: Sequence[HostRecord]) -> Seen:
    """Evaluate by `Eval`, and read the spans that would go to the server, had it one."""
    from braintrust import Eval
    from braintrust.logger import _internal_with_memory_background_logger as kept_spans
    from braintrust.span_identifier_v4 import SpanComponentsV4, SpanObjectTypeV3

    answers = {one.id: one.response for one in records}
    experiment = SpanComponentsV4(object_type=SpanObjectTypeV3.EXPERIMENT, object_id=str(uuid.uuid4()))
    with kept_spans() as kept:
        found = Eval(
            "scoring",
            data=[
                {"input": dict(one.whole), "expected": None if one.reference is MISSING else one.reference}
                for one in records
            ],
            task=lambda given: answers[given["id"]],
            scores=[scoring.platforms.braintrust(spec, name="said")],
            no_send_logs=True,
            parent=experiment.to_str(),
        )
    spans: dict[str, dict[str, Any]] = {}
    for event in kept.logs:
        said = event.get()
        spans.setdefault(said["span_id"], {}).update({key: part for key, part in said.items() if part is not None})
    rows = {}
    for span in spans.values():
        if "said" in span.get("scores", {}) and "expected" in span["input"]:
            metadata = span["metadata"].get("said", span["metadata"])
            rows[span["input"]["input"]["id"]] = {**metadata, "value": span["scores"]["said"]}
    assert {row.input["id"]: row.scores["said"] for row in found.results} == {
        key: row["value"] for key, row in rows.items()
    }
    scores = found.summary.scores
    passed = scores["said.passed"].score if "said.passed" in scores else None
    return Seen([rows[one.id] for one in records], scores["said"].score, passed)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_that_of_scoring(name: str, tmp_path: Path) -> None:
    check_case(run, name, tmp_path)


def test_each_outcome_is_held_as_the_page_says() -> None:
    check_outcomes("braintrust", run)
