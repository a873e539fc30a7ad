"""A leaf of a tree is not taken for what it only looks like."""

from __future__ import annotations

from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("score", "prediction", "reference"),
    [
        ("tree(leaf=equal)", {"a": True}, {"a": 1}),
        ("tree(leaf=equal)", {"a": "1"}, {"a": 1}),
    ],
)  # fmt: skip
def test_no_leaf_is_taken_for_what_it_only_looks_like(score: str, prediction: Any, reference: Any) -> None:
    result = scoring.load({"kind": "task", "name": "t", "score": score}).score_parts(prediction, reference)
    assert result.status != "scored" or result.score == 0
