"""How often intervals cover the truth, for some cases of benchmarks/coverage.py; samples have a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring.metrics.summary import mean_score, weighted_mean_score
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows

SAMPLES = 400
LEAST = 0.93 - 2.0 * math.sqrt(0.05 * 0.95 / SAMPLES)
MOST = 0.98 + 2.0 * math.sqrt(0.02 * 0.98 / SAMPLES)

Draw = Callable[[Any, int], Any]

SCORES: dict[str, tuple[Draw, float]] = {
    "even": (lambda source, n: source.random(n), 0.5),
    "skewed": (lambda source, n: source.beta(0.5, 5, n), 1 / 11),
    "narrow": (lambda source, n: source.beta(50, 50, n), 0.5),
    "mostly right": (lambda source, n: np.where(source.random(n) < 0.9, 1.0, source.random(n)), 0.95),
}


def covered(found: list[Any], truth: float) -> float:
    assert all(one.low < one.high for one in found)
    return sum(one.low <= truth <= one.high for one in found) / len(found)


@pytest.mark.parametrize("case", SCORES)
@pytest.mark.parametrize("n", [10, 30, 200])
def test_the_interval_of_a_mean_covers_as_often_as_it_says(case: str, n: int) -> None:
    draw, truth = SCORES[case]
    source = np.random.default_rng(n)
    found = [interval(mean_score(Rows(range(n), draw(source, n)))) for _ in range(SAMPLES)]
    assert LEAST <= covered(found, truth) <= MOST


@pytest.mark.parametrize("n", [10, 40])
def test_the_interval_without_a_range_covers_as_often_as_it_says(n: int) -> None:
    source = np.random.default_rng(n)
    ends = (0.0, math.inf)
    found = [interval(mean_score(Rows(range(n), source.exponential(size=n))), limits=ends) for _ in range(SAMPLES)]
    assert LEAST <= covered(found, 1.0) <= MOST


@pytest.mark.parametrize("unequal", [False, True])
def test_the_interval_of_clusters_covers_as_often_as_it_says(unequal: bool) -> None:
    source = np.random.default_rng(3)
    found = []
    for _ in range(SAMPLES):
        sizes = source.integers(1, 12, 20) if unequal else np.full(20, 6)
        owners = np.repeat(np.arange(20), sizes)
        scores = (source.random(len(owners)) < source.beta(1.5, 0.5, 20)[owners]) * 1.0
        clusters = dict(enumerate(owners.tolist()))
        found.append(interval(mean_score(Rows(range(len(owners)), scores)), clusters=clusters))
    assert LEAST <= covered(found, 0.75) <= MOST


def test_the_interval_of_weights_covers_as_often_as_it_says() -> None:
    source = np.random.default_rng(4)
    found = []
    for _ in range(SAMPLES):
        scores, weights = (source.random(60) < 0.7) * 1.0, source.lognormal(0, 0.7, 60)
        found.append(interval(weighted_mean_score(Rows(range(60), scores, weights=weights))))
    assert LEAST <= covered(found, 0.7) <= MOST
