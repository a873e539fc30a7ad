"""A column of trees gives what its pairs give, whatever their size."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from tests.property.test_combinators_in_batches import SCALARS, VALUES

LEAF_RULES = [
    "leaf=to_text | lower | levenshtein | zero_below(0.5)",
    "leaf=equal, texts=lower | levenshtein",
    'leaf=to_text | equal, numbers=within(absolute=0.5), booleans=equal, invented_empty="ignored"',
    'leaf=lower | levenshtein, lists="ordered", text_list="list"',
    "leaf=number | absolute_error",  # a distance, which no leaf may have above 1
    'leaf=equal, paths={"p"=lower | levenshtein, "**.q"=to_text | levenshtein}',
]
OPTIONS = st.lists(SCALARS, min_size=1, max_size=3).map(lambda options: {"$any_of": options})
FLAT = st.dictionaries(st.sampled_from("pqr"), SCALARS, max_size=3)
TREES = st.one_of(SCALARS, FLAT, VALUES, OPTIONS, st.lists(st.text("ab", max_size=3), max_size=3))


@pytest.mark.property
@settings(max_examples=300)
@given(
    st.sampled_from(LEAF_RULES), st.lists(st.tuples(st.one_of(SCALARS, FLAT, VALUES), TREES), min_size=2, max_size=20)
)
def test_a_column_of_trees_gives_what_pairs_give(rules: str, pairs: list[tuple[Any, Any]]) -> None:
    compare = scoring.scorer(f"tree({rules})")
    alone = [compare.score(*pair) for pair in pairs]
    found = compare.score_many([one for one, _ in pairs], [other for _, other in pairs])
    assert list(map(repr, found)) == list(map(repr, alone))


def test_a_flat_mapping_of_any_size_is_compared() -> None:
    wide = {f"key {number}": "x" for number in range(10_001)}
    star = scoring.scorer("anls@1:anls_star")
    assert star.score(wide, wide).value == 1.0
    assert [outcome.value for outcome in star.score_many([wide, {}], [wide, wide])] == [1.0, 0.0]


def test_small_trees_are_solved_without_scipy() -> None:
    code = """
import sys, scoring
lines = [{"a": str(n), "b": n} for n in range(9)]
assert scoring.scorer("tree(leaf=to_text | levenshtein)").score(lines[::-1], lines).value == 1.0
assert "scipy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
