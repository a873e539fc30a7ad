"""Edits of ordered trees with whole subtrees, by hand; `tests/parity/test_trees.py` holds them to the EED score."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.extensions.trees.edits import subtree_edits
from scoring.result import Unscored

CHAIN = ["a", ["b", ["c", ["d", ["e", ["f", ["g", ["h"]]]]]]]]


def test_a_whole_subtree_costs_less_than_its_nodes() -> None:
    assert subtree_edits(["x", CHAIN], ["x"]) == 5 + 0.6 * 3
    assert subtree_edits(["x"], ["x", CHAIN], discount=1) == 8
    assert subtree_edits(["x"], ["x", CHAIN], free=2, discount=0) == 2
    assert subtree_edits(["x", ["y"]], ["x"]) == subtree_edits(["x"], ["y"]) == 1
    assert subtree_edits(["x", ["y"]], ["x", ["y"], ["z"]], over="reference") == 1 / 3


def test_labels_are_values_and_true_is_not_one() -> None:
    assert subtree_edits([1, ["1"], [True]], [1.0, ["1"], [1]]) == 1


@pytest.mark.parametrize("tree", [[], "x", None, 3, [[]], ["x", "y"], [["x"]], ["x", []], [{"a": 1}], ["x", ["y", 3]]])
def test_what_is_no_tree_is_unscored(tree: Any) -> None:
    assert scoring.scorer("subtree_edits").score(tree, ["x"]).value is None
    assert scoring.scorer("subtree_edits").score(["x"], tree).value is None


def test_work_is_bounded() -> None:
    wide = ["x", *[["y"]] * 3_000]
    with pytest.raises(Unscored, match="steps to compare"):
        subtree_edits(wide, wide)
