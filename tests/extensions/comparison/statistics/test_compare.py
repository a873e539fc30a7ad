"""Comparisons of two runs: tests that agree with hand counts, and do not depend on order."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.comparison.statistics.compare import compare_paired_scores, difference, flips
from scoring.extensions.comparison.statistics.paired import FEW_CHANGED, MANY_SIZES, exchanged, paired, permutation_test
from scoring.extensions.figures.metrics.labels import f1
from scoring.metrics.summary import mean_score, quantile
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


def runs(size: int, shift: float) -> tuple[dict[str, float | None], dict[str, float | None]]:
    source = random.Random(2)
    first: dict[str, float | None] = {f"q{place}": source.random() for place in range(size)}
    second: dict[str, float | None] = {
        key: min(1.0, max(0.0, (value or 0.0) + shift + source.gauss(0, 0.1))) for key, value in first.items()
    }
    return first, second


def test_a_run_equals_itself() -> None:
    first, _ = runs(30, 0.0)
    found = compare_paired_scores(first, first)
    assert (found.difference, found.p_value, found.flips, found.is_significant) == (0.0, 1.0, (), False)


def test_a_real_difference_is_found_and_a_chance_one_is_not() -> None:
    assert compare_paired_scores(*runs(80, 0.1)).is_significant
    assert not compare_paired_scores(*runs(80, 0.0)).is_significant


def test_the_order_of_records_changes_nothing() -> None:
    first, second = runs(60, 0.05)
    shuffled = dict(random.Random(1).sample(list(first.items()), len(first)))
    assert compare_paired_scores(shuffled, second) == compare_paired_scores(first, second)


def test_few_changes_are_tested_exactly() -> None:
    # Of the eight sign patterns of 1, 2, 4 only +++ and --- reach a total of 7.
    assert permutation_test([1.0, 2.0, 4.0]) == 0.25
    # The totals are 7, 5, 3 and 1, each with both signs; six of the eight reach 3.
    assert permutation_test([1.0, -2.0, 4.0]) == 0.75


def test_drawn_signs_agree_with_all_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [0.5, -0.25, 1.0, 0.75, 0.5, -0.5, 0.25, 1.0]
    exact = permutation_test(changes)
    assert exact is not None
    monkeypatch.setattr("scoring.extensions.comparison.statistics.paired.EXACT_UP_TO", 0)
    assert permutation_test(changes, resamples=20_000) == pytest.approx(exact, abs=0.01)


def test_very_many_signs_agree_with_drawn_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(6)
    for shift in (0.0, 0.01, 0.02):
        changes = [source.gauss(shift, 0.5) for _ in range(MANY_SIZES + 1)]
        normal = permutation_test(changes)
        with monkeypatch.context() as patch:
            patch.setattr("scoring.extensions.comparison.statistics.paired.MANY_SIZES", 10**9)
            assert normal == pytest.approx(permutation_test(changes), abs=0.015)
    # However clear a change is, no test of so many draws could say more than this.
    assert permutation_test([1.0 + place / 1e6 for place in range(MANY_SIZES + 1)], resamples=999) == 0.001


def test_clusters_change_sign_together() -> None:
    first: dict[int, float | None] = dict.fromkeys(range(40), 0.0)
    second: dict[int, float | None] = dict.fromkeys(range(40), 1.0)
    together = compare_paired_scores(first, second, clusters={key: key // 10 for key in first})
    assert together.p_value == 0.125
    assert compare_paired_scores(first, second).p_value == pytest.approx(1 / 10_001)


@pytest.mark.property
@given(
    changes=st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.1, 0.25, 1.0]), min_size=1, max_size=40),
    size=st.integers(0, 3),
    confidence=st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
def test_the_p_value_and_the_interval_never_disagree(changes: list[float], size: int, confidence: float) -> None:
    owners = [place // size for place in range(len(changes))] if size else None
    found = paired(changes, owners, confidence=confidence)
    assert found.interval is not None
    assert found.p_value is not None
    assert (found.interval.low <= 0.0 <= found.interval.high) == (found.p_value >= 1.0 - confidence)
    assert found.interval.low < found.interval.high
    mixed = random.Random(1).sample(range(len(changes)), len(changes))
    again = paired(
        [changes[place] for place in mixed], owners and [owners[place] for place in mixed], confidence=confidence
    )
    assert again == found


@pytest.mark.property
@given(
    observed=st.floats(-1.0, 1.0),
    drawn=st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=200),
    confidence=st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
def test_an_exchange_test_and_its_interval_never_disagree(
    observed: float, drawn: list[float], confidence: float
) -> None:
    found = exchanged(observed, np.array(drawn), 30, confidence=confidence)
    assert found.interval is not None
    assert found.p_value is not None
    assert (found.interval.low <= 0.0 <= found.interval.high) == (found.p_value >= 1.0 - confidence)


def test_what_has_no_cluster_stands_alone() -> None:
    """Records without a cluster are not one cluster together."""
    changes = [0.0] * 15 + [1.0] * 9 + [-1.0] * 6
    assert paired(changes, [None] * 30) == paired(changes) == paired(changes, list(range(30)))
    assert paired(changes, ["one"] * 30) != paired(changes)
    mixed = paired(changes, ["one"] * 10 + [None] * 20)
    assert mixed.interval is not None
    assert mixed.interval.units == 21


def test_runs_that_never_differ_might_yet() -> None:
    """One change in n would have come with a chance of 1 in 20 if 3 in n changed (the rule of three)."""
    found = paired([0.0] * 100)
    assert found.p_value == 1.0
    assert found.interval is not None
    assert found.interval.high == pytest.approx(0.03, abs=0.005)
    assert found.interval.low == -found.interval.high
    assert found.interval.note == FEW_CHANGED


def test_changes_beyond_what_is_possible_are_believed() -> None:
    found = paired([3.0, 2.0, 4.0, 3.0, 2.5, 3.5, 2.8, 3.2, 3.1, 2.9, 3.0, 3.3])
    assert found.interval is not None
    assert 2.0 < found.interval.low < 3.0 < found.interval.high < 4.0
    assert paired([2.0], widest=math.inf).interval is None
    alike = paired([0.5] * 40).interval
    assert alike is not None
    assert 0.3 < alike.low < 0.5 < alike.high < 0.6


def test_flips_tell_what_appeared_and_vanished() -> None:
    found = flips({"a": 1.0, "b": None, "c": 0.5, "d": 0.0}, {"a": None, "b": 0.0, "c": 0.75, "d": 0.0})
    assert {flip.id: flip.kind for flip in found} == {"a": "vanished", "b": "appeared", "c": "better"}


def test_runs_without_common_records_have_no_difference() -> None:
    found = compare_paired_scores({"a": 1.0}, {"b": 1.0})
    assert (found.records, found.difference, found.p_value, found.only_first, found.only_second) == (
        0,
        None,
        None,
        1,
        1,
    )


def rows_of(seed: int, shift: float, size: int = 80) -> Rows:
    source = random.Random(seed)
    right = [source.choice("abc") for _ in range(size)]
    given = [label if source.random() < 0.6 + shift else source.choice("abc") for label in right]
    scores = [min(1.0, source.random() + shift) for _ in range(size)]
    return Rows.of_scores(scores, ids=[f"q{place}" for place in range(size)], response=given, reference=right)


FIGURES: dict[str, Callable[[Rows], Statistic]] = {"mean": mean_score, "median": quantile, "f1": f1}


@pytest.mark.parametrize("name", FIGURES)
def test_the_difference_of_a_figure_is_that_of_its_values(name: str) -> None:
    metric, before, after = FIGURES[name], rows_of(1, 0.0), rows_of(2, 0.3)
    found = difference(metric(before), metric(after))
    assert found.value() == pytest.approx((metric(after).value() or 0.0) - (metric(before).value() or 0.0), abs=1e-12)
    spread = interval(found, limits=(-1.0, 1.0))
    assert spread is not None
    assert spread.low < (found.value() or 0.0) < spread.high
    mixed = after.select(random.Random(3).sample(range(80), 80))
    assert interval(difference(metric(before), metric(mixed)), limits=(-1.0, 1.0)) == spread


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_does_not_differ_from_itself(name: str) -> None:
    same = difference(FIGURES[name](rows_of(1, 0.0)), FIGURES[name](rows_of(1, 0.0)))
    found = interval(same, limits=(-1.0, 1.0))
    assert found is not None
    assert found.low <= 0.0 <= found.high
    assert found.note is not None


def test_only_what_both_runs_have_is_compared() -> None:
    before, after = rows_of(1, 0.0), rows_of(2, 0.3)
    some = difference(mean_score(before.select(range(50))), mean_score(after.select(range(30, 80))))
    both = range(30, 50)
    assert list(some.keys) == [f"q{place}" for place in both]
    means = [mean_score(rows.select(both)).value() or 0.0 for rows in (before, after)]
    assert some.value() == pytest.approx(means[1] - means[0])
    nothing = difference(quantile(before.select([0])), quantile(after.select([1])))
    assert (nothing.value(), interval(nothing)) == (None, None)


def test_the_paired_interval_of_means_is_that_of_their_changes() -> None:
    first, second = runs(60, 0.05)
    plain = compare_paired_scores(first, second, resamples=4000).interval
    sides = (mean_score(Rows.of_scores(run.values(), ids=list(run))) for run in (first, second))
    paired = interval(difference(*sides), limits=(-1.0, 1.0))
    assert plain is not None
    assert paired is not None
    assert (paired.low, paired.high) == pytest.approx((plain.low, plain.high), abs=0.004)


def test_clusters_are_drawn_together_in_a_difference() -> None:
    found = difference(quantile(rows_of(1, 0.0)), quantile(rows_of(2, 0.3)))
    spread = interval(found, clusters={key: place // 8 for place, key in enumerate(found.keys)})
    assert spread is not None
    assert spread.units == 10


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_the_interval_holds_the_difference_that_was_seen(n: int, confidence: float) -> None:
    found = compare_paired_scores(dict.fromkeys(range(n), 0.0), dict.fromkeys(range(n), 1.0), confidence=confidence)
    assert found.interval is not None
    assert found.difference is not None
    assert found.interval.low <= found.difference == 1.0 <= found.interval.high


def test_scores_that_can_be_one_number_alone_never_differ() -> None:
    found = compare_paired_scores(dict.fromkeys(range(5), 2.0), dict.fromkeys(range(5), 2.0), widest=0.0)
    assert (found.difference, found.interval, found.p_value) == (0.0, None, 1.0)


def test_no_exchange_makes_a_difference_larger_than_the_range_of_the_figure() -> None:
    found = exchanged(-0.7, np.array([-0.7, 0.7] * 50), 2, widest=1.0).interval
    assert found is not None
    assert (found.low, found.high) == (-1.0, pytest.approx(0.0, abs=1e-9))
