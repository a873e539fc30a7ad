"""The range of a tree follows from its leaves."""

from __future__ import annotations

import pytest

import scoring
from scoring.ranges import ScoreRange


@pytest.mark.parametrize(("text", "low", "high"), [("tree(leaf=number | absolute_error | exp_decay(rate=1))", 0, 1)])
def test_the_range_of_a_tree_follows_from_its_leaves(text: str, low: float, high: float) -> None:
    assert scoring.scorer(text).range == ScoreRange(low, high)
