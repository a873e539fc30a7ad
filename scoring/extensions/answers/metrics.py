"""Generalised accuracy, precision, recall and F1: questions that have no answer count as a separate class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.metrics.summary import (
    NO_SCORE,
    PredictionPath,
    ReferencePath,
    ScoredField,
    counting,
    kept,
    mean_score,
    of_scores,
)
from scoring.ranges import ScoreRange
from scoring.registry import bounds, primitive, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, of_sums


@primitive(better="higher", topics=("answers",))
def generalised_accuracy(rows: Rows, /, *, field: ScoredField = None) -> Statistic:
    """Average the scores of all scored records, answerable or not.

    Examples:
        >>> generalised_accuracy(Rows.of_scores([1.0, 0.5])).value()
        0.75

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return mean_score(rows, field=field)


@variants(better="higher", revision=2)
def _of_answers(
    finish: Callable[[Any, Any, Any], Any],
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: ScoredField = None,
    unanswerable: str = "Not answerable",
) -> Statistic:
    """Return the statistic of a figure that `finish` computes from three sums: the scores of the answerable questions,
    the number of answerable questions, and the number of questions answered.

    Args:
        unanswerable: The exact string that means "there is no answer", in predictions and in references.
    """
    scores = rows.values(field)
    answerable, answered = (
        np.fromiter((value != unanswerable for value in values), np.float64, len(rows))
        for values in (rows.references(reference, field), rows.predictions(prediction, field))
    )
    hits = np.where(answerable > 0, scores, 0.0)
    mask, missing = counting(rows, (np.isnan(scores), NO_SCORE))
    ids, units = kept(mask, rows.ids, np.stack([hits, answerable, answered]).T)
    return of_sums(finish, ids, units, width=3, missing=missing, weigh=_WEIGHS[finish.__name__])


_WEIGHS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "generalised_precision": lambda hits, answerable, answered: answered,
    "generalised_recall": lambda hits, answerable, answered: answerable,
    "generalised_f1": lambda hits, answerable, answered: answerable + answered,
}
"""The weight of a question in each figure: how often it is counted in the denominator."""


@_of_answers.declare(topics=("answers",))
def generalised_precision(score_sum: Any, answerable: Any, answered: Any) -> Any:
    """Divide the sum of the scores of the answerable questions by the number of questions that were answered.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_precision(rows).value()
        0.5

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return divide(score_sum, answered)


@_of_answers.declare(topics=("answers",))
def generalised_recall(score_sum: Any, answerable: Any, answered: Any) -> Any:
    """Divide the sum of the scores of the answerable questions by their number.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_recall(rows).value()
        1.0

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return divide(score_sum, answerable)


@_of_answers.declare(topics=("answers",))
def generalised_f1(score_sum: Any, answerable: Any, answered: Any) -> Any:
    """Compute the harmonic mean of generalised precision and recall; 0 where one of them is undefined.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_f1(rows).value()
        0.6666666666666666

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    either = divide(2.0 * score_sum, answerable + answered, empty=0.0)
    return np.where((np.asarray(answerable) > 0) & (np.asarray(answered) > 0), either, 0.0)


bounds(generalised_accuracy)(of_scores)


@bounds(generalised_precision)
@bounds(generalised_recall)
@bounds(generalised_f1)
def _(scores: ScoreRange, **_: Any) -> ScoreRange:
    # "Not answerable" as the answer to an answerable question scores at most 0, so the sum of scores is never greater
    # than the number of answered questions.
    return scores.hull(0.0)
