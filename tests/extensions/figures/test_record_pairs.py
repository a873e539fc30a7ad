"""Formulas over pairs of records: pairwise accuracy, rank correlations and losses, and what is said of mistakes."""

from __future__ import annotations

import json
import math
import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import scoring
from scoring.extensions.figures import record_pairs
from scoring.statistics.rows import Rows

TASK = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "pass": "score >= 0.5"}
AGREE = "order(record.given) == order(record.human)"
POOLED = f"pairs(record.segment, mean({AGREE}))"
LOSS = "if(order(record.human) > 0, max(0, 1 - (first(record.given) - second(record.given))), 0)"
TAU_B = (
    "sum(order(record.given) * order(record.human)) "
    "/ sqrt(count(order(record.given) != 0) * count(order(record.human) != 0))"
)
FORMULAS = {
    "pooled": POOLED,
    "of_segments": f"mean(per(record.segment, pairs(mean({AGREE}))))",
    "of_all": f"pairs(mean({AGREE}))",
    "tau": f"pairs({TAU_B})",
    "loss": f"pairs(record.segment, sum({LOSS}) / count(order(record.human) > 0))",
    "beside": f"{POOLED} + mean(record.given)",
    "ratio": "pairs(record.segment, mean(first(record.given) / second(record.given)))",
    "several_groupings": f"{POOLED} - mean(per(record.system, mean(score)))",
    "nested": f"mean(per(record.system, pairs(record.segment, mean({AGREE}))))",
}

Record = dict[str, Any]


def task(*metrics: Any, **more: Any) -> scoring.Task:
    return scoring.load({**TASK, "metrics": list(metrics), **more})


def records(count: int = 60, seed: int = 1) -> list[Record]:
    source = random.Random(seed)
    return [
        {
            "id": place,
            "response": source.choice("ab"),
            "reference": source.choice("ab"),
            "segment": place // 6,
            "system": "xyz"[place % 3],
            "given": source.randrange(6) / 5,
            "human": source.randrange(5),
        }
        for place in range(count)
    ]


def figure(formula: str, given: list[Record], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = scoring.evaluate(task({"it": formula}, **more), given).summary["metrics"][0]
    return found


def value(formula: str, given: list[Record], **more: Any) -> Any:
    return figure(formula, given, **more)["value"]


def segments(given: list[Record]) -> list[list[Record]]:
    return [[one for one in given if one["segment"] == name] for name in sorted({one["segment"] for one in given})]


def order(one: float, other: float, ties: float = 0.0) -> int:
    return (one - other > ties) - (other - one > ties)


def counts_of_deutsch(given: list[Record], ties: float) -> tuple[int, int]:
    """Return the pairs that count as right and all pairs of a segment, by the definition of the tied accuracy.

    Source:
        Deutsch, Foster, Freitag: Ties Matter (2023): (C + T_hm) / (C + D + T_h + T_m + T_hm), where differences of a
        metric up to epsilon are ties.
    """
    concordant = discordant = only_human = only_metric = both = 0
    for place, one in enumerate(given):
        for other in given[:place]:
            human, metric = order(one["human"], other["human"]), order(one["given"], other["given"], ties)
            both += human == metric == 0
            only_human += human == 0 != metric
            only_metric += metric == 0 != human
            concordant += human * metric > 0
            discordant += human * metric < 0
    return concordant + both, concordant + discordant + only_human + only_metric + both


@pytest.mark.parametrize("ties", [0, 0.25, 0.5])
def test_pairwise_accuracy_with_ties_is_that_of_its_definition(ties: float) -> None:
    rows = records()
    formula = f"order(record.given, {ties}) == order(record.human)"
    counts = [counts_of_deutsch(one, ties) for one in segments(rows)]
    pooled = sum(right for right, _ in counts) / sum(size for _, size in counts)
    assert value(f"pairs(record.segment, mean({formula}))", rows) == pooled
    means = [right / size for right, size in counts]
    found = value(f"mean(per(record.segment, pairs(mean({formula}))))", rows)
    assert found == pytest.approx(math.fsum(means) / len(means), abs=1e-15)


def test_rank_correlations_are_those_of_scipy() -> None:
    rows = records()
    given, human = ([one[name] for one in rows] for name in ("given", "human"))
    assert value(FORMULAS["tau"], rows) == pytest.approx(kendalltau(given, human).statistic, abs=1e-12)
    apart = [{**one, "given": place * 7 % 61, "human": place * 11 % 61} for place, one in enumerate(rows)]
    given, human = ([one[name] for one in apart] for name in ("given", "human"))
    tau = kendalltau(given, human).statistic  # without ties it is the agreement, from -1 to 1
    assert value(f"2 * {FORMULAS['of_all']} - 1", apart) == pytest.approx(tau, abs=1e-12)
    assert value("pairs(mean(order(record.given) * order(record.human)))", apart) == pytest.approx(tau, abs=1e-12)


def test_a_loss_sees_each_pair_in_the_order_that_it_asks_for() -> None:
    rows = records()
    margins = [
        max(0.0, 1 - (one["given"] - other["given"]))
        for segment in segments(rows)
        for one, other in permutations(segment, 2)
        if one["human"] > other["human"]
    ]
    assert value(FORMULAS["loss"], rows) == pytest.approx(math.fsum(margins) / len(margins), abs=1e-12)
    assert value("pairs(record.segment, count())", rows) == sum(len(one) * (len(one) - 1) for one in segments(rows))


def test_a_pair_without_a_value_is_left_out_and_a_comparison_with_it_is_not_false() -> None:
    rows = records(12)
    pairs = [pair for segment in segments(rows) for pair in permutations(segment, 2) if pair[1]["given"]]
    ratios = [one["given"] / other["given"] for one, other in pairs]
    assert value(FORMULAS["ratio"], rows) == pytest.approx(math.fsum(ratios) / len(ratios), abs=1e-12)
    above = "pairs(record.segment, mean(first(record.given) / second(record.given) > 1))"
    assert value(above, rows) == sum(one > 1 for one in ratios) / len(ratios)


def test_a_record_without_a_number_or_a_segment_is_in_no_pair_and_told() -> None:
    rows = records()
    wanted = value(POOLED, rows[2:])
    del rows[0]["human"], rows[1]["segment"]
    found = figure(POOLED, rows)
    assert found["value"] == wanted
    assert found["details"]["why_not"] == {"no `record.human`": 1}
    assert found["details"]["without_group"] == 1


def test_segments_are_drawn_and_pairs_of_all_records_are_not() -> None:
    rows = records()
    found = figure(POOLED, rows)
    assert found["units"] == len(segments(rows))
    assert found["interval"][0] < found["value"] < found["interval"][1]
    assert figure(FORMULAS["of_all"], rows)["note"] == "no interval: a figure over the pairs of all records has none"
    assert (
        figure(FORMULAS["several_groupings"], rows)["note"] == "no interval: a figure over several groupings has none"
    )


def test_scores_that_lack_may_move_it_either_way() -> None:
    rows = [*records(), {"id": "x", "reference": "a", "segment": 0, "system": "x", "given": 1, "human": 1}]
    found = figure("pairs(record.segment, mean(order(score) == order(record.human)))", rows)
    assert (found["bounds"], found["bounds_reason"]) == (None, "a higher score may raise the figure or lower it")
    assert "bounds_reason" not in figure(POOLED, rows)


def test_more_records_than_are_paired_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pairs, "MOST_RECORDS", 5)
    with pytest.raises(scoring.InputError, match="at most 5 records of a group with one another, and here are 6"):
        figure(POOLED, records())


def test_portions_of_pairs_give_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = records()
    wanted = value(FORMULAS["loss"], rows)
    monkeypatch.setattr(record_pairs, "CELLS", 7)
    assert value(FORMULAS["loss"], rows) == wanted


# ---- the same bits everywhere


@pytest.mark.parametrize("more", [{}, {"intervals": {"cluster": "system"}}, {"intervals": {"strata": "system"}}])
def test_any_order_and_number_of_processes_give_the_same_bits(more: dict[str, Any]) -> None:
    rows = [*records(150), {"id": "bare", "response": "a", "reference": "a"}]
    spec = task(*({name: formula} for name, formula in FORMULAS.items()), **more)
    whole = scoring.evaluate(spec, rows).summary["metrics"]
    assert all(one["value"] is not None for one in whole)
    shuffled = [*rows]
    random.Random(5).shuffle(shuffled)
    assert scoring.evaluate(spec, shuffled).summary["metrics"] == whole
    assert scoring.evaluate(spec, rows, processes=2).summary["metrics"] == whole
    assert scoring.evaluate(spec, rows, batch_size=7).summary["metrics"] == whole


NUMBERS = st.lists(st.tuples(st.floats(-1e9, 1e9), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(numbers=NUMBERS, data=st.data())
@pytest.mark.parametrize("name", ["pooled", "of_segments", "of_all", "loss"])
def test_parts_in_any_order_are_the_whole(name: str, numbers: list[Any], data: Any) -> None:
    (metric,) = task({"it": FORMULAS[name]}).metrics
    given, human, segment = map(list, zip(*numbers, strict=True))
    rows = Rows.of_scores([0.5] * len(numbers), given=given, human=human, segment=segment)
    order = data.draw(st.permutations(range(len(numbers))))
    cut = data.draw(st.integers(0, len(numbers)))
    first, second = (metric(rows.select(part)) for part in (order[:cut], order[cut:]))
    stored = metric(rows.select([])).unpack(json.loads(json.dumps(second.compact().pack())))
    for found in (first.merge(second), first.merge(stored)):
        assert found.value() == metric(rows).value()


# ---- mistakes


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("pairs(record.segment, mean(score))", "`score` is of each record, and here are pairs of them"),
        ("pairs(record.segment, mean(order(scor)))", "there is no field `scor`"),
        ("pairs(record.segment, max(order(score)))", "`max` of pairs is none"),
        ("pairs(record.segment, count(order(score)))", "`count` of pairs takes a condition, or nothing"),
        ("pairs(record.segment, mean(order(score, record.x)))", "`order` takes a number of each record"),
        ("pairs(record.segment, mean(first(score, 1)))", "`first` takes one number of each record"),
        ("pairs(record.segment, order(score))", "formulas over a data set have no function `order`"),
        ("pairs(record.segment, pairs(mean(order(score))))", "`pairs` stands within `pairs`"),
        ("pairs(record.segment, items(record.x, mean(item)))", "`items` stands within `pairs`"),
        ("pairs(a, b, c)", "`pairs` takes a key and a figure over pairs of records"),
        ("pairs(1, mean(order(score)))", "this is the same for all records"),
        ("pairs(record.segment, mean(order(order(score))))", "formulas have no function `order`"),
        ("pairs(record.segment, other)", "`other` is a figure of all records, and here are pairs of records"),
        ("mean(first(score))", "formulas have no function `first`"),
    ],
)
def test_a_mistake_is_told_where_it_stands(formula: str, told: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task({"it": formula}, {"other": "mean(score)"})
    assert any(told in one.message for one in refused.value.diagnostics), refused.value


def test_the_meaning_has_what_is_compared_and_within_what() -> None:
    formulas = [
        "pairs(mean(order(score)))",
        "pairs(record.a, mean(order(score)))",
        "pairs(record.b, mean(order(score)))",
        "pairs(record.a, mean(order(record.x)))",
        "pairs(record.a, sum(order(record.x)))",
        "pairs(record.a, mean(order(record.x, 0.5)))",
    ]
    assert len({task({"it": formula}).signature.meaning for formula in formulas}) == len(formulas)
