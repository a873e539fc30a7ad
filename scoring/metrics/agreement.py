"""How far two ratings of the same records agree: kappa for labels, correlation for numbers."""

from __future__ import annotations

from typing import Any, Literal

from scoring.late import dataclass, np
from scoring.metrics.summary import ScoredField, kept, number_of
from scoring.ranges import GREATEST
from scoring.registry import RecordPath, primitive
from scoring.statistics.agreement import Weights, kappa_of_counts, rating
from scoring.statistics.pairs import PairStatistic, pairs_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, of_sums


@dataclass(frozen=True, slots=True, eq=False)
class KappaStatistic(PairStatistic):
    """The pairs of ratings; ratings are ordered as numbers where they are numbers, else as text."""

    weights: Weights

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Kappa when each pair of ratings occurs so many times."""
        first, second = units.astype(int).T
        return kappa_of_counts(first, second, counts, len(self.labels), self.weights)


@primitive(
    range=(-1.0, 1.0), topics=("labels", "rubrics"), aka=("inter-rater agreement", "quadratic weighted kappa", "qwk")
)
def cohen_kappa(
    rows: Rows, /, *, first: RecordPath, second: RecordPath, weights: Literal["none", "linear", "quadratic"] = "none"
) -> Statistic:
    """The agreement of two raters beyond chance: 1 is full agreement, 0 what chance would give.

    Records that lack a rating are left out.

    Args:
        first: The JMESPath of one rater's label.
        second: The JMESPath of the other's.
        weights: What a disagreement costs: the same always, or by the distance of the ratings in their order, or by
            its square.

    Examples:
        >>> rows = Rows.of_scores([1] * 4, ann=["y", "y", "n", "n"], ben=["y", "n", "n", "n"])
        >>> cohen_kappa(rows, first="ann", second="ben").value()
        0.5

    Source:
        Cohen: A Coefficient of Agreement for Nominal Scales (1960); weighted: Cohen (1968).
    """
    columns = zip(rows.ids, rows.column(first), rows.column(second), strict=True)
    held = [(key, rating(a), rating(b)) for key, a, b in columns if a is not None and b is not None]
    ids, left, right = zip(*held, strict=True) if held else ((), (), ())
    return KappaStatistic((pairs_of(ids, left, right),), weights)


def _correlation(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Any:
    both = np.asarray(n * xy - x * y, dtype=float)
    spread = np.sqrt(np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0))
    found = np.where(spread > 0, np.clip(both / np.where(spread > 0, spread, 1.0), -1.0, 1.0), np.nan)
    return found if np.ndim(n) else float(found)


@primitive(
    uses=("numpy",),
    range=(-1.0, 1.0),
    traits=("either_way",),
    topics=("pairs", "numbers"),
    aka=("pearson r", "linear correlation", "correlation coefficient"),
)
def pearson(rows: Rows, /, *, other: RecordPath, field: ScoredField = None) -> Statistic:
    """The linear correlation of the scores with another number of the record, such as a human rating.

    Args:
        other: The JMESPath of the number.

    Examples:
        >>> pearson(Rows.of_scores([0.0, 0.5, 1.0], human=[1, 2, 3]), other="human").value()
        1.0

    Source:
        Pearson: Notes on Regression and Inheritance in the Case of Two Parents (1895).
    """
    others = np.array([number_of(value) for value in rows.column(other)], dtype=np.float64)
    scores = rows.values(field)
    ids, x, y = kept((np.abs(scores) <= GREATEST) & (np.abs(others) <= GREATEST), rows.ids, scores, others)
    return of_sums(_correlation, ids, np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y]).T, width=6)
