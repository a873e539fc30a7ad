"""How far two ratings of the same records agree: kappa for labels, correlation for numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scoring.registry import primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, Unit, of_sums

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Rating: TypeAlias = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class KappaStatistic(Statistic):
    """The pairs of ratings; ratings are ordered as numbers where they are numbers, else as text."""

    weights: Weights
    pairs: tuple[tuple[Any, Rating, Rating], ...]

    def merge(self, other: KappaStatistic) -> KappaStatistic:
        """The pairs of both parts."""
        return KappaStatistic(self.weights, self.pairs + other.pairs)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records."""
        return [key for key, _, _ in self.pairs]

    @property
    def ratings(self) -> list[Rating]:
        """All ratings that occur, in order."""
        return sorted({rating for _, *both in self.pairs for rating in both})

    @property
    def units(self) -> Sequence[Unit]:
        """The places of the two ratings among all ratings."""
        places = {rating: float(place) for place, rating in enumerate(self.ratings)}
        return [(places[first], places[second]) for _, first, second in self.pairs]

    def value(self) -> float | None:
        """Kappa, None where both raters used one and the same rating throughout."""
        if not self.pairs:
            return None
        import numpy as np

        counted = sorted(Counter(self.units).items())
        counts = np.array([[count for _, count in counted]], dtype=float)
        found = float(self.of_counts(np.array([unit for unit, _ in counted]), counts)[0])
        return None if math.isnan(found) else found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Kappa when each pair of ratings occurs so many times."""
        import numpy as np

        size = len(self.ratings)
        first, second = units[:, 0].astype(int), units[:, 1].astype(int)
        apart = self._distance(np.arange(size)[:, None], np.arange(size)[None, :])
        observed = (counts * apart[first, second]).sum(axis=-1)
        chance = np.zeros(len(counts))
        for line, weights in enumerate(counts):
            rows, columns = (np.bincount(side, weights=weights, minlength=size) for side in (first, second))
            chance[line] = float((rows[:, None] * columns[None, :] * apart).sum()) / weights.sum()
        return np.where(chance > 0, 1.0 - observed / np.where(chance > 0, chance, 1.0), np.nan)

    def _distance(self, first: Any, second: Any) -> Any:
        """How far two ratings lie apart, by their places in order."""
        apart = abs(first - second).astype(float)
        if self.weights == "none":
            return (apart > 0).astype(float)
        return apart if self.weights == "linear" else apart**2


def _rating(value: Any) -> Rating:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return ("number", float(value))
    return ("text", str(value))


@primitive
def cohen_kappa(
    rows: Rows, /, *, first: str, second: str, weights: Literal["none", "linear", "quadratic"] = "none"
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
    pairs = [(key, _rating(a), _rating(b)) for key, a, b in columns if a is not None and b is not None]
    return KappaStatistic(weights, tuple(pairs))


def _correlation(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Any:
    import numpy as np

    both = np.asarray(n * xy - x * y, dtype=float)
    spread = np.sqrt(np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0))
    found = np.where(spread > 0, np.clip(both / np.where(spread > 0, spread, 1.0), -1.0, 1.0), np.nan)
    return found if np.ndim(n) else float(found)


@primitive
def pearson(rows: Rows, /, *, other: str, field: str | None = None) -> Statistic:
    """The linear correlation of the scores with another number of the record, such as a human rating.

    Args:
        other: The JMESPath of the number.
        field: The field whose scores count; the record's own score where none is named.

    Examples:
        >>> pearson(Rows.of_scores([0.0, 0.5, 1.0], human=[1, 2, 3]), other="human").value()
        1.0

    Source:
        Pearson: Notes on Regression and Inheritance in the Case of Two Parents (1895).
    """
    ids, units = [], []
    for key, score, rating in zip(rows.ids, rows.field_scores(field), rows.column(other), strict=True):
        if score is not None and _rating(rating)[0] == "number" and math.isfinite(rating):
            ids.append(key)
            x, y = score, float(rating)
            units.append((1.0, x, y, x * x, y * y, x * y))
    return of_sums(_correlation, ids, units, width=6)
