"""Figures of numbers that lie far from 0, such as years and prices, against the same numbers moved to 0."""

from __future__ import annotations

import numpy as np
import pytest

import scoring
from scoring.extensions.agreement.metrics import pearson
from scoring.extensions.figures.metrics.errors import r_squared
from scoring.statistics.rows import Rows

GIVEN = [0.25, 0.75, 0.5, 1.0, 0.125, 0.625]
RIGHT = [0.5, 0.625, 0.25, 0.875, 0.25, 0.75]
FAR = [0.0, 2_000.0, 1e6, -1e6, 1e9, 1.7e12]


def rows_at(place: float) -> Rows:
    """The numbers around a place; all of them are exact."""
    given, right = ([place + number for number in side] for side in (GIVEN, RIGHT))
    return Rows.of_scores(given, response=given, reference=right)


@pytest.mark.parametrize("place", FAR)
def test_where_the_numbers_lie_does_not_matter(place: float) -> None:
    rows = rows_at(place)
    near = pytest.approx(float(np.corrcoef(GIVEN, RIGHT)[0, 1]), abs=1e-12)
    assert pearson(rows, other="reference").value() == near
    assert scoring.evaluate(_task(), _records(place)).metrics["pearson"] == near
    left = sum((one - other) ** 2 for one, other in zip(GIVEN, RIGHT, strict=True))
    whole = sum((one - np.mean(RIGHT)) ** 2 for one in RIGHT)
    assert r_squared(rows).value() == pytest.approx(1 - left / whole, abs=1e-12)


@pytest.mark.parametrize("place", FAR)
def test_parts_and_counted_units_give_the_same(place: float) -> None:
    rows = rows_at(place)
    for metric in (lambda some: pearson(some, other="reference"), r_squared):
        whole = metric(rows)
        parts = metric(rows.select(range(4, 6))).merge(metric(rows.select(range(4))))
        assert parts.value() == parts.compact().value() == whole.value()


def test_intervals_far_from_zero_are_those_near_it() -> None:
    here, there = (scoring.evaluate(_task(), _records(place)).summary["metrics"][0] for place in (0.0, 1e9))
    assert there["interval"] == pytest.approx(here["interval"], abs=1e-9)


@pytest.mark.parametrize("number", [0.1, 0.7, 1e9 + 0.3])
def test_equal_numbers_have_no_spread(number: float) -> None:
    rows = Rows.of_scores([1.0, 2.0, 3.0], response=[1, 2, 3], reference=[number] * 3)
    assert pearson(rows, other="reference").value() is None
    assert r_squared(rows).value() is None


def _task() -> scoring.CompiledTask:
    spec = {"kind": "task", "name": "t", "fields": {"s": "record.response"}}
    return scoring.load({**spec, "metrics": [{"pearson": 'pearson(other="reference", field="s")'}]})


def _records(place: float) -> list[dict[str, float]]:
    sides = zip(GIVEN * 4, RIGHT * 4, strict=True)
    return [{"id": at, "response": place + one, "reference": place + other} for at, (one, other) in enumerate(sides)]
