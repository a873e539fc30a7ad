"""Intervals of paired differences: against SciPy, and how often they cover the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.extensions.comparison.statistics.paired import paired
from tests.unit.statistics.test_coverage import LEAST, MOST, SAMPLES, covered


@pytest.mark.property
@given(st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.1, 0.25, 1.0]), min_size=2, max_size=40))
def test_runs_that_change_places_change_the_sign_of_their_interval(changes: list[float]) -> None:
    there, back = (paired([way * change for change in changes], resamples=500) for way in (1.0, -1.0))
    assert there.interval is not None
    assert back.interval is not None
    assert (back.interval.low, back.interval.high) == pytest.approx((-there.interval.high, -there.interval.low))
    assert back.p_value == pytest.approx(there.p_value)


@pytest.mark.parametrize("n", [20, 60])
def test_changes_like_a_normal_distribution_have_nearly_the_interval_of_student(n: int) -> None:
    changes = 0.1 + 0.2 * stats.norm.ppf((np.arange(n) + 0.5) / n)
    found = paired(changes.tolist(), widest=math.inf).interval
    assert found is not None
    expected = stats.t.interval(0.95, n - 1, changes.mean(), stats.sem(changes))
    assert (found.low, found.high) == pytest.approx(expected, abs=0.04 * (expected[1] - expected[0]))


@pytest.mark.parametrize(("share", "gain"), [(0.3, 0.1), (1.0, 0.5)])
def test_the_interval_of_a_difference_covers_as_often_as_it_says(share: float, gain: float) -> None:
    source = np.random.default_rng(5)
    found = []
    for _ in range(SAMPLES):
        which = source.random(60)
        changes = np.where(which < (share + gain) / 2, 1.0, np.where(which < share, -1.0, 0.0))
        found.append(paired(changes.tolist(), resamples=200).interval)
    assert LEAST <= covered(found, gain) <= MOST
