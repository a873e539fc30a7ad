"""The page of dialects is what the packs compute, and says of the explanation's examples what was measured."""

from __future__ import annotations

import json

from scoring.packs.anls.dialects import CLAIMS, DIALECTS, anls_page, score_under_dialects
from tests.support.golden import REPOSITORY, require_golden


def test_the_committed_page_is_up_to_date() -> None:
    page = (REPOSITORY / "docs" / "anls.md").read_text(encoding="utf-8")
    assert page == anls_page(), "run `scoring generate`"


def test_the_explanations_examples_are_those_that_were_computed() -> None:
    file = require_golden("mmesgbench/document_examples.json")
    rows = json.loads(file.read_text(encoding="utf-8"))["examples"]
    known = {(row["reference"], row["prediction"]): row for row in rows}
    for reference, prediction, similarity, right in CLAIMS:
        row = known[reference, prediction]
        assert row["claimed_correct"] is right
        assert not similarity or row["claimed_similarity"] == float(similarity)


def test_dialects_of_a_data_set() -> None:
    pairs = [("ra", ["ga"]), ("Harbour", ["harbour", "port"]), (None, ["x"])]
    found = {dialect.name: dialect for dialect in score_under_dialects(pairs)}
    assert list(found) == list(DIALECTS)
    assert found["anls"].differing == 0
    assert found["docvqa"].scores == (0.5, 1.0, None)
    assert (found["docvqa"].mean, found["docvqa"].differing) == (0.75, 2)
    assert found["anls"].doc == "ST-VQA, as published"
