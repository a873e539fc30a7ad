"""Errors of predicted numbers: root mean squared error, mean absolute error, explained variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.extensions.figures.centred import CentredStatistic, resolved_spread
from scoring.extensions.figures.pairs import numbers
from scoring.metrics.summary import (
    TOO_LARGE,
    AnsweredField,
    NotCounted,
    PredictionPath,
    ReferencePath,
    counting,
    kept,
    mean_of,
)
from scoring.ranges import GREATEST
from scoring.registry import variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, of_sums


@variants(uses=("numpy",), traits=("either_way",), topics=("numbers",))
def _of_numbers(
    figure: Callable[[Sequence[Any], Any, Any, NotCounted], Statistic],
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
) -> Statistic:
    """Return the statistic of an error, which `figure` computes from ids, predicted numbers, reference numbers and the
    counts of records left out."""
    answers, right = numbers(rows.predictions(prediction, field)), numbers(rows.references(reference, field))
    mask, missing = counting(
        rows,
        (np.isnan(answers), "the answer is not a number"),
        (np.isnan(right), "the reference is not a number"),
        (~((np.abs(answers) <= GREATEST) & (np.abs(right) <= GREATEST)), TOO_LARGE),
    )
    ids, answers, right = kept(mask, rows.ids, answers, right)
    return figure(ids, answers, right, missing)


@_of_numbers.declare(better="lower", range=(0.0, math.inf), aka=("root mean squared error", "rms error"))
def rmse(ids: Sequence[Any], predictions: Any, references: Any, missing: NotCounted) -> Statistic:
    """Compute the root mean squared error of predicted and reference numbers; 0 is best.

    Records whose prediction or reference is not a number are left out.

    Examples:
        >>> rmse(Rows.of_scores([0, 0], response=[1, 5], reference=[2, 8])).value()
        2.23606797749979
    """
    squares = (predictions - references) ** 2
    return of_sums(_root, ids, np.stack([squares, np.ones(len(squares))]).T, width=2, missing=missing)


def _root(above: Any, below: Any) -> Any:
    return np.sqrt(divide(above, below))


@_of_numbers.declare(better="lower", range=(0.0, math.inf), aka=("mean absolute error",))
def mae(ids: Sequence[Any], predictions: Any, references: Any, missing: NotCounted) -> Statistic:
    """Compute the mean absolute error of predicted and reference numbers; 0 is best.

    Records whose prediction or reference is not a number are left out.

    Examples:
        >>> mae(Rows.of_scores([0, 0], response=[1, 5], reference=[2, 8])).value()
        2.0
    """
    return mean_of(ids, np.abs(predictions - references), missing=missing)


@_of_numbers.declare(better="higher", revision=2, range=(-math.inf, 1.0), aka=("r2", "coefficient of determination"))
def r_squared(ids: Sequence[Any], predictions: Any, references: Any, missing: NotCounted) -> Statistic:
    """Compute the share of the references' variance that the predictions explain (R²); 1 is best.

    Predicting the mean of the references would get 0. Records whose prediction or reference is not a number are left
    out. The figure is undefined where all references are equal.

    Examples:
        >>> r_squared(Rows.of_scores([0, 0, 0], response=[1, 2, 4], reference=[1, 2, 3])).value()
        0.5
    """
    units = np.stack([np.ones(len(references)), references, references * references, (predictions - references) ** 2]).T
    return of_sums(_explained, ids, units, width=4, missing=missing, kind=ExplainedStatistic)


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedStatistic(CentredStatistic):
    """The statistic of the explained share of a variance, computed from sums over records."""

    products = ((1, 1, 2),)


def _explained(count: Any, total: Any, squares: Any, left: Any) -> Any:
    spread = resolved_spread(count, total, squares)
    return np.where(spread > 0, 1.0 - count * left / np.where(spread > 0, spread, 1.0), np.nan)
