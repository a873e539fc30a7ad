"""The statistic of an area under a curve, with points of the curve as a detail."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.extensions.figures.pairs import PairFigure

MOST_POINTS = 101
"""Of longer curves, points at equal distances in their order, with both ends."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveFigure(PairFigure):
    """The statistic of an area under a curve over pairs of a confidence and a class; its details have the curve."""

    is_roc: bool = True

    def details(self) -> dict[str, Any]:
        """Return the curve, and the number of records that don't count, by reason.

        Under `roc` stand the shares of negative and of positive records from each confidence up; under
        `precision_recall` the recall and the precision. There is none without records of both classes.
        """
        found = PairFigure.details(self)
        labels, pairs, counts = self._counted()
        first, second = np.asarray(pairs, dtype=int).reshape(-1, 2).T
        order = np.argsort(-first, kind="stable")
        is_positive = (second == bisect_left(labels, 1.0))[order]
        seen = [np.cumsum(np.where(side, counts[order], 0)) for side in (is_positive, ~is_positive)]
        if not len(order) or not seen[0][-1] or not seen[1][-1]:
            return found
        # Equal confidences are one point.
        last = np.flatnonzero(np.diff(first[order], append=-1))
        hits, others = (side[last].astype(float) for side in seen)
        recall = hits / hits[-1]
        if self.is_roc:
            points = np.column_stack([others / others[-1], recall])
            points = np.vstack([[[0.0, 0.0]], points])
        else:
            points = np.column_stack([recall, hits / (hits + others)])
        chosen = np.unique(np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).round().astype(int))
        return {**found, "roc" if self.is_roc else "precision_recall": points[chosen].tolist()}
