"""Generalised accuracy, precision, recall and F1: questions that have no answer count as their own class."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic as Statistic
from scoring.statistics.statistic import SumStatistic, divide, of_sums


def _sums(rows: Rows, prediction: str, reference: str, unanswerable: str, finish: Any) -> SumStatistic:
    """Per record: its score where an answer exists, whether one exists, whether one was given."""
    ids, units = [], []
    columns = (rows.ids, rows.scores, rows.column(prediction), rows.column(reference))
    for key, score, given, wanted in zip(*columns, strict=True):
        if score is not None:
            answerable = wanted != unanswerable
            ids.append(key)
            units.append((score if answerable else 0.0, float(answerable), float(given != unanswerable)))
    return of_sums(finish, ids, units, width=3)


def _precision(hits: Any, answerable: Any, answered: Any) -> Any:
    return divide(hits, answered)


def _recall(hits: Any, answerable: Any, answered: Any) -> Any:
    return divide(hits, answerable)


def _f1(hits: Any, answerable: Any, answered: Any) -> Any:
    either = divide(2.0 * hits, answerable + answered, empty=0.0)
    import numpy as np

    defined = (np.asarray(answerable) > 0) & (np.asarray(answered) > 0)
    return np.where(defined, either, 0.0) if np.ndim(answerable) else (float(either) if defined else 0.0)


@primitive
def generalised_accuracy(rows: Rows, /) -> Statistic:
    """Average the scores of all scored records, answerable or not.

    Examples:
        >>> generalised_accuracy(Rows.of_scores([1.0, 0.5])).value()
        0.75

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    held = [(key, score) for key, score in zip(rows.ids, rows.scores, strict=True) if score is not None]
    return of_sums(divide, [key for key, _ in held], [(score, 1.0) for _, score in held], width=2)


@primitive
def generalised_precision(
    rows: Rows, /, *, prediction: str = "response", reference: str = "reference", unanswerable: str = "Not answerable"
) -> Statistic:
    """Sum the scores of the answerable questions, divided by the number of questions that were answered.

    Args:
        prediction: The JMESPath of the given answer.
        reference: The JMESPath of the right answer.
        unanswerable: The exact text that stands for "there is no answer", on both sides.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_precision(rows).value()
        0.5

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return _sums(rows, prediction, reference, unanswerable, _precision)


@primitive
def generalised_recall(
    rows: Rows, /, *, prediction: str = "response", reference: str = "reference", unanswerable: str = "Not answerable"
) -> Statistic:
    """Sum the scores of the answerable questions, divided by their number.

    Args:
        prediction: The JMESPath of the given answer.
        reference: The JMESPath of the right answer.
        unanswerable: The exact text that stands for "there is no answer", on both sides.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_recall(rows).value()
        1.0

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return _sums(rows, prediction, reference, unanswerable, _recall)


@primitive
def generalised_f1(
    rows: Rows, /, *, prediction: str = "response", reference: str = "reference", unanswerable: str = "Not answerable"
) -> Statistic:
    """The harmonic mean of generalised precision and recall; 0 where one of them is undefined.

    Args:
        prediction: The JMESPath of the given answer.
        reference: The JMESPath of the right answer.
        unanswerable: The exact text that stands for "there is no answer", on both sides.

    Examples:
        >>> no = "Not answerable"
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], response=["a", "b", no], reference=["a", no, no])
        >>> generalised_f1(rows).value()
        0.6666666666666666

    Source:
        MMLongBench-Doc (Ma et al. 2024), used by MMESGBench: eval_acc_and_f1.
    """
    return _sums(rows, prediction, reference, unanswerable, _f1)
