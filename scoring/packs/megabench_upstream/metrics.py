"""The task score of MEGA-Bench's released code, as a separate metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.metrics.summary import NO_SCORE, counting, kept, mean_of
from scoring.outcomes import NOT_APPLICABLE
from scoring.ranges import ScoreRange
from scoring.registry import bounds, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


@primitive(reads="scores", better="scores")
def megabench_upstream_task_mean(rows: Rows, /) -> Statistic:
    """Return the sum of scores divided by the number of records, including those to which the metric does not apply.

    The released code leaves a query score of -1 out of the sum, but not out of the divisor. Records without a score
    for another reason do not count at all.

    Examples:
        >>> from msgspec.structs import replace
        >>> rows = replace(Rows.of_scores([1.0, 1.0, None]), statuses=["scored", "scored", "not_applicable"])
        >>> megabench_upstream_task_mean(rows).value()
        0.6666666666666666

    Source:
        MEGA-Bench, released evaluation processor, task score.
    """
    lacking: Any = np.isnan(rows.values())
    mask, missing = counting(rows, (lacking & (rows.codes != NOT_APPLICABLE), NO_SCORE))
    return mean_of(*kept(mask, rows.ids, np.where(lacking, 0.0, rows.values())), missing=missing)


@bounds(megabench_upstream_task_mean)
def _(scores: ScoreRange) -> ScoreRange:
    return scores.hull(0.0)
