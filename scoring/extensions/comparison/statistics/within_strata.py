"""The jackknife of units within strata, one by one, for comparisons of runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.statistics.jackknife import Jackknife, influences
from scoring.statistics.multiplicity import kinds_of
from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import SumStatistic


def others_within(statistic: SumStatistic, units: Any, strata: Any) -> Any:
    """Return the figure without each unit in turn, with more weight for the others of its stratum; NaN if undefined.

    Args:
        statistic: The figure.
        units: The contribution of each unit to its sums, a line for each.
        strata: The index of each unit's stratum.
    """
    lines, inverse, counts = kinds_of(np.column_stack((strata, units)))
    plan = Draws(lines[:, 1:], counts, lambda drawn: drawn, strata=lines[:, 0].astype(int))
    return Jackknife.without(statistic, plan)[inverse]


def influences_within(others: Any, strata: Any) -> Any:
    """Return each unit's influence on a figure, given the figure without the unit (``others``) and its stratum.

    The bits of the results do not depend on the order of the units.
    """
    lines, inverse, counts = kinds_of(np.column_stack((strata, others)))
    return influences(lines[:, 1], Draws(lines, counts, lambda drawn: drawn, strata=lines[:, 0].astype(int)))[inverse]
