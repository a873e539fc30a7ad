"""Clusters: drawn as a whole whatever the figure is made of, and never by the order of the records."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.summary import mean_score, quantile
from scoring.statistics.clusters import cluster_draws, clustered_statistic, clusters_of
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows

DOCUMENTS = [f"d{place // 5}" for place in range(60)]
SCORES = [float(random.Random(place // 5).random() < 0.6) for place in range(60)]


def median(rows: Rows) -> object:
    return quantile(rows, q=0.5)


def test_a_quantile_is_drawn_by_documents_too() -> None:
    scores = [place // 5 / 12 for place in range(60)]
    statistic = quantile(Rows.of_scores(scores), q=0.5)
    alone = interval(statistic, name="m", resamples=400)
    clustered = clustered_statistic(median, Rows.of_scores(scores), DOCUMENTS)  # type: ignore[arg-type]
    together = interval(clustered, name="m", resamples=400, clusters=clusters_of(clustered))
    assert alone is not None
    assert together is not None
    assert (alone.units, together.units) == (60, 12)
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_percentiles_of_a_quantile_that_are_asked_for_are_of_documents_too() -> None:
    scores = [place // 5 / 12 for place in range(60)]
    clustered = clustered_statistic(median, Rows.of_scores(scores), DOCUMENTS)  # type: ignore[arg-type]
    how = {"name": "m", "resamples": 400, "clusters": clusters_of(clustered)}
    found, alone = interval(clustered, method="percentile", **how), interval(median(Rows.of_scores(scores)))  # type: ignore[arg-type]
    assert found is not None
    assert alone is not None
    assert (found.method, found.units) == ("percentile", 12)
    assert found.high - found.low > 1.5 * (alone.high - alone.low)


def test_drawn_clusters_bring_all_their_units() -> None:
    statistic = quantile(Rows.of_scores([0.0, 0.5, 0.5, 1.0]), q=0.5)
    plan = cluster_draws(statistic, {0: "a", 1: "a", 2: "b", 3: "b"})
    # Two kinds of cluster: (0, 0.5) and (0.5, 1). Twice the first is 0, 0, 0.5, 0.5.
    assert plan.figure(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])).tolist() == [0.25, 0.5, 0.75]


def test_a_mean_of_clusters_is_a_ratio_of_their_sums() -> None:
    plan = cluster_draws(mean_score(Rows.of_scores([1.0, 1.0, 0.0])), {0: "a", 1: "a", 2: "b"})
    assert plan.units.tolist() == [[0.0, 1.0], [2.0, 2.0]]
    assert plan.figure(np.array([[1.0, 1.0]])).tolist() == [2 / 3]


def test_records_without_a_cluster_stand_alone() -> None:
    plan = cluster_draws(mean_score(Rows.of_scores([1.0, 0.0, 0.5, 0.25])), {0: None, 1: None, 2: "a", 3: "a"})
    assert int(plan.counts.sum()) == 3


@pytest.mark.property
@given(st.permutations(range(60)))
def test_the_order_of_records_changes_no_interval(places: list[int]) -> None:
    same_in_any_order(places, mean_score, median)


def same_in_any_order(places: list[int], *metrics: Any) -> None:
    """Hold that the intervals of some metrics by documents are the same for records in another order."""
    rows = Rows.of_scores(SCORES, given=["a", "b", "c"] * 20, right=["a", "b", "b"] * 20)
    mixed = rows.select(places)
    for metric in metrics:
        found = []
        for some, documents in ((rows, DOCUMENTS), (mixed, [DOCUMENTS[place] for place in places])):
            statistic = clustered_statistic(metric, some, documents)
            found.append(interval(statistic, name="m", resamples=50, clusters=clusters_of(statistic)))
        assert found[0] == found[1]
