"""A share of attempts that pass: its bounds, and thresholds that tell scores apart."""

from __future__ import annotations

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.unit.api.test_ranges import TWO, check_bounds_of_a_share


@pytest.mark.parametrize(("metric", "told"), [("pass_at_k(k=1)", "`pass_at_k` needs `threshold`")])
def test_a_threshold_that_tells_no_scores_of_attempts_apart_is_refused(metric: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        scoring.load({**TWO, "aggregate": "1 + a + b", "metrics": [metric]})
    assert told in str(error.value)


@pytest.mark.parametrize("metric", ["pass_at_k(k=1, threshold=0.5)"])
def test_a_share_of_attempts_has_bounds_where_scores_have_no_end(metric: str) -> None:
    check_bounds_of_a_share(metric)
