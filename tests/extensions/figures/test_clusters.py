"""Figures of labels and of samples by clusters: drawn as a whole, and never by the order of the records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.figures.metrics.labels import f1
from scoring.extensions.figures.metrics.repeated import pass_at_k
from scoring.statistics.clusters import Member, clustered_statistic, clusters_of
from scoring.statistics.rows import Rows
from tests.unit.statistics.test_clusters import same_in_any_order


def test_samples_of_a_question_know_the_cluster_of_their_question() -> None:
    rows = Rows.of_scores([1.0, 0.0, 1.0, 1.0], question=["q1", "q1", "q2", "q2"])

    def metric(rows: Rows) -> object:
        return pass_at_k(rows, k=1, question="question")

    found = clustered_statistic(metric, rows, ["a", "a", "b", "b"], keyed_by="question")  # type: ignore[arg-type]
    assert list(clusters_of(found.finished()).items()) == [(Member("q1", "a"), "a"), (Member("q2", "b"), "b")]
    assert found.value() == pass_at_k(rows, k=1).value()


@pytest.mark.property
@given(st.permutations(range(60)))
def test_the_order_of_records_changes_no_interval(places: list[int]) -> None:
    same_in_any_order(places, lambda rows: f1(rows, prediction="given", reference="right"))
