"""Logistic regression on shares with an L1 penalty on the weights."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

_FIT_STEPS = 100
_SWEEPS = 500


def share_of_odds(odds: Any) -> Any:
    """Return the share, from 0 to 1, that corresponds to the log odds `odds`.

    Examples:
        >>> float(share_of_odds(0.0))
        0.5
    """
    return 0.5 * (1.0 + np.tanh(odds / 2.0))


def lasso(features: Any, shares: Any, counts: Any) -> Any:
    """Return the weights of the features in a logistic regression on shares with an L1 penalty, fitted by Newton's
    method.

    Args:
        features: The features of each item, items × features.
        shares: The share, from 0 to 1, to be explained for each item.
        counts: The weight of each item relative to the penalty.
    """

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
    """Return the step from the weights to the minimum of the quadratic model with its penalty, by coordinate
    descent.

    Args:
        weights: The weights so far.
        gradient: The gradient of the loss without the penalty.
        curvature: The matrix of its second derivatives.
    """
    # A model has at most three weights and takes hundreds of sweeps: plain floats are ten times faster than arrays.
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
