"""Logistic regression on shares with a penalty on the sum of the absolute weights."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

_FIT_STEPS = 100
_SWEEPS = 500


def share_of_odds(odds: Any) -> Any:
    """Return the probability for log odds.

    Examples:
        >>> float(share_of_odds(0.0))
        0.5
    """
    return 0.5 * (1.0 + np.tanh(odds / 2.0))


def lasso(features: Any, shares: Any, counts: Any) -> Any:
    """Logistic regression on shares with the sum of the absolute weights as penalty, by Newton's method."""

    def loss(weights: Any) -> float:
        odds = features @ weights
        return float((counts * (np.logaddexp(0.0, odds) - shares * odds)).sum() + np.abs(weights).sum())

    weights = np.zeros(features.shape[1])
    best = loss(weights)
    for _ in range(_FIT_STEPS):
        expected = share_of_odds(features @ weights)
        gradient = features.T @ (counts * (expected - shares))
        bend = counts * expected * (1.0 - expected)
        step = _shrunk(weights, gradient, (features * bend[:, None]).T @ features)
        size = 1.0
        while size > 1e-12 and loss(weights + size * step) > best:
            size /= 2.0
        weights = weights + size * step
        best = min(best, loss(weights))
        if np.abs(step).max() <= 1e-13 * max(1.0, np.abs(weights).max()):
            break
    return weights


def _shrunk(weights: Any, gradient: Any, curvature: Any) -> Any:
    """Return the step to the least of the quadratic model with the penalty, one weight after the other until none
    moves."""
    # A model has three weights at most and takes hundreds of sweeps: arrays of three cost ten times what numbers do.
    starts, slopes, rows = weights.tolist(), gradient.tolist(), curvature.tolist()
    least = 1e-15 * max(1.0, *map(abs, starts))
    step = [0.0] * len(starts)
    for _ in range(_SWEEPS):
        moved = 0.0
        for place, row in enumerate(rows):
            bend = max(row[place], 1e-12)
            slope = slopes[place] + sum(map(operator.mul, row, step)) - bend * step[place]
            goal = bend * starts[place] - slope
            new = math.copysign(max(abs(goal) - 1.0, 0.0), goal) / bend - starts[place]
            moved, step[place] = max(moved, abs(new - step[place])), new
        if moved <= least:
            break
    return np.array(step)
