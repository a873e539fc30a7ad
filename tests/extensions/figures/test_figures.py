"""Figures over repeated samples by hand, and the work of an interval of labels."""

from __future__ import annotations

import pytest

from scoring.extensions.figures.metrics.labels import f1
from scoring.extensions.figures.metrics.repeated import best_of_k, mean_of_k, pass_at_k
from scoring.statistics.rows import Rows
from tests.unit.statistics.test_resampling import grows_smoothly


def test_the_work_of_an_interval_grows_smoothly() -> None:
    grows_smoothly(lambda rows: f1(rows, prediction="a", reference="b"))


def test_pass_at_k_is_the_share_of_draws_with_a_hit() -> None:
    rows = Rows.of_scores([1, 0, 0, 1, 0, 0, 0], question=["a", "a", "a", "a", "b", "b", "c"])
    statistic = pass_at_k(rows, k=2, question="question")
    assert statistic.value() == pytest.approx(((1 - 1 / 6) + 0) / 2)
    assert statistic.details() == {"groups": 3, "left_out": 1, "samples": 6}


def test_best_of_k_averages_over_all_draws() -> None:
    rows = Rows.of_scores([0.1, 0.5, 0.9], question=["a"] * 3)
    assert best_of_k(rows, k=2, question="question").value() == pytest.approx((0.5 + 0.9 + 0.9) / 3)


def test_samples_may_share_a_list_or_a_map_as_their_id() -> None:
    rows = Rows.of_scores([1.0, 0.0, 1.0, 1.0], ids=[[1], [1], {"a": 2}, {"a": 2}])
    assert mean_of_k(rows, k=2).value() == 0.75
    assert best_of_k(rows, k=2).value() == 1.0
    assert pass_at_k(rows, k=2).value() == 1.0
    assert len(mean_of_k(rows, k=2).keys) == 2
