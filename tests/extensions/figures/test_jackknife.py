"""Intervals from what a figure is without each of its units, for metrics of extensions too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoring.extensions.agreement.metrics import pearson
from scoring.extensions.answers.metrics import generalised_f1
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from tests.unit.statistics.test_jackknife import check_interval, check_order

METRICS: dict[str, Callable[[Rows], Statistic]] = {
    "pearson": lambda rows: pearson(rows, other="human"),
    "generalised_f1": generalised_f1,
}


@pytest.mark.parametrize("name", METRICS)
def test_the_interval_without_draws_is_near_that_of_many(name: str) -> None:
    check_interval(METRICS[name])


def test_it_does_not_depend_on_the_order_of_the_records() -> None:
    check_order(*METRICS.values())
