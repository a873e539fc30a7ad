"""Intervals: equal whatever the order and split, and near what theory says."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.summary import accuracy, coverage, mean_score, quantile, weighted_mean_score
from scoring.statistics.closed_intervals import ALIKE, SCARCE, Interval
from scoring.statistics.intervals import interval, spread_of
from scoring.statistics.moments import MomentStatistic
from scoring.statistics.proportions import clopper_pearson, guarded, wilson
from scoring.statistics.resampling import quantiles
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
    made = {interval(statistic, name=name, seed=seed, method="percentile") for name in ("a", "b") for seed in (0, 1)}
    assert len(made) == 4


@pytest.mark.parametrize("method", ["bca", "percentile", "normal"])
def test_the_interval_of_a_mean_is_near_the_theory(method: str) -> None:
    values = scores(400)
    mean = sum(values) / 400
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / 399 / 400)
    found = interval(mean_score(Rows.of_scores(values)), name="m", method=method)
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
    assert interval(statistic, name="a", method="wilson").method == "wilson"  # type: ignore[union-attr]
    exact = interval(statistic, name="a", method="clopper_pearson")
    assert exact is not None
    assert (exact.low, exact.high) == clopper_pearson(3, 10)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0
    with pytest.raises(ValueError, match="shares"):
        interval(mean_score(Rows.of_scores([0.5, 1.0])), name="a", method="wilson")


def test_a_quantile_lies_between_scores_by_their_ranks() -> None:
    """Of ten scores the second and the ninth: one or none lies below the median once in 93 times, and so above."""
    found = interval(quantile(Rows.of_scores([place / 10 for place in range(10)])))
    assert found == Interval(0.1, 0.8, 0.95, "ranks", 10)
    asked = interval(quantile(Rows.of_scores(scores(200))), name="median", method="percentile")
    assert asked is not None
    assert asked.low < math.sqrt(0.5) < asked.high


def test_a_quantile_of_twins_rests_on_the_pairs() -> None:
    """Ten scores, each of them twice: of clusters of two the interval is that of the ten, not of twenty."""
    rows = Rows.of_scores([place // 2 / 10 for place in range(20)])
    clusters = {place: place // 2 for place in range(20)}
    found, alone = interval(quantile(rows), clusters=clusters), interval(quantile(rows))
    assert (found, alone) == (Interval(0.1, 0.8, 0.95, "ranks", 10), Interval(0.2, 0.7, 0.95, "ranks", 20))


METHODS = ["auto", "percentile", "bca", "normal"]


def test_without_a_score_there_is_no_interval() -> None:
    assert spread_of(mean_score(Rows.of_scores([None]))) == "it has no value"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scores", [[0.5], [1.0], [0.5] * 20, [1.0] * 20, [0.0] * 200])
@pytest.mark.parametrize(
    "clusters", [None, dict.fromkeys(range(200), "one"), {place: place // 2 for place in range(200)}]
)
def test_nothing_is_certain_after_scores_that_are_all_alike(method: Any, scores: list[float], clusters: Any) -> None:
    """The scores that were not seen may be others, so what is known is at most what as many right answers tell."""
    found = interval(mean_score(Rows.of_scores(scores)), method=method, clusters=clusters)
    assert found is not None
    size = min(len(scores), found.units)
    assert found.high - found.low >= 0.9 * (1.0 - wilson(size, size)[0])
    assert found.note == ALIKE
    assert found.low <= scores[0] <= found.high


def test_without_a_range_scores_that_are_all_alike_tell_nothing() -> None:
    found = spread_of(mean_score(Rows.of_scores([0.5] * 20)), limits=(0.0, math.inf))
    assert found == "all are alike but for rounding, and it has no range"


@pytest.mark.parametrize("place", [1e6, 1e9, 1e10])
def test_an_interval_far_from_zero_is_that_near_it(place: float) -> None:
    """Numbers such as times in seconds differ by little beside their size, and yet by far more than rounding."""
    scores = [number / 64 for number in (3, 17, 40, 8, 29, 51, 12, 33, 60, 22)]
    near, far = (
        spread_of(mean_score(Rows.of_scores([at + score for score in scores])), limits=(-math.inf, math.inf))
        for at in (0.0, place)
    )
    assert isinstance(near, Interval)
    assert isinstance(far, Interval)
    assert (far.low - place, far.high - place) == pytest.approx((near.low, near.high), abs=1e-15 * place)


@pytest.mark.parametrize("score", [0.1 + 0.2, 1e9 + 0.3, 1.7e12])
@pytest.mark.parametrize("size", [10, 5_000])
def test_equal_numbers_of_any_size_have_no_interval(score: float, size: int) -> None:
    found = spread_of(mean_score(Rows.of_scores([score] * size)), limits=(-math.inf, math.inf))
    assert found == "all are alike but for rounding, and it has no range"


def test_a_mean_of_right_and_wrong_is_a_share() -> None:
    found = interval(mean_score(Rows.of_scores([1.0] * 4)))
    assert found is not None
    assert (found.method, found.low, found.high) == ("wilson", *wilson(4, 4))
    weights = Rows.of_scores([1.0, 1.0, 0.0] * 20, weights=[2.5] * 60)
    assert interval(weighted_mean_score(weights)) == interval(mean_score(weights))


def test_a_share_may_lie_between_other_ends() -> None:
    of_three = interval(mean_score(Rows.of_scores([3.0] * 30 + [0.0] * 30)), limits=(0.0, 3.0))
    of_one = interval(mean_score(Rows.of_scores([1.0] * 30 + [0.0] * 30)))
    assert of_three is not None
    assert of_one is not None
    assert (of_three.method, of_three.low, of_three.high) == ("wilson", 3 * of_one.low, 3 * of_one.high)


def test_wilson_and_clopper_pearson_are_those_of_scipy() -> None:
    from scipy.stats import binomtest

    for n in (1, 2, 7, 30, 400):
        for successes in {0, 1, n // 3, n // 2, n - 1, n}:
            for confidence in (0.8, 0.95, 0.99):
                test = binomtest(successes, n)
                for limits, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
                    theirs = test.proportion_ci(confidence, method)  # a word of the list
                    assert limits(successes, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("n", [5, 6, 9, 15, 30, 60])
def test_the_guarded_interval_of_a_share_covers_at_least_93_percent(n: int) -> None:
    """By adding up the chances of all counts, of which nothing is drawn."""
    from scipy.stats import binom

    limits = np.array([guarded(successes, n) for successes in range(n + 1)])
    shares = np.linspace(0.001, 0.999, 999)[:, None]
    covers = (limits[:, 0] <= shares) & (shares <= limits[:, 1])
    chances = binom.pmf(np.arange(n + 1), n, shares)
    covered = (covers * chances).sum(axis=1)
    assert covered.min() >= 0.93
    rarer = np.minimum(shares[:, 0], 1.0 - shares[:, 0]) * n
    assert covered[rarer > SCARCE].max(initial=0.0) <= 0.98
    plain = np.array([wilson(successes, n) for successes in range(n + 1)])
    assert ((limits[:, 0] <= plain[:, 0]) & (plain[:, 1] <= limits[:, 1])).all()


def test_a_bounded_interval_lies_in_its_range_and_leans_away_from_its_end() -> None:
    found = interval(mean_score(Rows.of_scores([0.97, 0.99, 1.0, 1.0, 0.98, 1.0, 0.9, 1.0, 0.99, 1.0, 0.95, 1.0])))
    assert found is not None
    assert found.method == "bounded"
    assert found.high <= 1.0
    assert found.high - 0.98167 < 0.98167 - found.low


def test_a_range_scales_an_interval() -> None:
    rows, wide = Rows.of_scores(scores(50)), Rows.of_scores([5.0 * score - 2.0 for score in scores(50)])
    one, other = interval(mean_score(rows)), interval(mean_score(wide), limits=(-2.0, 3.0))
    assert one is not None
    assert other is not None
    assert (other.low, other.high) == pytest.approx((5.0 * one.low - 2.0, 5.0 * one.high - 2.0), rel=1e-9)


def test_a_wide_sample_has_the_interval_of_students_t() -> None:
    """Far from the ends of a range the bounded interval is that of the t distribution."""
    from scipy.stats import norm, t

    for n in (12, 40, 300):
        values = norm.ppf((np.arange(n) + 0.5) / n, loc=50.0, scale=1.0)
        error = values.std(ddof=1) / math.sqrt(n)
        for limits in ((0.0, 100.0), (-math.inf, math.inf)):
            found = interval(mean_score(Rows.of_scores(values.tolist())), limits=limits)
            assert found is not None
            half = t.ppf(0.975, n - 1) * error
            assert (found.low, found.high) == pytest.approx((50.0 - half, 50.0 + half), abs=0.08 * half)


def test_sums_alone_give_the_same_interval_to_the_bit() -> None:
    for rows, clusters in ((Rows.of_scores(scores(1200)), None), (Rows.of_scores([1.0, 0.0, 1.0] * 500), None)):
        statistic = mean_score(rows)
        assert interval(MomentStatistic.of(statistic)) == interval(statistic, clusters=clusters)  # type: ignore[arg-type]


def test_weights_that_differ_tell_less_than_as_many_records() -> None:
    source = random.Random(3)
    values = [float(source.random() < 0.7) for _ in range(200)]
    weights = [source.lognormvariate(0, 1) for _ in values]
    plain = interval(mean_score(Rows.of_scores(values)))
    weighted = interval(weighted_mean_score(Rows.of_scores(values, weights=weights)))
    assert plain is not None
    assert weighted is not None
    assert weighted.method == "bounded"
    kish = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    ratio = (weighted.high - weighted.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(math.sqrt(200 / kish), rel=0.25)


@pytest.mark.parametrize(
    ("metric", "size", "reason"),
    [
        (lambda rows: quantile(rows, q=0.5), 9, "it needs at least 10 units"),
        (lambda rows: quantile(rows, q=0.95), 99, "it needs at least 100 units"),
        (lambda rows: quantile(rows, q=1.0), 99, "an extreme has none"),
    ],
)
def test_a_figure_of_too_few_units_says_why_it_has_no_interval(metric: Any, size: int, reason: str) -> None:
    assert spread_of(metric(Rows.of_scores(scores(size)))) == reason
    larger = spread_of(metric(Rows.of_scores(scores(size + 1))))
    assert reason == "an extreme has none" or isinstance(larger, Interval)


def test_a_ratio_of_few_units_without_a_range_says_why_it_has_no_interval() -> None:
    rows = Rows.of_scores(scores(4))
    assert spread_of(mean_score(rows), limits=(0.0, math.inf)) == "it needs at least 5 units"
    assert isinstance(spread_of(mean_score(Rows.of_scores(scores(5))), limits=(0.0, math.inf)), Interval)


def bounds(metric: Any, rows: Rows) -> list[float | None]:
    return [metric(rows.with_unscored_at(end)).value() for end in ("low", "high")]


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
