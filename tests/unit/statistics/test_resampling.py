"""Draws: shared by figures of one size, the same whatever the order, and no more of them than an answer is worth."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring.metrics.summary import mean_score, quantile, weighted_mean_score
from scoring.statistics import resampling
from scoring.statistics.clusters import unit_draws
from scoring.statistics.intervals import LEAST, WORK, interval
from scoring.statistics.multiplicity import kinds_of
from scoring.statistics.resampling import Draws, resample
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import BlockStatistic, Statistic


def rows_of(size: int, draw: Callable[[random.Random], float] = random.Random.random) -> Rows:
    source = random.Random(4)
    return Rows.of_scores([draw(source) for _ in range(size)], weights=[source.random() for _ in range(size)])


def counted(units: Any) -> Draws:
    lines, _, counts = kinds_of(np.asarray(units, dtype=float))
    return Draws(lines, counts, lambda drawn: drawn)


@pytest.mark.parametrize("units", [[[float(place)] for place in range(30)], [[1.0]] * 20 + [[2.0]] * 10, [[1.0]] * 500])
def test_every_resample_is_as_large_as_the_data(units: list[list[float]]) -> None:
    drawn = resample(counted(units), 0, "", 50)
    assert drawn.sum(axis=1).tolist() == [len(units)] * 50


def test_each_unit_is_drawn_about_once() -> None:
    for units in (
        [[float(place)] for place in range(40)],
        [[float(place // 2)] for place in range(40)],
        [[0.0]] * 900 + [[1.0]],
    ):
        plan = counted(units)
        means = resample(plan, 1, "", 4000).mean(axis=0)
        assert means == pytest.approx(plan.counts, abs=0.15 * max(plan.counts) ** 0.5)


def test_figures_of_as_many_units_share_their_draws() -> None:
    rows = rows_of(50)
    resampling._drawn_singly.cache_clear()
    for metric in (mean_score, weighted_mean_score):
        interval(metric(rows), seed=7, method="bca")
    interval(mean_score(rows.select([0, 1, 2, *range(4, 50)])), seed=7, method="bca")
    info = resampling._drawn_singly.cache_info()
    assert (info.hits, info.misses) == (1, 2)


def test_chunks_do_not_change_what_one_line_is_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = unit_draws(mean_score(rows_of(40)), mean_score(rows_of(40)).units)
    whole = resample(plan, 3, "", 3000)
    monkeypatch.setattr(resampling, "CELLS", 40 * 100)
    parts = resample(plan, 3, "", 3000)
    assert np.quantile(parts, [0.025, 0.5, 0.975]) == pytest.approx(np.quantile(whole, [0.025, 0.5, 0.975]), abs=0.01)


class Costly(BlockStatistic):
    """A figure of which one resample costs a lot."""

    def value(self) -> float:
        return float(self.units.mean())

    def of_counts(self, units: Any, counts: Any) -> Any:
        return (counts @ units)[:, 0] / counts.sum(axis=-1)

    @property
    def resample_cost(self) -> int:
        return WORK // 300


def costly(size: int) -> Statistic:
    return Costly(((list(range(size)), np.random.default_rng(1).random((size, 1))),))


def test_a_costly_figure_gets_fewer_resamples_and_says_so() -> None:
    found = interval(costly(20))
    assert found is not None
    assert (found.method, found.resamples) == ("percentile", 300)
    asked = interval(costly(20), method="percentile", resamples=1000)
    assert asked is not None
    assert asked.resamples == 1000


def test_the_work_of_an_interval_grows_smoothly() -> None:
    grows_smoothly(mean_score, quantile)


def grows_smoothly(*metrics: Callable[[Rows], Statistic]) -> None:
    """Hold that no number of records makes an interval dearer than twice as many would be."""
    for metric in metrics:
        before = 0.0
        for size in (40, 80, 100, 101, 120, 200, 400, 2_000, 2_001, 20_000):
            plain = rows_of(size)
            columns = {"a": [str(place % 7) for place in range(size)], "b": [str(place % 5) for place in range(size)]}
            found = interval(metric(Rows(plain.ids, plain.values(), columns=columns)))
            assert found is not None
            cost = (found.resamples or 0) * min(size, 7 * 5 * resampling.COUNTED)
            assert cost <= max(4 * WORK, 2 * before, LEAST * size)
            before = cost


def test_the_direct_draws_of_a_quantile_agree_with_counted_ones() -> None:
    for q in (0.0, 0.3, 0.5, 1.0):
        statistic = quantile(rows_of(120), q=q)
        plan = unit_draws(statistic, statistic.units)
        counted, direct = resample(plan, 2, "", 20_000), statistic.resampled(np.random.default_rng(2), 20_000)
        limits = [0.05, 0.25, 0.5, 0.75, 0.95]
        assert np.quantile(direct, limits) == pytest.approx(np.quantile(counted, limits), abs=0.015)
