"""Data-set metrics of scores: means, shares, quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from scoring.registry import Between, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, Unit, divide, of_sums


def scored(rows: Rows, field: str | None = None) -> list[tuple[Any, float, float]]:
    """Id, score and weight of every record that has a score."""
    columns = zip(rows.ids, rows.field_scores(field), rows.weights, strict=True)
    return [(key, score, weight) for key, score, weight in columns if score is not None]


def share(ids: Sequence[Any], hits: Sequence[bool]) -> Statistic:
    """The share of records that are hits."""
    return of_sums(divide, ids, [(float(hit), 1.0) for hit in hits], width=2, proportion=True)


@primitive(name="mean", reads="scores")
def mean_score(rows: Rows, /, *, field: str | None = None) -> Statistic:
    """Average the scores of the records that have one; every record counts the same.

    Args:
        field: The field whose scores are averaged; the record's own score where none is named.

    Examples:
        >>> mean_score(Rows.of_scores([1.0, 0.5, None])).value()
        0.75
    """
    held = scored(rows, field)
    return of_sums(divide, [key for key, _, _ in held], [(score, 1.0) for _, score, _ in held], width=2)


@primitive(name="weighted_mean", reads="scores")
def weighted_mean_score(rows: Rows, /, *, field: str | None = None) -> Statistic:
    """Average the scores, each record with its own weight.

    Args:
        field: The field whose scores are averaged; the record's own score where none is named.

    Examples:
        >>> weighted_mean_score(Rows.of_scores([1.0, 0.0], weights=[3.0, 1.0])).value()
        0.75
    """
    held = scored(rows, field)
    return of_sums(divide, [key for key, _, _ in held], [(score * w, w) for _, score, w in held], width=2)


@primitive(reads="scores")
def pass_rate(rows: Rows, /) -> Statistic:
    """Count the share of records that pass, among those for which the spec's `pass` could be decided.

    Examples:
        >>> pass_rate(Rows.of_scores([1.0, 0.0], passed=[True, False])).value()
        0.5
    """
    held = [(key, passed) for key, passed in zip(rows.ids, rows.passed, strict=True) if passed is not None]
    return share([key for key, _ in held], [passed for _, passed in held])


@primitive(reads="scores")
def accuracy(rows: Rows, /, *, threshold: Annotated[float, Between(0, 1)] = 1.0, field: str | None = None) -> Statistic:
    """Count the share of scored records whose score reaches a threshold.

    Args:
        threshold: The least score that counts as correct.
        field: The field whose scores count; the record's own score where none is named.

    Examples:
        >>> accuracy(Rows.of_scores([1.0, 0.5, 0.25, None]), threshold=0.5).value()
        0.6666666666666666
    """
    held = scored(rows, field)
    return share([key for key, _, _ in held], [score >= threshold for _, score, _ in held])


@primitive(reads="scores")
def coverage(rows: Rows, /) -> Statistic:
    """Count the share of records that have a score, among those that should (not applicable ones left out).

    Examples:
        >>> coverage(Rows.of_scores([1.0, 0.0, None, None])).value()
        0.5
    """
    held = [(key, status) for key, status in zip(rows.ids, rows.statuses, strict=True) if status != "not_applicable"]
    return share([key for key, _ in held], [status == "scored" for _, status in held])


@dataclass(frozen=True, slots=True)
class QuantileStatistic(Statistic):
    """The scores themselves, from which a quantile is read."""

    q: float
    held: tuple[tuple[Any, float], ...]

    def merge(self, other: QuantileStatistic) -> QuantileStatistic:
        """The scores of both parts."""
        return QuantileStatistic(self.q, self.held + other.held)

    def value(self) -> float | None:
        """The quantile, None without scores."""
        ordered = sorted(score for _, score in self.held)
        if not ordered:
            return None
        place = self.q * (len(ordered) - 1)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the scored records."""
        return [key for key, _ in self.held]

    @property
    def units(self) -> Sequence[Unit]:
        """The scores."""
        return [(score,) for _, score in self.held]

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The quantile when each score occurs so many times."""
        import numpy as np

        order = np.argsort(units[:, 0], kind="stable")
        scores, upto = units[order, 0], np.cumsum(counts[..., order], axis=-1)
        place = self.q * (upto[..., -1] - 1)
        low = np.floor(place)
        parts = [
            scores[np.minimum((upto <= rank[..., None]).sum(axis=-1), len(scores) - 1)]
            for rank in (low, np.minimum(low + 1, upto[..., -1] - 1))
        ]
        return parts[0] + (place - low) * (parts[1] - parts[0])


@primitive(reads="scores")
def quantile(rows: Rows, /, *, q: Annotated[float, Between(0, 1)] = 0.5, field: str | None = None) -> Statistic:
    """Read a quantile of the scores, by linear interpolation between the two nearest ones.

    Args:
        q: Which quantile: 0.5 is the median, 0 the least score, 1 the greatest.
        field: The field whose scores count; the record's own score where none is named.

    Examples:
        >>> quantile(Rows.of_scores([0.0, 0.2, 1.0])).value()
        0.2

    Source:
        Hyndman, Fan: Sample Quantiles in Statistical Packages (1996), definition 7.
    """
    return QuantileStatistic(q, tuple((key, score) for key, score, _ in scored(rows, field)))
