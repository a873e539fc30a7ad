"""Holm's correction, by hand-worked numbers and by what it promises."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.comparison.statistics.paired import holm


def test_holm_gives_what_a_textbook_works_out() -> None:
    # Sorted 0.005, 0.011, 0.02, 0.04, 0.13 times 5, 4, 3, 2, 1; none below the one before it.
    assert holm([0.04, 0.011, 0.13, 0.005, 0.02]) == pytest.approx([0.08, 0.044, 0.13, 0.025, 0.06])
    assert holm([]) == []
    assert holm([None, 0.2]) == [None, 0.2]
    assert holm([0.6, 0.7]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_corrected_values_are_no_smaller_and_keep_their_order(values: list[float]) -> None:
    found = [value for value in holm(values) if value is not None]
    assert all(1.0 >= after >= before for before, after in zip(values, found, strict=True))
    assert [after for _, after in sorted(zip(values, found, strict=True))] == sorted(found)


def test_a_false_finding_among_twenty_tests_is_rare() -> None:
    luck = random.Random(3)
    runs = 2_000
    wrong = sum(min(filter(None, holm([luck.random() for _ in range(20)]))) < 0.05 for _ in range(runs))
    assert wrong / runs < 0.065
