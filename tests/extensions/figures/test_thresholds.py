"""A share of attempts that pass: its bounds, and thresholds that tell scores apart."""

from __future__ import annotations

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from tests.unit.api.test_ranges import TWO


@pytest.mark.parametrize(("metric", "told"), [("pass_at_k(k=1)", "`pass_at_k` needs `threshold`")])
def test_a_threshold_that_tells_no_scores_of_attempts_apart_is_refused(metric: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        scoring.load({**TWO, "aggregate": "1 + a + b", "metrics": [metric]})
    assert told in str(error.value)
