"""Figures over the tasks of a suite have no meaning over the records of one task, and are refused there."""

from __future__ import annotations

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

TASK = {"kind": "task", "name": "t", "score": "equal"}
DATA = [{"response": "a", "reference": "a", "domain": "x"}] * 3 + [{"response": "a", "reference": "b", "domain": "y"}]


@pytest.mark.parametrize("metric", ["macro", "micro", {"headline": "macro"}])
def test_a_figure_over_tasks_is_refused_in_a_task(metric: object) -> None:
    with pytest.raises(SpecError) as raised:
        scoring.load({**TASK, "metrics": [metric]})
    (found,) = raised.value.diagnostics
    assert "is a figure over the tasks of a suite" in found.message
    assert "mean(per(record.domain, mean(score)))" in found.help[0]


def test_the_next_step_is_one() -> None:
    run = scoring.load({**TASK, "metrics": [{"macro": "mean(per(record.domain, mean(score)))"}, "mean"]}).evaluate(
        [{"id": number, **record} for number, record in enumerate(DATA)]
    )
    assert (run.metrics["macro"], run.metrics["mean"]) == (0.5, 0.75)
