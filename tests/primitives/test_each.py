"""`each`: the pair is scored once for each item of a list that the record brings, and the scores are joined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.cli.main import main

BY_KIND = """each(over=record.rules, join={join}, score=switch(on=item.kind,
    has=value_of(item.word) | equal, near=sides(reference=item.word) | levenshtein,
    inner=each(over=item.rules, score=switch(on=item.kind, has=value_of(item.word) | equal), join=mean)){more})"""


def task_of(score: str, **more: Any) -> scoring.Task:
    return scoring.load({"kind": "task", "name": "t", "record": {"rules": "rules"}, "score": score, **more})


def by_kind(join: str = "mean", more: str = "") -> scoring.Task:
    return task_of(BY_KIND.format(join=join, more=more))


def record(rules: Any, response: str = "tea", id: Any = 1) -> dict[str, Any]:
    return {"id": id, "response": response, "reference": "tea", "rules": rules}


NEAR = {"kind": "near", "word": "ten", "points": 3}
HAS = {"kind": "has", "word": "tea", "points": 2}
NOT = {"kind": "near", "word": "xyz", "points": 5}


@pytest.mark.parametrize(
    ("join", "more", "rules", "score"),
    [
        ("mean", "", [NEAR, HAS], (2 / 3 + 1) / 2),
        ("min", "", [NEAR, HAS], 2 / 3),
        ("max", "", [NEAR, NOT], 2 / 3),
        ("product", "", [NEAR, NEAR], 4 / 9),
        ("sum", "", [HAS, HAS, NOT], 2.0),
        ("mean | at_least(1)", "", [NEAR, HAS], 0.0),
        ("mean", ", weight=item.points", [HAS, NOT], 2 / 7),
        ("sum", ", weight=item.points", [HAS, NOT], 2.0),
        ('mean(over="positive")', ", weight=item.points", [HAS, NOT, {**HAS, "points": -1}], 1 / 7),
        ('mean(over="positive")', ", weight=item.points", [{**HAS, "points": -9}, {**NEAR, "points": 1}], -9 + 2 / 3),
        ('mean(over="positive") | scale', ", weight=item.points", [{**HAS, "points": -9}, NEAR], 0.0),
        ("mean", ", empty=0.5", [], 0.5),
    ],
)
def test_scores_of_items_are_joined(join: str, more: str, rules: Any, score: float) -> None:
    found = by_kind(join, more).score(record(rules))
    assert found.score == pytest.approx(score, abs=1e-15)


@pytest.mark.parametrize(
    ("join", "more", "rules", "status", "reason"),
    [
        ("mean", "", None, "unscored", "`over` of `each` takes List[Any], but `record.rules` is nothing"),
        ("mean", "", "tea", "unscored", "`over` of `each` takes List[Any], but `record.rules` is Text"),
        ("mean", "", [HAS, "x"], "unscored", "item 2 of 2: the item has no `item.kind`"),
        ("mean", "", [HAS, {"kind": "no"}], "unscored", "item 2 of 2: no case is called 'no' (cases: has, near, "),
        ("mean", "", [{"kind": "near", "word": 3}], "unscored", "item 1 of 1: `levenshtein` takes Text, but the refe"),
        ("mean", ", weight=item.points", [{**HAS, "points": "2"}], "unscored", "item 1 of 1: `weight` of `each` take"),
        ("mean", ", weight=item.points", [{**HAS, "points": None}], "unscored", "item 1 of 1: the item has no `item."),
        ("mean", ", weight=item.points", [{**HAS, "points": 1e400}], "unscored", "item 1 of 1: its weight is inf, wh"),
        ("mean", ", weight=item.points", [{**HAS, "points": -1}], "unscored", "a weight is negative: join with `mean"),
        ('mean(over="positive")', ", weight=item.points", [{**HAS, "points": -1}], "unscored", "the positive weights"),
        ("mean", "", [HAS] * 10_001, "unscored", "a list of 10,001 items is too long to go through: at most 10,000"),
    ],
)  # fmt: skip
def test_what_can_not_be_scored_says_which_item(join: str, more: str, rules: Any, status: str, reason: str) -> None:
    found = by_kind(join, more).score(record(rules)).outcome
    assert (found.status, (found.reason or "")[: len(reason)]) == (status, reason)


def test_no_items_are_not_applicable() -> None:
    alone = scoring.scorer("each(over=context.rules, score=equal, join=mean)")
    assert alone.score("tea", "tea", context={"rules": []}).reason == "there are no items"
    assert by_kind().score(record([])).outcome.status == "not_applicable"


def test_an_item_that_is_not_applicable_is_left_out() -> None:
    task = task_of("each(over=record.rules, score=each(over=item, score=equal, join=mean), join=mean)")
    assert task.score(record([[1], []])).score == 1.0
    assert task.score(record([[], []])).outcome.status == "not_applicable"


def test_a_failing_item_counts_as_the_task_says() -> None:
    zero = task_of(BY_KIND.format(join="mean", more=""), on_error="zero")
    assert zero.score(record([HAS, {"kind": "no"}])).score == 0.0


def test_an_inner_item_hides_the_outer_one() -> None:
    inner = {"kind": "inner", "word": "x", "rules": [HAS, {**HAS, "word": "milk"}]}
    task = task_of(
        "each(over=record.rules, score=each(over=item.rules, score=value_of(item.word) | equal, join=mean), join=sum)"
    )
    assert by_kind().score(record([inner, HAS])).score == 1.0
    assert task.score(record([{"rules": [HAS], "word": "a"}, inner])).score == 2.0


def test_the_items_of_all_levels_are_bounded_together() -> None:
    inner = {"kind": "inner", "rules": [HAS] * 101}
    found = by_kind().score(record([inner] * 100)).outcome
    assert found.reason == "item 1 of 100: a list of 101 items within 100 is too long to go through: at most 10,000"


@pytest.mark.parametrize(
    ("rules", "score", "most"),
    [
        ([HAS] * 10_000, "each(over=record.rules, score=equal, join=mean)", 10_000),
        ([HAS] * 7, "each(over=record.rules, score=equal, join=mean)", 14_285_714),
        (
            [[HAS] * 20] * 50,
            "each(over=record.rules, score=each(over=item, score=equal, join=mean), join=mean)",
            100_000,
        ),
    ],
)
def test_the_characters_of_all_items_are_bounded_together(rules: Any, score: str, most: int) -> None:
    task, runs = task_of(score), [record(rules, "x" * (most - 3)), record(rules, "x" * (most - 2), 2)]
    singly = [task.score(one).outcome for one in runs]
    assert singly[0].value == 0.0
    assert (singly[1].status, singly[1].value) == ("unscored", None)
    assert f"it has more than {most:,} characters, and over all items 100,000,000 are the most" in str(singly[1].reason)
    assert [one.outcome for one in task.evaluate(runs).records] == singly


def test_characters_of_nested_values_count_for_each_item() -> None:
    scorer = scoring.scorer("each(over=context.rules, score=equal, join=mean)")
    rules = [1] * 10_000
    assert scorer.score({"a": ["x" * 5_000]}, ["y" * 4_000], context={"rules": rules}).value == 0.0
    for long in ({"a": ["x" * 10_001]}, {"x" * 10_001: 1}, [1] * 10_001):
        assert "too long to go over it for 10,000 items" in str(scorer.score(long, 1, context={"rules": rules}).reason)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("switch(on=item.kind, a=equal)", "`item.kind` has a value only inside a step that iterates over items"),
        ("each(over=item.rules, score=equal, join=mean)", "`item.rules` has a value only inside a step that"),
        ("each(over=record.rules, score=equal)", "`each` needs its parameter `join`"),
        ("each(over=record.rules, score=equal, join=lower)", "`lower` is a transform, which is not allowed in"),
        ("each(over=record.rules, score=lower, join=mean)", "this pipeline ends in Text, not in a score"),
        ("each(over=record.rules, score=equal, join=min, weight=item.points)", "`weight` of `each` has no effect"),
        ("each(over=3, score=equal, join=mean)", "`over` of `each` takes List[Any], but this is Number"),
    ],
)  # fmt: skip
def test_mistakes_are_found_with_the_spec(score: str, message: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task_of(score)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("score", "low", "high"),
    [
        ("each(over=record.rules, score=equal, join=mean)", 0, 1),
        ("each(over=record.rules, score=equal, join=sum)", float("-inf"), float("inf")),
        ('each(over=record.rules, score=equal, weight=item.p, join=mean(over="positive"))', float("-inf"), 1),
        ("each(over=record.rules, score=number | absolute_error, join=product)", 0, float("inf")),
        ("each(over=record.rules, score=equal, join=mean, empty=2)", 0, 2),
    ],
)
def test_ranges(score: str, low: float, high: float) -> None:
    found = task_of(score).range
    assert found is not None
    assert found.ends == (low, high)


RULES = st.recursive(
    st.one_of(
        st.fixed_dictionaries(
            {"kind": st.sampled_from(["has", "near", "no", 3])},
            optional={
                "word": st.sampled_from(["tea", "ten", 3]),
                "points": st.sampled_from([2, -1, 0, 0.1, "x", None]),
            },
        ),
        st.sampled_from(["x", None, 3]),
    ),
    lambda inner: st.fixed_dictionaries({"kind": st.just("inner"), "points": st.just(1), "rules": st.lists(inner)}),
    max_leaves=6,
)
RECORDS = st.lists(
    st.tuples(st.sampled_from(["tea", "ten", "", None]), st.one_of(st.lists(RULES, max_size=4), st.none())),
    min_size=2, max_size=8,
)  # fmt: skip
JOINS = st.sampled_from(["mean", "sum", 'mean(over="positive")', "geometric_mean", "mean | at_least(0.5)"])


@pytest.mark.property
@settings(max_examples=200)
@given(RECORDS, JOINS, st.sampled_from(["{}", "any_of({}, equal)", "attempt({}, otherwise=0.25)", "{} | invert"]))
def test_a_batch_gives_what_records_give_alone(rows: list[Any], join: str, wrapped: str) -> None:
    text = BY_KIND.format(join=join, more=", weight=item.points")
    task = task_of(wrapped.format(text))
    records = [record(rules, response, id) for id, (response, rules) in enumerate(rows)]
    alone = [repr(task.score(one).outcome) for one in records]
    assert [repr(one.outcome) for one in task.score_batch(records)] == alone


def test_many_items_are_asked_for_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [record([HAS, NEAR] * (id % 3), id=id) for id in range(9)]
    whole = [one.outcome for one in by_kind().score_batch(records)]
    monkeypatch.setattr("scoring.registry.pairs.MOST_PAIRS", 3)
    assert [one.outcome for one in by_kind().score_batch(records)] == whole


def test_a_run_gives_the_same_in_one_process_and_in_two(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nversion: 1.0.0\nscore: |-\n"
        "  each(over=record.rules, score=sides(reference=item.word) | levenshtein, weight=item.points, join=sum)\n"
    )
    rows = [record([NEAR, HAS, {**NOT, "points": -0.1}] * (id % 4), id=id) for id in range(40)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for processes in ("1", "2"):
        spec, data = str(tmp_path / "task.yaml"), str(tmp_path / "data.jsonl")
        assert main(["score", spec, data, "-o", str(tmp_path / processes), "--processes", processes]) in (0, 3)
    one, two = ((tmp_path / name / "scores.jsonl").read_bytes() for name in ("1", "2"))
    assert one == two
