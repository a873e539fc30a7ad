"""Figures of few units have intervals that say so."""

from __future__ import annotations

import pytest

from scoring.extensions.agreement.metrics import pearson
from scoring.extensions.figures.metrics.labels import f1
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows
from tests.unit.statistics.test_intervals_of_figures import scores


@pytest.mark.parametrize("size", [3, 9, 12])
def test_figures_of_few_units_have_wide_intervals_that_say_so(size: int) -> None:
    rows = Rows.of_scores(scores(size), human=scores(size, 2), given=["a"] * size, right=["a"] * (size - 1) + ["b"])
    metrics = (f1(rows, prediction="given", reference="right"), pearson(rows, other="human"))
    for statistic, limits in zip(metrics, ((0.0, 1.0), (-1.0, 1.0)), strict=True):
        found = interval(statistic, limits=limits)
        assert found is not None
        assert found.method == "bounded"
        assert found.note is not None or size > 10
