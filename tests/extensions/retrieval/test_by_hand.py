"""Figures of ranked lists, reckoned by hand."""

from __future__ import annotations

import math

import pytest

from tests.unit.api.test_figures_by_hand import metrics_of


def test_the_ideal_list_of_a_cut_ndcg_is_cut_as_well() -> None:
    records = [
        {"id": 1, "response": "", "reference": "", "found": ["a", "x", "b"], "wanted": ["a", "b", "c"]},
        {"id": 2, "response": "", "reference": "", "found": ["x", "b"], "wanted": {"a": 3, "b": 1, "c": 2}},
    ]
    at = "ndcg(retrieved='found', relevant='wanted', k=%d)"
    one, two, four = metrics_of(records, *(at % k for k in (1, 2, 4)))
    second, third = 1 / math.log2(3), 1 / 2
    assert one["value"] == pytest.approx((1 / 1 + 0 / 3) / 2)
    assert two["value"] == pytest.approx((1 / (1 + second) + second / (3 + 2 * second)) / 2)
    ideals = 1 + second + third, 3 + 2 * second + third
    assert four["value"] == pytest.approx(((1 + third) / ideals[0] + second / ideals[1]) / 2)
