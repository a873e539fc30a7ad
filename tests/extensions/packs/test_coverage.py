"""Records to which a step of a pack does not apply are out of every figure."""

from __future__ import annotations

import scoring


def test_coverage_counts_what_should_have_a_score_and_nothing_else() -> None:
    pairs = [("3", "3"), ("4", "3"), ("0", "-1"), ("none", "3"), (None, "3"), ("3", "none"), ("5", "5")]
    records = [{"id": place, "response": one, "reference": other} for place, (one, other) in enumerate(pairs)]
    spec = {
        "kind": "task",
        "name": "t",
        "score": "number | megabench/equal_if_positive",
        "metrics": ["coverage", "mean"],
    }
    run = scoring.load(spec).evaluate(records)
    # Both 0 or less is not applicable; an answer and a reference that are no numbers, and no answer, have no score.
    assert run.summary["counts"]["not_applicable"] == 1
    assert run.summary["metrics"][0]["value"] == run.summary["coverage"] == 3 / 6
    assert run.summary["metrics"][1]["value"] == 2 / 3
    # What has no score could have been 0 or 1; what is not applicable could not.
    assert run.summary["metrics"][1]["bounds"] == [2 / 6, 5 / 6]
