"""Metrics over the tasks of a suite, whose table has a row for each task, weighted by its records."""

from __future__ import annotations

from scoring.metrics.summary import mean_score, of_scores, weighted_mean_score
from scoring.registry import bounds, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


@primitive(
    reads="scores",
    better="scores",
    traits=("of_tasks",),
    topics=("scores",),
    aka=("mean over tasks", "average over subtasks"),
)
def macro(rows: Rows, /) -> Statistic:
    """Average the scores of the tasks of a suite; every task counts the same.

    Examples:
        >>> macro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.5
    """
    return mean_score(rows)


@primitive(reads="scores", better="scores", traits=("of_tasks",), topics=("scores",))
def micro(rows: Rows, /) -> Statistic:
    """Average the scores over all records of a suite: every task counts in proportion to its number of records.

    Examples:
        >>> micro(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.75
    """
    return weighted_mean_score(rows)


bounds(macro)(of_scores)
bounds(micro)(of_scores)
