"""Intervals: equal whatever the order and split, and near what theory says."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.summary import accuracy, coverage, mean_score, quantile
from scoring.statistics.intervals import clopper_pearson, interval, quantiles, wilson
from scoring.statistics.rows import Rows


def scores(size: int, seed: int = 1) -> list[float]:
    source = random.Random(seed)
    return [source.betavariate(2, 1) for _ in range(size)]


def test_order_and_split_do_not_change_an_interval() -> None:
    rows = Rows.of_scores(scores(150))
    places = list(range(150))
    random.Random(3).shuffle(places)
    first = interval(mean_score(rows), name="mean", seed=5)
    shuffled = mean_score(rows.select(places[:40])).merge(mean_score(rows.select(places[40:])))
    assert interval(shuffled, name="mean", seed=5) == first


def test_seed_and_name_change_the_draws() -> None:
    statistic = mean_score(Rows.of_scores(scores(60)))
    made = {interval(statistic, name=name, seed=seed) for name in ("a", "b") for seed in (0, 1)}
    assert len(made) == 4


@pytest.mark.parametrize("method", ["bca", "percentile", "normal"])
def test_the_interval_of_a_mean_is_near_the_theory(method: str) -> None:
    values = scores(400)
    mean = sum(values) / 400
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / 399 / 400)
    found = interval(mean_score(Rows.of_scores(values)), name="m", method=method)  # type: ignore[arg-type]
    assert found is not None
    assert found.method == method
    assert found.low == pytest.approx(mean - 1.96 * error, abs=0.2 * error)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=0.2 * error)


def test_bca_covers_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(60):
        found = interval(mean_score(Rows.of_scores(scores(40, seed))), name="m", method="bca", resamples=400)
        assert found is not None
        covered += found.low <= 2 / 3 <= found.high
    assert 51 <= covered <= 60


def test_clusters_that_repeat_widen_the_interval() -> None:
    values = [value for value in scores(30) for _ in range(10)]
    clusters = {place: place // 10 for place in range(300)}
    statistic = mean_score(Rows.of_scores(values))
    alone, together = (interval(statistic, name="m", method="bca", clusters=c) for c in (None, clusters))
    assert alone is not None
    assert together is not None
    assert together.units == 30
    assert together.high - together.low > 2.5 * (alone.high - alone.low)


def test_shares_have_analytic_intervals() -> None:
    statistic = accuracy(Rows.of_scores([1.0] * 3 + [0.0] * 7))
    assert interval(statistic, name="a").method == "wilson"  # type: ignore[union-attr]
    exact = interval(statistic, name="a", method="clopper_pearson")
    assert exact is not None
    assert (exact.low, exact.high) == clopper_pearson(3, 10)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0
    with pytest.raises(ValueError, match="shares"):
        interval(mean_score(Rows.of_scores([0.5, 1.0])), name="a", method="wilson")


def test_a_quantile_has_a_percentile_interval() -> None:
    found = interval(quantile(Rows.of_scores(scores(200))), name="median")
    assert found is not None
    assert found.method == "percentile"
    assert found.low < math.sqrt(0.5) < found.high


def test_one_record_has_no_interval() -> None:
    assert interval(mean_score(Rows.of_scores([0.5])), name="m") is None
    assert interval(mean_score(Rows.of_scores([None])), name="m") is None


def test_equal_scores_give_an_interval_of_no_width() -> None:
    found = interval(mean_score(Rows.of_scores([0.5] * 20)), name="m")
    assert found is not None
    assert (found.low, found.high) == (0.5, 0.5)


def bounds(metric: Any, rows: Rows) -> list[float | None]:
    return [metric(rows.with_unscored_as(value)).value() for value in (0.0, 1.0)]


def test_bounds_count_what_is_missing_as_nothing_and_as_everything() -> None:
    assert bounds(mean_score, Rows.of_scores([1.0, None])) == [0.5, 1.0]


def test_bounds_of_what_no_missing_score_can_change_are_its_value() -> None:
    assert bounds(coverage, Rows.of_scores([1.0, None])) == [0.5, 0.5]


@pytest.mark.property
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60),
    levels=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4),
)
def test_quantiles_are_those_of_numpy_to_the_bit(values: list[float], levels: list[float]) -> None:
    assert quantiles(np.array(values), levels) == np.quantile(np.array(values), levels).tolist()
