"""Values are of the type that they are written in: true is no number, and a text stays one until a step turns it."""

from __future__ import annotations

from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("score", "prediction", "reference"),
    [
        ("equal", True, 1),
        ("equal", "1", 1),
        ("equal", {"a": [True]}, {"a": [1]}),
        ("number | equal", True, 1),
        ("integer | equal", True, 1),
        ("within(absolute=1)", True, 1),
        ("within(absolute=1)", "1", 1),
        ("absolute_error | exp_decay(rate=1)", True, 1),
        ("to_set | jaccard", [True], [1]),
        ("to_set | jaccard", ["1"], [1]),
        ("to_list | equal", "2", [2]),
        ('align(equal, by="order")', [True], [1]),
        ("per_key(equal)", {"a": True}, {"a": 1}),
        ("any_reference(equal)", True, [1]),
        ("lower | equal", 1, "1"),
        ("levenshtein", 1, "1"),
        ("json | equal", '{"a": "1"}', {"a": 1}),
        ("json | equal", '{"a": true}', {"a": 1}),
    ],
)  # fmt: skip
def test_nothing_is_taken_for_what_it_only_looks_like(score: str, prediction: Any, reference: Any) -> None:
    result = scoring.load({"kind": "task", "name": "t", "score": score}).score_parts(prediction, reference)
    assert result.status != "scored" or result.score == 0
