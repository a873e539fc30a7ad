"""Sums of arrays lose nothing: the same bits as fractions, in any order, in a matrix product, and by owner."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scoring.statistics.exact import FEW, ExactSum
from scoring.statistics.multiplicity import sums_by, weighted_sums

wide = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
many = arrays(np.float64, st.integers(0, 3 * FEW), elements=wide)


@given(many, st.integers(0, 3 * FEW))
def test_the_sum_of_an_array_is_the_rounded_sum_of_fractions(values: np.ndarray, cut: int) -> None:
    found = ExactSum.of(values)
    assert found.value == float(sum(map(Fraction, values.tolist()), Fraction(0)))
    assert found == ExactSum.of(values.tolist())
    assert found == ExactSum.of(values[cut:]).merge(ExactSum.of(values[:cut]))


def test_sums_near_the_ends_of_the_range_of_floats() -> None:
    great, small = np.tile([1.5e308, -1.5e308], FEW), np.full(3 * FEW, 5e-324)
    assert ExactSum.of(great).value == 0.0
    assert ExactSum.of(small).value == 3 * FEW * 5e-324
    assert weighted_sums(great[:2, None], np.array([[1, 1]])).tolist() == [[0.0]]


def test_an_array_that_is_not_finite_is_refused() -> None:
    for odd in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            ExactSum.of(np.array([odd] * (2 * FEW)))


scores = st.floats(0, 1)


@given(
    st.lists(st.tuples(scores, scores, st.integers(0, 9)), min_size=1, max_size=40), st.randoms(use_true_random=False)
)
def test_weighted_sums_are_the_same_bits_in_any_order(lines: list[tuple[float, float, int]], source: object) -> None:
    mixed = list(lines)
    source.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis hands out a Random
    found = [
        weighted_sums(np.array([line[:2] for line in some]), np.array([[line[2] for line in some]]))
        for some in (lines, mixed)
    ]
    assert found[0].tolist() == found[1].tolist()
    for column in range(2):
        exact = sum((Fraction(line[column]) * line[2] for line in lines), Fraction(0))
        assert float(found[0][0, column]) == pytest.approx(float(exact), rel=1e-15, abs=1e-20)


@given(st.lists(st.tuples(scores, st.integers(0, 4)), min_size=1, max_size=40))
def test_sums_by_owner_are_the_sums_of_the_lines_of_each(lines: list[tuple[float, int]]) -> None:
    found = sums_by(np.array([[value] for value, _ in lines]), np.array([owner for _, owner in lines]), 5)
    for owner in range(5):
        exact = sum((Fraction(value) for value, other in lines if other == owner), Fraction(0))
        assert float(found[owner, 0]) == pytest.approx(float(exact), rel=1e-15, abs=1e-20)
