"""Intervals from what a figure is without each of its units: near those of many draws, and nothing is drawn."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from scoring.metrics.summary import mean_score, weighted_mean_score
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.intervals import interval, spread_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, of_sums

NO = "Not answerable"


def rows_of(size: int) -> Rows:
    source = random.Random(size)
    scores = [source.random() ** 4 for _ in range(size)]
    return Rows.of_scores(
        scores,
        weights=[source.lognormvariate(0, 1) for _ in scores],
        human=[score + source.gauss(0, 0.3) for score in scores],
        response=[source.choice(["a", NO]) for _ in scores],
        reference=[source.choice(["a", NO]) for _ in scores],
    )


METRICS: dict[str, Callable[[Rows], Statistic]] = {"mean": mean_score, "weighted_mean": weighted_mean_score}


def made(
    statistic: Statistic, method: str, resamples: int = 2000, limits: tuple[float, float] = (-1.0, 1.0)
) -> Interval:
    found = interval(statistic, method=method, resamples=resamples, limits=limits)
    assert found is not None
    return found


def check_interval(metric: Callable[[Rows], Statistic]) -> None:
    """Check that the interval without draws is near that of many."""
    statistic = metric(rows_of(400))
    plain, drawn, normal = (made(statistic, method, 30_000) for method in ("auto", "bca", "normal"))
    assert (plain.method, plain.resamples) == ("bounded", None)
    error = (normal.high - normal.low) / 3.92
    assert plain.low == pytest.approx(drawn.low, abs=0.35 * error)
    assert plain.high == pytest.approx(drawn.high, abs=0.35 * error)


@pytest.mark.parametrize("name", METRICS)
def test_the_interval_without_draws_is_near_that_of_many(name: str) -> None:
    check_interval(METRICS[name])


def test_the_limits_of_an_unbounded_figure_are_near_those_of_many_draws() -> None:
    source = random.Random(5)
    lengths = [(source.expovariate(1.0), source.randint(1, 9)) for _ in range(300)]
    statistic = of_sums(divide, range(300), lengths, width=2)
    plain, drawn = made(statistic, "auto", limits=(-math.inf, math.inf)), made(statistic, "bca", 30_000)
    assert plain.method == "unbounded"
    width = drawn.high - drawn.low
    assert plain.low == pytest.approx(drawn.low, abs=0.06 * width)
    assert plain.high == pytest.approx(drawn.high, abs=0.06 * width)


def check_order(*metrics: Callable[[Rows], Statistic]) -> None:
    """Check that intervals do not depend on the order of the records."""
    rows = rows_of(300)
    places = list(range(300))
    random.Random(1).shuffle(places)
    for metric in metrics:
        for method in ("auto", "normal"):
            assert made(metric(rows), method) == made(metric(rows.select(places)), method)


def test_it_does_not_depend_on_the_order_of_the_records() -> None:
    check_order(*METRICS.values())


def test_a_figure_that_is_undefined_without_one_of_its_units_says_so() -> None:
    """All weight but a little lies on one unit; of the others alone the ratio is not known."""
    statistic = of_sums(divide, range(12), [(1.0, 1.0), *[(0.5, 0.0)] * 11], width=2)
    assert spread_of(statistic, limits=(-math.inf, math.inf)) == "it is undefined without one of the units"
