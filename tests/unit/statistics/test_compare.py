"""Comparisons of two runs: tests that agree with hand counts, and do not depend on order."""

from __future__ import annotations

import random

import pytest

from scoring.statistics.compare import compare, flips, permutation_test


def runs(size: int, shift: float) -> tuple[dict[str, float | None], dict[str, float | None]]:
    source = random.Random(2)
    first: dict[str, float | None] = {f"q{place}": source.random() for place in range(size)}
    second: dict[str, float | None] = {
        key: min(1.0, max(0.0, (value or 0.0) + shift + source.gauss(0, 0.1))) for key, value in first.items()
    }
    return first, second


def test_a_run_equals_itself() -> None:
    first, _ = runs(30, 0.0)
    found = compare(first, first)
    assert (found.difference, found.p_value, found.flips, found.is_significant) == (0.0, 1.0, (), False)


def test_a_real_difference_is_found_and_a_chance_one_is_not() -> None:
    assert compare(*runs(80, 0.1)).is_significant
    assert not compare(*runs(80, 0.0)).is_significant


def test_the_order_of_records_changes_nothing() -> None:
    first, second = runs(60, 0.05)
    shuffled = dict(random.Random(1).sample(list(first.items()), len(first)))
    assert compare(shuffled, second) == compare(first, second)


def test_few_changes_are_tested_exactly() -> None:
    # Of the eight sign patterns of 1, 2, 4 only +++ and --- reach a total of 7.
    assert permutation_test([1.0, 2.0, 4.0]) == 0.25
    # The totals are 7, 5, 3 and 1, each with both signs; six of the eight reach 3.
    assert permutation_test([1.0, -2.0, 4.0]) == 0.75


def test_drawn_signs_agree_with_all_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [0.5, -0.25, 1.0, 0.75, 0.5, -0.5, 0.25, 1.0]
    exact = permutation_test(changes)
    assert exact is not None
    monkeypatch.setattr("scoring.statistics.compare.EXACT_UP_TO", 0)
    assert permutation_test(changes, resamples=20_000) == pytest.approx(exact, abs=0.01)


def test_clusters_change_sign_together() -> None:
    first: dict[int, float | None] = dict.fromkeys(range(40), 0.0)
    second: dict[int, float | None] = dict.fromkeys(range(40), 0.5)
    together = compare(first, second, clusters={key: key // 10 for key in first})
    assert together.p_value == 0.125
    assert compare(first, second).p_value == pytest.approx(1 / 10_001)


def test_flips_tell_what_appeared_and_vanished() -> None:
    found = flips({"a": 1.0, "b": None, "c": 0.5, "d": 0.0}, {"a": None, "b": 0.0, "c": 0.75, "d": 0.0})
    assert {flip.id: flip.kind for flip in found} == {"a": "vanished", "b": "appeared", "c": "better"}


def test_runs_without_common_records_have_no_difference() -> None:
    found = compare({"a": 1.0}, {"b": 1.0})
    assert (found.records, found.difference, found.p_value, found.only_first, found.only_second) == (
        0,
        None,
        None,
        1,
        1,
    )
