"""Figures of samples within strata: questions are drawn within the strata that hold them."""

from __future__ import annotations

import random

import numpy as np

from scoring.extensions.figures.metrics.repeated import pass_at_k
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from tests.unit.statistics.test_strata import spread, stratified


def test_questions_are_drawn_within_the_strata_that_hold_them() -> None:
    questions = [f"q{place // 2}" for place in range(40)]

    def metric(rows: Rows) -> Statistic:
        return pass_at_k(rows, k=1, question="question")

    scores = [float(random.Random(place).random() < 0.5) for place in range(40)]
    rows = Rows(range(40), np.array(scores), columns={"domain": ["a"] * 20 + ["b"] * 20, "question": questions})
    found = stratified(metric, rows)
    assert not isinstance(found, str)
    statistic, strata = found
    assert strata.left is None
    assert strata.plan(statistic).total == 20
    across = Rows(range(40), np.array(scores), columns={"domain": ["a", "b"] * 20, "question": questions})
    assert stratified(metric, across) == (
        'its group "q0" is in the strata a and b, which hold others, too; take `strata` that hold whole groups, or '
        "are within them"
    )


def test_a_group_of_more_samples_than_can_be_left_out_has_no_interval() -> None:
    rows = Rows(
        range(6000), np.arange(6000) % 7 / 7, columns={"domain": ["a", "b"] * 3000, "question": ["a", "b"] * 3000}
    )
    found = spread(lambda rows: pass_at_k(rows, k=2, question="question"), rows)
    assert found == "to make its groups again without each of their records would take too long"
