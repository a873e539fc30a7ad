"""Label and retrieval metrics against figures worked out by hand."""

from __future__ import annotations

import math
import random
import time
from typing import Any

import pytest

from scoring.extensions.answers.metrics import generalised_f1, generalised_precision, generalised_recall
from scoring.extensions.figures.metrics.labels import LabelStatistic, f1, precision, recall
from scoring.extensions.retrieval.metrics import (
    f1_at_k,
    gains_of,
    hit_at_k,
    mean_average_precision,
    mrr,
    ndcg,
    precision_at_k,
    ranked_items,
    recall_at_k,
)
from scoring.packs.mmesgbench.metrics import mmesgbench_ndcg, mmesgbench_precision
from scoring.statistics.intervals import interval
from scoring.statistics.rows import Rows

LABELS = Rows.of_scores([1] * 6, response=["a", "a", "a", "b", "b", None], reference=["a", "a", "b", "b", "c", "c"])


def test_macro_micro_and_weighted() -> None:
    # a: tp 2 fp 1 fn 0, b: tp 1 fp 1 fn 1, c: tp 0 fp 0 fn 2, None: fp 1
    assert precision(LABELS).value() == pytest.approx((2 / 3 + 1 / 2 + 0 + 0) / 4)
    assert recall(LABELS).value() == pytest.approx((1 + 1 / 2 + 0 + 0) / 4)
    assert f1(LABELS, average="micro").value() == pytest.approx(3 / 6)
    assert recall(LABELS, average="weighted").value() == pytest.approx(3 / 6)
    assert f1(LABELS, label="b").value() == pytest.approx(0.5)


def test_a_label_that_is_a_whole_answer_counts_like_another_and_is_not_kept_whole() -> None:
    """Given labels of two megabytes that differ in their last character, then figures are those of short ones."""
    long = {short: "x" * 2_000_000 + short for short in "abc"}
    response, reference = ["a", "a", "a", "b", "b", None], ["a", "a", "b", "b", "c", "c"]
    rows = Rows.of_scores(
        [1] * 6, response=[one and long[one] for one in response], reference=[long[one] for one in reference]
    )
    for figure in (precision, recall, f1):
        assert figure(rows).value() == figure(LABELS).value()
        assert figure(rows, label=long["b"]).value() == figure(LABELS, label="b").value()
    found = f1(rows)
    assert isinstance(found, LabelStatistic)
    assert sum(len(label) for label in found.labels) < 1_000


def test_label_figures_merge() -> None:
    halves = [f1(LABELS.select(places)) for places in ([3, 0, 5], [4, 2, 1])]
    assert halves[0].merge(halves[1]).value() == f1(LABELS).value()


def test_label_figures_have_bounded_intervals() -> None:
    found = interval(f1(LABELS.select([*range(len(LABELS))] * 5)), name="f1")
    assert found is not None
    assert found.method == "bounded"
    assert 0.0 <= found.low <= found.high <= 1.0


RANKED = Rows.of_scores([1] * 4, retrieved=[[1, 2, 3, 4], [9, 1, 1, 5], None, [3]], relevant=[[2, 4, 8], [5], [1], []])


def test_ranked_figures_by_hand() -> None:
    # The fourth record has nothing relevant and is left out; the third retrieved nothing and counts 0.
    assert hit_at_k(RANKED, k=1).value() == 0.0
    assert hit_at_k(RANKED, k=3).value() == pytest.approx(2 / 3)
    assert precision_at_k(RANKED, k=4).value() == pytest.approx((2 / 4 + 1 / 4 + 0) / 3)
    assert recall_at_k(RANKED, k=4).value() == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert f1_at_k(RANKED, k=4).value() == pytest.approx((4 / 7 + 2 / 5 + 0) / 3)
    assert mrr(RANKED).value() == pytest.approx((1 / 2 + 1 / 3 + 0) / 3)
    assert mean_average_precision(RANKED).value() == pytest.approx(((1 / 2 + 2 / 4) / 3 + 1 / 3 + 0) / 3)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    first = (1 / math.log2(3) + 1 / math.log2(5)) / ideal
    assert ndcg(RANKED).value() == pytest.approx((first + 1 / 2 + 0) / 3)


def test_graded_relevance() -> None:
    rows = Rows.of_scores([1], retrieved=[["b", "a"]], relevant=[{"a": 3, "b": 1, "c": 0}])
    assert ndcg(rows).value() == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))


def test_the_released_figures_of_mmesgbench_differ_where_they_should() -> None:
    rows = Rows.of_scores([1, 1], pred_page=[[7, 4, 4], None], evidence_pages=["[4, 9]", "[1]"])
    assert mmesgbench_precision(rows).value() == 0.5
    assert mmesgbench_ndcg(rows).value() == pytest.approx(1 / math.log2(3))
    assert ndcg(rows, retrieved="pred_page", relevant="evidence_pages").value() is None


def test_generalised_figures_by_hand() -> None:
    no = "Not answerable"
    rows = Rows.of_scores(
        [1.0, 0.5, 0.0, 1.0, None], response=["a", "b", "c", no, "d"], reference=["a", "b", no, no, "d"]
    )
    assert generalised_precision(rows).value() == pytest.approx(1.5 / 3)
    assert generalised_recall(rows).value() == pytest.approx(1.5 / 2)
    assert generalised_f1(rows).value() == pytest.approx(0.6)
    assert generalised_f1(rows.select([3])).value() == 0.0


def test_many_labels_take_no_long_time() -> None:
    size = 3_000
    rows = Rows.of_scores(
        [1] * size, response=[f"l{i % 997}" for i in range(size)], reference=[f"l{i % 991}" for i in range(size)]
    )
    started = time.process_time()
    found = interval(f1(rows), name="f1", resamples=500)
    assert found is not None
    assert time.process_time() - started < 10


def test_label_figures_agree_with_plain_counts() -> None:
    source = random.Random(3)
    given, right = ([source.choice("abcd") for _ in range(80)] for _ in range(2))
    rows = Rows.of_scores([1] * 80, response=given, reference=right)
    for label in "abcd":
        hits = sum(p == r == label for p, r in zip(given, right, strict=True))
        assert precision(rows, label=label).value() == pytest.approx(hits / given.count(label))
        assert recall(rows, label=label).value() == pytest.approx(hits / right.count(label))
        assert f1(rows, label=label).value() == pytest.approx(2 * hits / (given.count(label) + right.count(label)))
    assert f1(rows, label="none of them").value() == 0.0


@pytest.mark.parametrize("k", [None, 1, 2, 3, 9])
@pytest.mark.parametrize(
    ("value", "distinct"),
    [
        (["a", "b", "c"], ["a", "b", "c"]),
        (["a", "a", "b", "c"], ["a", "b", "c"]),
        ((1, 1.0, True, "1"), [1, "bool:True", "1"]),
        (["a", None, ["b"], "None", "c"], ["a", "None", "['b']", "c"]),
        ([], []),
        ("abc", []),
    ],
)
def test_the_first_items_are_those_of_the_whole_list(value: Any, distinct: list[Any], k: int | None) -> None:
    assert ranked_items(value, k) == distinct[:k]


@pytest.mark.parametrize(
    ("value", "gains"),
    [
        ({"a": 2, "b": 1}, {"a": 2.0, "b": 1.0}),
        ({"a": 2, "b": 0}, {"a": 2.0}),
        ({"a": 2, "b": 10**400}, {"a": 2.0}),
        ({"a": 2, "b": 0.5, "c": float("nan")}, {"a": 2.0, "b": 0.5}),
        ({"a": 2, "b": True, "c": "3"}, {"a": 2.0, "b": 1.0}),
        ({}, {}),
    ],
)
def test_gains_are_positive_finite_numbers(value: dict[str, Any], gains: dict[str, float]) -> None:
    assert gains_of(value) == gains
    assert set(map(type, gains_of(value).values())) <= {float}
