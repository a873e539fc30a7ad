"""The analytic form of BCa is nearer to the interval of endless draws than a few thousand draws are."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring.metrics.agreement import pearson
from scoring.metrics.answerable import generalised_f1
from scoring.metrics.summary import mean_score, weighted_mean_score
from scoring.statistics.intervals import MANY, Interval, interval
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, of_sums

NO = "Not answerable"


def rows_of(size: int) -> Rows:
    source = random.Random(size)
    scores = [source.random() ** 4 for _ in range(size)]
    return Rows.of_scores(
        scores,
        weights=[source.lognormvariate(0, 1) for _ in scores],
        human=[score + source.gauss(0, 0.3) for score in scores],
        response=[source.choice(["a", NO]) for _ in scores],
        reference=[source.choice(["a", NO]) for _ in scores],
    )


METRICS: dict[str, Callable[[Rows], Statistic]] = {
    "mean": mean_score,
    "weighted_mean": weighted_mean_score,
    "pearson": lambda rows: pearson(rows, other="human"),
    "generalised_f1": generalised_f1,
}


def made(statistic: Statistic, method: str, resamples: int = 2000) -> Interval:
    found = interval(statistic, method=method, resamples=resamples)  # type: ignore[arg-type]  # a word of the list
    assert found is not None
    return found


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("size", [MANY + 1, 400])
def test_the_analytic_interval_is_that_of_endless_draws(name: str, size: int) -> None:
    statistic = METRICS[name](rows_of(size))
    analytic, drawn, normal = (made(statistic, method, 30_000) for method in ("auto", "bca", "normal"))
    assert (analytic.method, analytic.resamples) == ("abc", None)
    error = (normal.high - normal.low) / 3.92
    assert analytic.low == pytest.approx(drawn.low, abs=0.12 * error)
    assert analytic.high == pytest.approx(drawn.high, abs=0.12 * error)


def test_the_change_to_the_analytic_form_is_no_step() -> None:
    rows = rows_of(MANY + 1)
    after, before = made(mean_score(rows), "auto"), made(mean_score(rows.select(range(MANY))), "auto")
    assert (before.method, after.method) == ("bca", "abc")
    assert after.low == pytest.approx(before.low, abs=0.01)
    assert after.high == pytest.approx(before.high, abs=0.01)


def test_it_does_not_depend_on_the_order_of_the_records() -> None:
    rows = rows_of(300)
    places = list(range(300))
    random.Random(1).shuffle(places)
    for metric in METRICS.values():
        assert made(metric(rows), "auto") == made(metric(rows.select(places)), "auto")


def test_equal_scores_have_no_width() -> None:
    found = made(mean_score(Rows.of_scores([0.1] * 300)), "normal")
    assert (found.low, found.high) == (0.1, 0.1)


def test_where_the_correction_is_undefined_the_interval_is_the_normal_one() -> None:
    """One error below, the sum of these numbers is negative and has no logarithm."""

    def logarithm(above: Any, below: Any) -> Any:
        return np.log(above / below)

    values = [1.5, 1.5, *(sign * place / 300 for place in range(300) for sign in (1, -1))]
    found = made(of_sums(logarithm, range(602), [(value, 1.0) for value in values], width=2), "auto")
    assert found.method == "normal"
    assert found.low < np.log(3.0 / 602) < found.high
