"""Win rates of one answer over another without the advantage that length gives."""

from __future__ import annotations

import math
from typing import Annotated, Any

from scoring.late import dataclass, np
from scoring.metrics.summary import kept, numbers
from scoring.registry import Between, RecordPath, Says, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import BlockStatistic, Statistic

_STEPS = 100
_SWEEPS = 500


@dataclass(frozen=True, slots=True, eq=False)
class LengthStatistic(BlockStatistic):
    """Units of a difference of lengths, a difficulty and the share of a comparison; the win rate at equal lengths."""

    has_difficulty: bool
    strength: float

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The win rate when each comparison occurs so many times."""
        return np.array([self._fitted(units, line)[0] for line in np.asarray(counts, dtype=np.float64)])

    @property
    def resample_cost(self) -> int | None:
        """Every resample is fitted anew."""
        return 40 * len(self.kinds()[0]) + 1

    @property
    def is_smooth(self) -> bool:
        """A comparison more or less moves the fit little."""
        return True

    def details(self) -> dict[str, Any]:
        """The win rate as it is, and what a length that is greater by one standard deviation adds to the log odds."""
        units, counts = self.kinds()
        if not len(units):
            return {}
        raw = float((units[:, 2] * counts).sum() / counts.sum())
        return {"win_rate": raw, "effect_of_length": -float(self._fitted(units, counts.astype(float))[1][0]) + 0.0}

    def _fitted(self, units: Any, counts: Any) -> tuple[float, Any]:
        """The win rate at equal lengths, and the weights of the length, of being the model, and of the difficulty."""
        total = counts.sum()
        if not total:
            return math.nan, np.zeros(1)
        gaps, hardness, shares = units[:, 0], units[:, 1], units[:, 2]
        mean = (gaps * counts).sum() / total
        spread = math.sqrt((counts * (gaps - mean) ** 2).sum() / (total - 1)) if total > 1 else 0.0
        columns = [np.tanh(gaps / spread) if spread else np.zeros(len(gaps)), np.ones(len(gaps))]
        features = np.stack([*columns, hardness] if self.has_difficulty else columns, axis=-1)
        weights = _lasso(features, shares, self.strength * counts)
        equal = features.copy()
        equal[:, 0] = 0.0
        return float((_share(equal @ weights) * counts).sum() / total), weights


def _share(odds: Any) -> Any:
    return 0.5 * (1.0 + np.tanh(odds / 2.0))


def _lasso(features: Any, shares: Any, counts: Any) -> Any:
    """Logistic regression on shares with the sum of the absolute weights as penalty, by Newton's method."""

    def loss(weights: Any) -> float:
        odds = features @ weights
        return float((counts * (np.logaddexp(0.0, odds) - shares * odds)).sum() + np.abs(weights).sum())

    weights = np.zeros(features.shape[1])
    best = loss(weights)
    for _ in range(_STEPS):
        expected = _share(features @ weights)
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
    """The step to the least of the quadratic model with the penalty, one weight after the other until none moves."""
    step = np.zeros(len(weights))
    for _ in range(_SWEEPS):
        moved = 0.0
        for place in range(len(weights)):
            bend = max(float(curvature[place, place]), 1e-12)
            slope = float(gradient[place] + curvature[place] @ step) - bend * step[place]
            goal = bend * weights[place] - slope
            new = math.copysign(max(abs(goal) - 1.0, 0.0), goal) / bend - weights[place]
            moved, step[place] = max(moved, abs(new - step[place])), new
        if moved <= 1e-15 * max(1.0, float(np.abs(weights).max())):
            break
    return step


@primitive(
    uses=("numpy",),
    range=(0.0, 1.0),
    traits=("either_way",),
    topics=("pairs",),
    aka=("alpacaeval 2", "lc win rate", "length bias", "verbosity bias"),
)
def length_controlled_win_rate(
    rows: Rows,
    /,
    *,
    length: Annotated[RecordPath, Says("The JMESPath of the length of the answer that the score is the share of.")],
    other_length: Annotated[RecordPath, Says("The JMESPath of the length of the answer it is compared with.")],
    difficulty: Annotated[RecordPath | None, Says("The JMESPath of a number that says how hard the task is.")] = None,
    strength: Annotated[float, Between(1e-6, 1e6)] = 100.0,
) -> Statistic:
    """The win rate that answers would have if they were as long as those that they are compared with.

    The score of a record is the preference for the answer: 1, 0, 0.5 for a tie, or between. A logistic regression of
    preferences on the difference of lengths (its hyperbolic tangent, in standard deviations), on the answerer and on
    the difficulty predicts each at a difference of 0; the figure is the mean of these. Records without a score from 0
    to 1 or without a number are left out. The official leaderboard also adds answers of gamed baselines of its own.

    Args:
        strength: How much the preferences count against the penalty, which is the sum of the absolute weights: C.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0, 0.0, 1.0], own=[90, 80, 20, 70], base=[30, 40, 40, 30])
        >>> round(length_controlled_win_rate(rows, length="own", other_length="base").value(), 3)
        0.477

    Source:
        Dubois et al.: Length-Controlled AlpacaEval (2024); alpaca_eval, get_length_controlled_winrate.
    """
    own, other, scores = numbers(rows.column(length)), numbers(rows.column(other_length)), rows.values()
    hardness = np.zeros(len(own)) if difficulty is None else numbers(rows.column(difficulty))
    units = np.stack([other - own, hardness, scores], axis=-1)
    ids, units = kept(np.isfinite(units).all(axis=-1) & (scores >= 0) & (scores <= 1), rows.ids, units)
    return LengthStatistic(((ids, units),), difficulty is not None, strength)
