"""The combinator `tree`: laws, rules for leaves, limits, and the quick table against the plain way."""

from __future__ import annotations

import random
import time
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.depth import DEEPEST
from scoring.extensions.trees import compare
from scoring.extensions.trees.leaf import DEFAULT_LEAF, Rules, TextLeaf, as_text_leaf, leaf_matrix
from scoring.extensions.trees.node import build_tree
from scoring.extensions.trees.tree import compare_nested, tree
from scoring.result import Unscored

WORDS = ["amber", "ambre", "harbour", "harbor", "", " Amber ", "x", "12", "12.0"]
leaves = st.one_of(st.sampled_from(WORDS), st.sampled_from([0, 1, 12, 1.0, True, None]))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=12,
)


def equal(prediction: Any, reference: Any) -> float:
    return float(prediction == reference)


@pytest.mark.property
@given(values, values)
def test_scores_lie_between_0_and_1_and_both_ways_agree(prediction: Any, reference: Any) -> None:
    score = tree(prediction, reference, leaf=DEFAULT_LEAF, text_list="list")
    assert 0.0 <= score <= 1.0
    assert compare_nested(prediction, reference, text_list="list").score == pytest.approx(score, abs=1e-12)


@pytest.mark.property
@given(values)
def test_a_value_agrees_with_itself(value: Any) -> None:
    found = compare_nested(value, value, text_list="list")
    assert found.score == 1.0
    assert found.closest == value


@pytest.mark.property
@given(values, values, st.randoms(use_true_random=False))
def test_the_order_of_lists_and_keys_changes_no_score(prediction: Any, reference: Any, source: random.Random) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            items = [shuffled(item) for item in value]
            source.shuffle(items)
            return items
        if isinstance(value, dict):
            keys = list(value)
            source.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        return value

    before = tree(prediction, reference, leaf=equal, text_list="list")
    after = tree(shuffled(prediction), shuffled(reference), leaf=equal, text_list="list")
    assert after == pytest.approx(before, abs=1e-12)


few = st.lists(st.sampled_from([*WORDS, "ambers", "12.00", 0, 1, 1.0, True, float("nan")]), min_size=1, max_size=9)


@pytest.mark.property
@given(few, few)
def test_few_leaves_are_compared_as_a_block_is_to_the_bit(prediction: list[Any], reference: list[Any]) -> None:
    own, theirs = build_tree(reference, is_reference=True), build_tree(prediction, is_reference=False)
    rules = Rules(DEFAULT_LEAF)
    block = compare.compare_all(own.children, theirs.children, rules, ())
    wanted = compare.compare_lists(own, theirs, block, rules)
    assert compare.compare_nodes(own, theirs, rules, ()) == wanted


def test_among_equal_matchings_the_one_with_the_fewest_leaves_is_taken_in_any_order() -> None:
    prediction = [["amber", "amber", "amber"], {"a": "amber", "b": "amber"}]
    reference: list[Any] = [[], "amber", ["amber"]]
    found = {
        tree(list(ours), list(theirs), leaf=equal, text_list="list")
        for ours in permutations(prediction)
        for theirs in permutations(reference)
    }
    assert found == {0.2}


def test_a_compiled_scorer_of_texts_equals_the_plain_way() -> None:
    source = random.Random(0)
    texts: list[Any] = ["".join(source.choices("abcd  \nÄß", k=source.randint(0, 8))) for _ in range(40)]
    texts += [1, 1.0, True, 12345]
    for name, params in (("anls_star_leaf", {"threshold": 0.3}), ("anls_star_leaf", {})):
        scorer = scoring.scorer(f"anls@1:{name}", **params)
        runner = scorer._runner
        leaf = as_text_leaf(runner)
        assert isinstance(leaf, TextLeaf)
        found = leaf_matrix(leaf, texts, texts)
        for i, reference in enumerate(texts):
            for j, prediction in enumerate(texts):
                plain = scorer.score(prediction, reference).value
                assert found[i, j] == plain == leaf(prediction, reference)


def test_a_scorer_with_other_steps_stays_as_it_is() -> None:
    checked = scoring.scorer("lower | levenshtein")._runner  # the type of its input is checked
    for scorer in (scoring.scorer("equal")._runner, checked, equal):
        assert as_text_leaf(scorer) is scorer


def test_leaves_by_type_and_by_path() -> None:
    def near(prediction: float, reference: float) -> float:
        return float(abs(prediction - reference) <= 0.01 * abs(reference))

    reference = {"items": [{"total": 100.0, "name": "Rope"}], "date": "2024-01-31", "n": 3}
    prediction = {"items": [{"total": 100.4, "name": "rope"}], "date": "2024-01-31 ", "n": "3"}
    assert tree(prediction, reference, leaf=DEFAULT_LEAF) < 1.0
    by_type = tree(prediction, reference, leaf=DEFAULT_LEAF, numbers=near)
    by_path = tree(prediction, reference, leaf=DEFAULT_LEAF, paths={"items[].total": near})
    assert by_type == by_path == 1.0
    assert tree(prediction, reference, leaf=DEFAULT_LEAF, paths={"items.*": equal, "**.total": near}) < 1.0
    assert tree(prediction, reference, leaf=DEFAULT_LEAF, numbers=near, paths={"**.date": equal}) == 0.75


def test_lists_by_position() -> None:
    assert tree(["b", "a"], ["a", "b"], leaf=equal, lists="ordered") == 0.0
    assert tree(["a", "x"], ["a", "b", "c"], leaf=equal, lists="ordered") == pytest.approx(1 / 3)
    assert tree([["b", "a"]] * 2, [["b", "c"]] * 2, leaf=equal, lists="ordered") == 0.5


def test_a_compiled_tree_takes_its_rules_from_the_expression() -> None:
    scorer = scoring.scorer('tree(leaf=equal, paths={"a.b"=lower | equal})')
    assert scorer.score({"a": {"b": "X"}, "c": "X"}, {"a": {"b": "x"}, "c": "x"}).value == 0.5


@pytest.mark.parametrize(
    ("prediction", "reference", "reason"),
    [
        ("x", (), "without options"),
        (("x",), "x", "one-of"),
        ({"a": {"$any_of": ["x"]}}, {"a": "x"}, "one-of"),
        ({1, 2}, "x", "no tree has: Set"),
    ],
)
def test_what_cannot_be_compared(prediction: Any, reference: Any, reason: str) -> None:
    with pytest.raises(Unscored, match=reason):
        tree(prediction, reference, leaf=equal)


def test_hostile_nesting_and_size_are_refused() -> None:
    deep: Any = "x"
    for _ in range(DEEPEST + 2):
        deep = [deep]
    with pytest.raises(Unscored, match="nested deeper"):
        tree(deep, ["x"], leaf=equal)
    with pytest.raises(Unscored, match="more than is allowed"):
        tree(["x"] * 4_000, ["y"] * 4_000, leaf=DEFAULT_LEAF)


def test_a_leaf_score_outside_its_range_is_refused() -> None:
    with pytest.raises(Unscored, match="outside"):
        tree(["a"], ["a"], leaf=lambda p, r: 2.0)
    with pytest.raises(Unscored, match="not a score"):
        tree({"a": "x"}, {"a": "x"}, leaf=lambda p, r: float("nan"))


def test_time_is_not_exponential_in_depth() -> None:
    def make(depth: int) -> Any:
        return "x" if depth == 0 else [make(depth - 1), {"k": make(depth - 1)}]

    start = time.process_time()
    assert tree(make(8), make(8), leaf=DEFAULT_LEAF) == 1.0  # 256 leaves on each side
    assert compare_nested(make(6), make(6)).score == 1.0
    chain: Any = "x"
    for _ in range(40):
        chain = [{"k": chain}]
    assert compare_nested(chain, chain).score == 1.0
    assert time.process_time() - start < 5.0


def test_large_blocks_are_compared_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(8)
    rows = [[{"k": source.choice(WORDS)} for _ in range(source.randint(0, 3))] for _ in range(9)]
    others = [list(row) for row in rows[::-1]] + [[{"k": "amber"}]]
    whole = compare_nested(others, rows)
    for limit in (1, 4, 9, 30):
        monkeypatch.setattr("scoring.extensions.trees.compare.MAX_AT_ONCE", limit)
        assert compare_nested(others, rows) == whole


def test_too_many_leaves_are_refused_before_any_is_compared() -> None:
    many = [[str(place)] * 10 for place in range(2_000)]
    with pytest.raises(Unscored, match="leaves"):
        tree(many, many, leaf=equal)


def test_explain_tells_the_closest_reading_and_the_score_of_each_key() -> None:
    task = scoring.load({"kind": "task", "name": "t", "imports": {"anls": "anls@1"}, "score": "anls.anls_star"})
    answer = {"total": "12", "lines": [{"n": "ax"}, {"n": "b"}], "extra": "z"}
    reference = {"total": "13", "lines": [{"n": "b"}, {"n": {"$any_of": ["a", "q"]}}, {"n": "c"}], "who": "me"}
    stage = task.score_parts(answer, reference).explain()["fields"][0]["stages"][-1]
    # By hand: "12" is half of "13"; lines match as b-b (1) and ax-a (0.5), and one has no partner (0): n is the mean
    # over the matched two, lines over all three; `extra` is invented and `who` missing.
    closest = {**reference, "lines": [{"n": "a"}, {"n": "b"}, {"n": "c"}], "extra": None}
    assert stage["told"] == [
        {"stage": "closest reading", "value": closest},
        {"stage": "extra", "score": 0.0},
        {"stage": "lines", "score": 0.5},
        {"stage": "lines.n", "score": 0.75},
        {"stage": "total", "score": 0.5},
        {"stage": "who", "score": 0.0},
    ]


def test_explain_tells_which_option_was_taken_and_what_a_rule_for_a_path_gave() -> None:
    rule = {"kind": "task", "name": "t", "score": "tree(leaf=equal, paths={n=within(relative=0.5)})"}
    stage = scoring.load(rule).score_parts({"n": 11, "t": "y"}, {"n": 10, "t": {"$any_of": ["x", "y"]}}).explain()
    told = stage["fields"][0]["stages"][-1]["told"]
    assert told == [
        {"stage": "closest reading", "value": {"n": 10, "t": "y"}},
        {"stage": "n", "score": 1.0},
        {"stage": "t", "score": 1.0},
    ]


def test_explain_tells_of_no_more_pairs_than_it_can_compare_at_every_level() -> None:
    task = scoring.load({"kind": "task", "name": "t", "imports": {"anls": "anls@1"}, "score": "anls.anls_star"})
    found = task.score_parts([str(n) for n in range(317)], [str(n) for n in range(317)]).explain()["fields"][0]
    assert found["score"] == 1.0
    message = "the closest reading is told of 100,000 pairs of leaves at most, and here are 100,489"
    assert found["stages"][-1]["told"] == [{"stage": "…", "error": message}]
