"""Kappa and correlation against figures worked out by hand."""

from __future__ import annotations

import math
import random

import pytest

from scoring.extensions.agreement.metrics import cohen_kappa, pearson
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows


def rows(first: list[object], second: list[object]) -> Rows:
    return Rows.of_scores([1.0] * len(first), a=first, b=second)


def test_kappa_of_the_textbook_table() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, by chance 0.5.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(rows([*first], [*second]), first="a", second="b").value() == pytest.approx(0.4)


def test_weighted_kappa_forgives_neighbours() -> None:
    data = rows([1, 2, 3, 3, 2, 1], [1, 2, 2, 3, 3, 1])
    plain, linear, quadratic = (
        cohen_kappa(data, first="a", second="b", weights=weights).value() for weights in ("none", "linear", "quadratic")
    )
    assert plain == pytest.approx(0.5)
    # By distance: observed 2 of 6; by chance (4 of 9) * 1 + (2 of 9) * 2 = 8 of 9.
    assert linear == pytest.approx(1 - (2 / 6) / (8 / 9))
    assert quadratic == pytest.approx(1 - (2 / 6) / (12 / 9))


def test_kappa_is_undefined_where_chance_leaves_nothing() -> None:
    assert cohen_kappa(rows(["y", "y"], ["y", "y"]), first="a", second="b").value() is None
    assert cohen_kappa(rows(["y", None], [None, "y"]), first="a", second="b").value() is None


def test_kappa_merges_and_has_an_interval() -> None:
    source = random.Random(1)
    first = [source.choice("xyz") for _ in range(90)]
    second = [value if source.random() < 0.7 else source.choice("xyz") for value in first]
    data = rows([*first], [*second])
    halves = [cohen_kappa(data.select(range(a, b)), first="a", second="b") for a, b in ((40, 90), (0, 40))]
    whole = cohen_kappa(data, first="a", second="b")
    assert halves[0].merge(halves[1]).value() == whole.value()
    found = interval(whole, name="kappa", resamples=300)
    assert found is not None
    assert found.low < (whole.value() or 0.0) < found.high


def test_pearson_by_hand() -> None:
    data = Rows.of_scores([0.1, 0.4, 0.8, None], human=[1, 3, 2, 5])
    mean = 1.3 / 3
    dx = [value - mean for value in (0.1, 0.4, 0.8)]
    expected = (-dx[0] + dx[1]) / math.sqrt(sum(value**2 for value in dx) * 2)
    assert pearson(data, other="human").value() == pytest.approx(expected)
    assert pearson(Rows.of_scores([0.5, 0.5], human=[1, 2]), other="human").value() is None
