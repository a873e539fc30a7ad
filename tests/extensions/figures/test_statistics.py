"""Merging: the value of the whole does not depend on order or split, bit for bit, for metrics of extensions too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoring.extensions.agreement.metrics import cohen_kappa, kendall, matthews, pearson, spearman
from scoring.extensions.answers.metrics import generalised_f1
from scoring.extensions.calibration.metrics import average_precision, brier, ece, roc_auc
from scoring.extensions.figures.metrics.errors import r_squared, rmse
from scoring.extensions.figures.metrics.labels import f1
from scoring.extensions.figures.metrics.repeated import best_of_k, mean_of_k, pass_at_k
from scoring.extensions.generation.metrics import cider
from scoring.extensions.preference.metrics import bradley_terry, elo, length_controlled_win_rate
from scoring.extensions.retrieval.metrics import ndcg
from scoring.registry import registry
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic
from tests.unit.metrics.test_statistics import check_nothing, check_splits, check_sums

METRICS: dict[str, Callable[[Rows], Statistic]] = {
    "pass_at_k": lambda rows: pass_at_k(rows, k=2, threshold=0.5, question="group"),
    "mean_of_k": lambda rows: mean_of_k(rows, question="group"),
    "best_of_k": lambda rows: best_of_k(rows, k=2, question="group"),
    "f1": lambda rows: f1(rows, prediction="given", reference="right"),
    "cohen_kappa": lambda rows: cohen_kappa(rows, first="given", second="right", weights="linear"),
    "pearson": lambda rows: pearson(rows, other="human"),
    "spearman": lambda rows: spearman(rows, other="human"),
    "kendall": lambda rows: kendall(rows, other="human"),
    "matthews": lambda rows: matthews(rows, prediction="given", reference="right"),
    "roc_auc": lambda rows: roc_auc(rows, confidence="human", threshold=0.5),
    "average_precision": lambda rows: average_precision(rows, confidence="human", threshold=0.5),
    "ece": lambda rows: ece(rows, confidence="human"),
    "ece of mass": lambda rows: ece(rows, confidence="human", bins=7, binning="mass"),
    "ece of size": lambda rows: ece(rows, confidence="human", binning="size", size=7, gaps="squares"),
    "ece of size, some": lambda rows: ece(rows, confidence="human", binning="size", size=9, last="left_out"),
    "ece by squares": lambda rows: ece(rows, confidence="human", bins=7, gaps="squares"),
    "bradley_terry": lambda rows: bradley_terry(rows, first="given", second="other", model="a"),
    "elo": lambda rows: elo(rows, first="given", second="other", order="human", model="a"),
    "length_controlled_win_rate": lambda rows: length_controlled_win_rate(
        rows, length="human", other_length="group", difficulty="human"
    ),
    "brier": lambda rows: brier(rows, confidence="human"),
    "rmse": lambda rows: rmse(rows, prediction="human", reference="group"),
    "r_squared": lambda rows: r_squared(rows, prediction="human", reference="group"),
    "generalised_f1": lambda rows: generalised_f1(rows, prediction="given", reference="right", unanswerable="c"),
    "cider": lambda rows: cider(rows, prediction="given", reference="right"),
    "ndcg": lambda rows: ndcg(rows, retrieved="ranked", relevant="wanted"),
}
PAIRED = ("spearman", "kendall", "matthews", "roc_auc", "average_precision", "bradley_terry", "elo")
WHOLE = ("ece of mass", "ece of size", "ece of size, some", "length_controlled_win_rate")
OF_UNITS = {"pass_at_k", "mean_of_k", "best_of_k", "f1", "cohen_kappa", "cider", *PAIRED, *WHOLE}


@pytest.mark.parametrize("name", METRICS)
def test_any_split_in_any_order_gives_the_same_bits(name: str) -> None:
    check_splits(METRICS[name])


@pytest.mark.parametrize("name", METRICS)
def test_nothing_to_count_has_no_value(name: str) -> None:
    check_nothing(METRICS[name])


@pytest.mark.parametrize("name", METRICS)
def test_a_statistic_that_declares_sums_needs_no_units_for_its_value(name: str) -> None:
    check_sums(METRICS[name], "units" if name in OF_UNITS else "sums")


def test_a_share_of_attempts_lies_between_0_and_1() -> None:
    assert registry.of_function(pass_at_k).range == (0.0, 1.0)
