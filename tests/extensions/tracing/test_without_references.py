"""An explanation says what reads no reference."""

from __future__ import annotations

import scoring
from tests.extensions.constraints.test_without_references import ALONE, RECORD


def test_an_explanation_says_that_no_reference_is_read() -> None:
    told = scoring.explain({"kind": "task", "name": "t", "score": ALONE}, [RECORD])
    assert "reads no reference" in told.text()
    assert told.data["fields"][0]["reads_reference"] is False
    assert [stage["stage"] for stage in told.data["fields"][0]["stages"]] == ["input", "has_length"]
    beside = scoring.explain({"kind": "task", "name": "t", "score": "equal"}, [{**RECORD, "reference": "a b c"}])
    assert "reads no reference" not in beside.text()


def test_the_page_of_a_packs_scorer_says_what_it_gives_and_reads() -> None:
    told = scoring.explain("valor-llm:bias")
    assert told.data["reads_reference"] is False
    assert "reads no reference" in told.text()
    assert scoring.explain("anls:anls").data["range"] == [0.0, 1.0]
    assert "in [1, 5] · reads no reference" in scoring.explain("valor-llm:summary_coherence").text()
