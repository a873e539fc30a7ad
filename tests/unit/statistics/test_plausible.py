"""Limits in closed form against SciPy's distributions, and against weights that are really drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from scoring.metrics.summary import quantile, weighted_mean_score
from scoring.statistics.intervals import ratio_of_units
from scoring.statistics.moments import MomentStatistic
from scoring.statistics.plausible import Estimate, MeanShape, free, plausible_interval
from scoring.statistics.proportions import guarded, wilson
from scoring.statistics.rows import Rows

LEVELS = [0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995]


@pytest.mark.parametrize("skew", [-0.7, -0.2, 0.0, 0.3, 0.8])
def test_the_quantiles_of_a_skewed_shape_are_those_of_a_gamma_distribution(skew: float) -> None:
    shape = MeanShape(2.0, 0.5, skew)
    found = [shape.at(level) for level in LEVELS]
    assert found == pytest.approx((2.0 + 0.5 * stats.pearson3.ppf(LEVELS, skew)).tolist(), abs=0.008)
    assert [shape.below(value) for value in found] == pytest.approx(LEVELS)


@pytest.mark.parametrize("values", [[0.1, 0.4, -0.2, 0.9], [0.5, 0.6, 0.6], [-0.3, 0.0, 0.0, 0.0, 0.2]])
def test_the_shape_of_plausible_means_is_that_of_weights_drawn_at_random(values: list[float]) -> None:
    """The Bayesian bootstrap of the values and of one more at either end of the range."""
    held = np.array(values)
    shape = free(held, float(held.mean()), 1.0)
    assert shape is not None
    drawn = np.random.default_rng(1).dirichlet(np.ones(len(values) + 2), 200_000) @ np.array([*values, -1.0, 1.0])
    assert shape.mean == pytest.approx(drawn.mean(), abs=0.004)
    assert shape.spread == pytest.approx(drawn.std(), rel=0.01)
    assert shape.skew == pytest.approx(stats.skew(drawn), abs=0.03)


@pytest.mark.parametrize("n", [20, 30, 200])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_scores_far_from_the_ends_have_nearly_the_interval_of_student(n: int, confidence: float) -> None:
    error = 0.02 / math.sqrt(n)
    low, high, unseen = plausible_interval(Estimate(0.5, error**2, float(n)), (0.0, 1.0), confidence)
    expected = stats.t.ppf(0.5 + confidence / 2, n - 1) * error
    assert (0.5 - low, high - 0.5) == pytest.approx((expected, expected), rel=0.04)
    assert not unseen or n == 20


@pytest.mark.parametrize("mean", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [3, 6, 9])
def test_few_scores_have_the_interval_of_a_beta_distribution_with_half_a_score_at_either_end(
    n: int, mean: float
) -> None:
    variance = 0.001  # of one score
    low, high, unseen = plausible_interval(Estimate(mean, variance / n, float(n)), (0.0, 1.0))
    middle = (n * mean + 0.5) / (n + 1)
    squares = (n - 1) * variance + n * (mean - middle) ** 2 + 0.5 * (middle**2 + (1 - middle) ** 2)
    # Under Dirichlet weights of a total of n + 1 the variance of the mean is this; a beta distribution shares it.
    spread = squares / ((n + 1) * (n + 2))
    size = middle * (1 - middle) / spread - 1
    expected = stats.beta.ppf([0.025, 0.975], middle * size, (1 - middle) * size)
    assert (low, high) == pytest.approx(tuple(expected), abs=0.006)
    assert unseen


def test_a_range_is_only_a_change_of_scale() -> None:
    low, high, _ = plausible_interval(Estimate(0.7, 0.002, 25.0), (0.0, 1.0))
    moved = plausible_interval(Estimate(3.0 + 10.0 * 0.7, 100.0 * 0.002, 25.0), (3.0, 13.0))
    mirrored = plausible_interval(Estimate(0.3, 0.002, 25.0), (0.0, 1.0))
    assert moved[:2] == pytest.approx((3.0 + 10.0 * low, 3.0 + 10.0 * high))
    assert mirrored[:2] == pytest.approx((1.0 - high, 1.0 - low))


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (3, 10), (19, 20), (40, 200)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilsons_limits_are_those_of_scipy(hits: int, n: int, confidence: float) -> None:
    found = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert wilson(hits, n, confidence) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize(("hits", "n"), [(1, 5), (1, 30), (2, 12), (5, 50), (29, 30)])
def test_a_guarded_interval_holds_what_blakers_test_keeps(hits: int, n: int) -> None:
    """The test by its definition, at every ten-thousandth: the two tails that are no likelier than what was seen."""
    shares, seen = np.arange(1, 10_000) / 10_000, np.arange(n + 1)
    each = shares[:, None]
    least = np.minimum(stats.binom.cdf(seen, n, each), stats.binom.sf(seen - 1, n, each))
    as_unlikely = least <= least[:, [hits]] * (1 + 1e-9)
    chances = np.where(as_unlikely, stats.binom.pmf(seen, n, each), 0.0).sum(axis=1)
    kept = shares[chances > 1.4 * 0.05]
    low, high = guarded(hits, n)
    plain = wilson(hits, n)
    expected = min(plain[0], kept[0]) if hits else 0.0, max(plain[1], kept[-1]) if hits < n else 1.0
    assert (low, high) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize(("q", "between"), [(0.5, 0.5), (0.25, 0.25)])
def test_of_two_scores_drawn_twice_a_quantile_lies_between_them_half_the_time(q: float, between: float) -> None:
    drawn = quantile(Rows.of_scores([0.0, 1.0]), q=q).resampled(np.random.default_rng(2), 20_000)
    assert [np.isclose(drawn, at).mean() for at in (0.0, between, 1.0)] == pytest.approx([0.25, 0.5, 0.25], abs=0.015)


def test_weights_are_left_out_one_by_one() -> None:
    scores, weights = [0.2, 0.9, 0.4, 0.7, 0.7], [1.0, 2.0, 5.0, 1.0, 1.0]
    total, value = sum(weights), sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
    off = [(s * w - value * w) / (total - w) for s, w in zip(scores, weights, strict=True)]
    units = total**2 / sum(w**2 for w in weights)
    degrees = sum(w**2 for w in weights) ** 2 / sum(w**4 for w in weights)
    known = np.array([[s * w, w] for s, w in zip(scores, weights, strict=True)])
    found = ratio_of_units(known[:4], np.array([1, 1, 1, 2])).estimate()
    spare = (1 + 2.42 / (degrees - 1 if degrees > 1.7 else 0.7)) / (1 + 2.42 / (units - 1 if units > 1.7 else 0.7))
    assert found.value == pytest.approx(value)
    assert found.units == pytest.approx(units)
    assert found.variance == pytest.approx(sum(one**2 for one in off) * 4 / 5 * spare)


def test_units_that_occur_often_weigh_as_often() -> None:
    """Without units the delta method says what a sandwich of all of them says, repeated ones counted."""
    scores = [0.25] * 5 + [0.5] * 3 + [1.0] * 2
    statistic = weighted_mean_score(Rows.of_scores(scores, weights=[1.0 + score for score in scores])).compact()
    found = MomentStatistic.of(statistic)  # type: ignore[arg-type]
    below = sum(1.0 + score for score in scores)
    value = sum(score * (1.0 + score) for score in scores) / below
    squares = sum(((score - value) * (1.0 + score)) ** 2 for score in scores)
    assert found.value() == pytest.approx(value)
    assert found.error() == pytest.approx(math.sqrt(squares * 10 / 9) / below, rel=1e-6)
