"""Numbers that are read out of answers, and compared."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.primitives.numbers.compare import absolute_error, relative_closeness, within
from scoring.primitives.numbers.read import integer, number
from scoring.result import Unparsed


@pytest.mark.parametrize(
    ("value", "found"),
    [("7", 7), (" -1,234.5 ", -1234.5), ("+.5", 0.5), ("3e2", 300), ("5.", 5), ("−2", -2), (3, 3), ("046", 46)],
)
def test_number_reads_plain_notations(value: Any, found: float) -> None:
    assert number(value) == found


@pytest.mark.parametrize(
    "value",
    ["", ".", "-", "abc", "1 2", "0x1f", "1_0", "12%", "1,23", "nan", "1e999", "9" * 500, True, None, [1], math.inf],
)
def test_number_refuses_the_rest(value: Any) -> None:
    with pytest.raises(Unparsed):
        number(value)


def test_percentages_and_whole_numbers() -> None:
    assert number("12.5 %", percent=True) == 0.125
    assert integer("4.0") == 4
    with pytest.raises(Unparsed, match="whole"):
        integer("4.5")
    with pytest.raises(Unparsed, match="finite"):
        number(10**400)


EDGES = st.tuples(st.integers(1, 10**6), st.integers(-4, 4), st.integers(1, 99), st.booleans())


@given(EDGES)
def test_the_edge_of_a_share_is_inside_as_it_is_written(edge: tuple[int, int, int, bool]) -> None:
    """The written numbers decide, as one would by hand: the oracle is decimal arithmetic."""
    digits, exponent, percent, above = edge
    reference = Decimal(digits).scaleb(exponent)
    share = Decimal(percent) / 100
    prediction = reference * (1 + share if above else 1 - share)
    compare = scoring.scorer(f"within(relative={share})")
    assert compare.score(float(prediction), float(reference)).value == 1.0
    beyond = prediction + (prediction - reference).copy_sign(1 if above else -1) * Decimal("1e-6")
    assert compare.score(float(beyond), float(reference)).value == 0.0


def test_within_says_what_rounding_adds() -> None:
    assert scoring.scorer("within(relative=0.05)").score(1.05, 1).value == 1.0
    assert scoring.scorer("within(relative=0.05, ulps=0)").score(1.05, 1).value == 0.0
    assert scoring.scorer("within(ulps=0)").score(0.3, 0.1 + 0.2).value == 0.0
    five = math.nextafter(0, 1) * 5
    assert scoring.scorer("within").score(five, 0).value == 0.0
    assert scoring.scorer("within(ulps=5)").score(five, 0).value == 1.0


def test_comparators_of_numbers() -> None:
    assert within(0.3, 0.1 + 0.2) == 1.0
    assert within(101.0, 100.0, relative=0.01) == 1.0
    assert within(98.9, 100.0, relative=0.01) == 0.0
    assert within(0.0, 0.0) == 1.0
    assert relative_closeness(5, 10) == 0.5
    assert relative_closeness(-10, 10) == 0.0
    assert relative_closeness(1, 0) == 0.0
    assert absolute_error(1, -1) == 2.0
