"""Metrics over the tasks of a suite: each row is a task, its score the task's, its weight its number of records."""

from __future__ import annotations

from scoring.metrics.summary import mean_score, weighted_mean_score
from scoring.registry import primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


@primitive(reads="scores")
def macro(rows: Rows, /) -> Statistic:
    """Average the scores of the tasks of a suite; every task counts the same.

    Examples:
        >>> macro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.5
    """
    return mean_score(rows)


@primitive(reads="scores")
def micro(rows: Rows, /) -> Statistic:
    """Average over all records of a suite: every task counts as often as it has records.

    Examples:
        >>> micro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.75
    """
    return weighted_mean_score(rows)
