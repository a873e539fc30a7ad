"""Ratings from comparisons, win rates without the advantage of length, calibration over bins of equal mass."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import scoring
from scoring.extensions.calibration.metrics import ece
from scoring.extensions.preference.metrics import bradley_terry, elo, length_controlled_win_rate
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

NAMES = ["ant", "bee", "cat", "dog"]


WON_ALL = "some sides have won, or lost, all comparisons with the others: their ratings would be infinite"


def battles(seed: int, count: int = 60) -> tuple[list[tuple[str, str, float]], Rows]:
    source = random.Random(seed)
    held = []
    for _ in range(count):
        first, second = source.sample(NAMES, 2)
        held.append((first, second, source.choice([0.0, 0.5, 1.0, 0.25])))
    firsts, seconds, scores = zip(*held, strict=True)
    return held, Rows.of_scores([*scores], a=[*firsts], b=[*seconds], at=[*range(count)])


def rating(rows: Rows, **settings: Any) -> float:
    found = bradley_terry(rows, first="a", second="b", **settings).value()
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(5))
def test_expected_wins_are_the_wins_at_the_greatest_likelihood(seed: int) -> None:
    """Given ratings of Bradley and Terry, then each side is expected to win as much as it has won."""
    held, rows = battles(seed)
    ratings = {name: rating(rows, model=name) for name in NAMES}
    assert math.fsum(ratings.values()) / 4 == pytest.approx(1000)
    for name in NAMES:
        won = math.fsum(s if one == name else 1 - s for one, other, s in held if name in (one, other))
        chances = [
            1 / (1 + 10 ** ((ratings[other if one == name else one] - ratings[name]) / 400))
            for one, other, _ in held
            if name in (one, other)
        ]
        assert won == pytest.approx(math.fsum(chances), abs=1e-9)
    assert rating(rows) == pytest.approx(max(ratings.values()) - min(ratings.values()))
    assert rating(rows, model="bee", anchor="cat", anchor_rating=1200) == pytest.approx(
        1200 + ratings["bee"] - ratings["cat"]
    )


def test_ratings_of_all_sides_are_among_the_details() -> None:
    _, rows = battles(1)
    details = bradley_terry(rows, first="a", second="b").details()["ratings"]
    assert {*details} == {*NAMES}
    ratings = [row["rating"] for row in details.values()]
    assert ratings == sorted(ratings, reverse=True)
    assert all(row["low"] < row["rating"] < row["high"] for row in details.values())
    assert sum(row["comparisons"] for row in details.values()) == 120


@pytest.mark.parametrize(
    "held",
    [
        [("x", "y", 1.0)],
        [("x", "y", 1.0), ("y", "x", 1.0), ("z", "x", 1.0)],
        [("x", "y", 0.5), ("z", "w", 0.5)],
        [("x", "x", 1.0)],
        [("x", 3, 1.0)],
        [("x", "y", 1.5)],
        [],
    ],
)
def test_there_is_no_rating_where_comparisons_do_not_tell_it(held: list[tuple[Any, Any, float]]) -> None:
    columns = [[*column] for column in zip(*held, strict=True)] if held else [[], [], []]
    rows = Rows.of_scores([*columns[2]], a=columns[0], b=columns[1])
    statistic = bradley_terry(rows, first="a", second="b")
    assert statistic.value() is None
    told = statistic.details().get("undefined")
    assert told == (None if statistic.count == 0 else WON_ALL)


def test_an_anchor_that_never_plays_gives_no_figure() -> None:
    _, rows = battles(2)
    cases: list[dict[str, Any]] = [{"model": "ant", "anchor": "elk"}, {"model": "elk"}]
    for settings in cases:
        statistic = bradley_terry(rows, first="a", second="b", **settings)
        assert statistic.value() is None
        assert statistic.details()["undefined"] == "no comparison has the side `elk`"


def test_elo_goes_through_comparisons_in_their_order() -> None:
    held, rows = battles(3)
    ratings = dict.fromkeys(NAMES, 1000.0)
    for one, other, share in held:
        moved = 32 * (share - 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / 400)))
        ratings[one], ratings[other] = ratings[one] + moved, ratings[other] - moved
    for name in NAMES:
        found = elo(rows, first="a", second="b", order="at", model=name, k=32).value()
        assert found == pytest.approx(ratings[name], abs=1e-9)


def test_without_a_difference_of_lengths_the_win_rate_is_the_mean_preference() -> None:
    rows = Rows.of_scores([1.0, 0.0, 0.5, 1.0], own=[5] * 4, base=[5] * 4)
    statistic = length_controlled_win_rate(rows, length="own", other_length="base", strength=1e6)
    assert statistic.value() == pytest.approx(0.625, abs=1e-6)
    assert statistic.details() == {"win_rate": 0.625, "effect_of_length": 0.0}


def test_who_wins_by_length_alone_wins_half_without_it() -> None:
    source = random.Random(4)
    some = [(source.randint(0, 49), source.randint(50, 99)) for _ in range(100)]
    lengths = [*some, *((b, a) for a, b in some)]
    own, base = zip(*lengths, strict=True)
    rows = Rows.of_scores([1.0 if a > b else 0.0 for a, b in lengths], own=[*own], base=[*base])
    statistic = length_controlled_win_rate(rows, length="own", other_length="base")
    assert statistic.value() == pytest.approx(0.5, abs=1e-9)
    assert statistic.details()["effect_of_length"] > 3


def test_a_comparison_without_a_preference_is_predicted_too() -> None:
    own, base, hard = [3, 9, 5, 8, 4], [5, 4, 6, 2, 4], [0.0, 1.0, -1.0, 0.5, 2.0]

    def win_rate(scores: list[float | None]) -> Statistic:
        count = len(scores)
        rows = Rows.of_scores(scores, own=own[:count], base=base[:count], hard=hard[:count])
        return length_controlled_win_rate(rows, length="own", other_length="base", difficulty="hard")

    some, few = win_rate([1.0, 1.0, 0.0, 0.5, None]), win_rate([1.0, 1.0, 0.0, 0.5])
    assert some.details()["win_rate"] == few.details()["win_rate"] == 0.625
    assert some.value() != few.value()
    assert win_rate([None] * 5).value() is None


def test_bins_of_equal_mass_hold_as_many_records() -> None:
    source = random.Random(5)
    sure = [source.random() ** 3 for _ in range(100)]
    rows = Rows.of_scores([float(source.random() < one) for one in sure], sure=sure)
    details = ece(rows, confidence="sure", bins=4, binning="mass").details()["reliability"]
    assert [one["records"] for one in details] == [25] * 4
    gap = math.fsum(one["records"] * abs(one["confidence"] - one["score"]) for one in details) / 100
    assert ece(rows, confidence="sure", bins=4, binning="mass").value() == pytest.approx(gap)
    wide = ece(rows, confidence="sure", bins=4).details()["reliability"]
    assert sum(one["records"] for one in wide) == 100
    assert wide[0]["records"] > 40


def test_equal_confidences_are_never_parted() -> None:
    rows = Rows.of_scores([1.0, 0.0, 1.0, 0.0], sure=[0.5] * 4)
    details = ece(rows, confidence="sure", bins=3, binning="mass").details()["reliability"]
    assert details == [{"confidence": 0.5, "score": 0.5, "records": 4}]


def test_a_figure_that_is_undefined_says_why() -> None:
    """Given a side that won everything, then the summary says so, and does not blame the paths."""
    spec = {
        "kind": "task", "name": "t", "fields": {"share": {"score": "record.share"}},
        "metrics": ['bradley_terry(first="a", second="b")'],
    }  # fmt: skip
    records = [{"id": n, "share": 1, "a": "x", "b": name} for n, name in enumerate("yz")]
    assert scoring.evaluate(spec, records).summary["metrics"][0]["reason"] == WON_ALL
    crowd = Rows.of_scores([0.5] * 2_001, a=[f"s{n}" for n in range(2_001)], b=["x"] * 2_001)
    assert "at most 2,000 sides" in bradley_terry(crowd, first="a", second="b").details()["undefined"]


def test_two_leaderboards_are_compared_by_their_order() -> None:
    spec = {
        "kind": "task", "name": "t", "fields": {"ours": {"score": "record.ours"}},
        "metrics": ['spearman(other="theirs")', 'kendall(other="theirs")'],
    }  # fmt: skip
    records = [{"id": name, "ours": one, "theirs": other} for name, one, other in ("a31", "b22", "c10")]
    figures = scoring.evaluate(
        spec, [{**one, "ours": int(one["ours"]), "theirs": int(one["theirs"])} for one in records]
    )
    assert list(figures.metrics.values()) == pytest.approx([0.5, 1 / 3])
