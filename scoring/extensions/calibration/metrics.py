"""Metrics of stated confidences: how well calibrated they are, and how well they separate right from wrong answers.

A confidence is a number of the record; the score states how right the answer is.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from scoring.extensions.figures.pairs import PairFigure, marginals, numbers, pairs_of
from scoring.metrics.summary import NO_SCORE, NotCounted, ScoredField, counting, kept, mean_of
from scoring.registry import AtLeast, Between, Doc, OfScore, RecordPath, primitive, variants
from scoring.statistics.resampling import Draws
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import BlockStatistic, Statistic, SumStatistic, divide, missing_details, of_sums

_SURELY = 2.6
"""A calibration error is significant if it is this many standard deviations above the error expected by chance."""

Confidence = Annotated[RecordPath, Doc("The path of the confidence, a number from 0 to 1.")]
"""The path of a record's confidence."""


def _confident(rows: Rows, confidence: str, field: str | None) -> tuple[tuple[Any, Any, Any], NotCounted]:
    """Return the ids, confidences and scores of the records that have both a confidence and a score from 0 to 1, and
    how many records are left out, by reason.

    Args:
        rows: The records.
        confidence: The path of the confidence.
        field: The field (a part of the answer) whose score counts; None for the record's score.
    """
    confidences, scores = numbers(rows.column(confidence)), rows.values(field)
    mask, missing = counting(
        rows,
        (np.isnan(scores), NO_SCORE),
        (np.isnan(confidences), f"`{confidence}` is not a number"),
        ((confidences < 0) | (confidences > 1), f"`{confidence}` is not from 0 to 1"),
        ((scores < 0) | (scores > 1), "the score is not from 0 to 1"),
    )
    ids, confidences, scores = kept(mask, rows.ids, confidences, scores)
    return (ids, confidences, scores), missing


@primitive(
    better="lower",
    uses=("numpy",),
    range=(0.0, 1.0),
    traits=("either_way", "shares"),
    topics=("probabilities",),
    aka=("brier score", "squared error of confidence"),
)
def brier(rows: Rows, /, *, confidence: Confidence, field: ScoredField = None) -> Statistic:
    """Compute the Brier score: the mean squared difference of a stated confidence and the score; 0 is best.

    Records without a score, or without a confidence from 0 to 1, are left out.

    Examples:
        >>> brier(Rows.of_scores([1.0, 0.0], sure=[0.9, 0.2]), confidence="sure").value()
        0.025

    Source:
        Brier: Verification of Forecasts Expressed in Terms of Probability (1950).
    """
    (ids, confidences, scores), missing = _confident(rows, confidence, field)
    return mean_of(ids, (confidences - scores) ** 2, missing=missing)


@primitive(
    better="lower",
    uses=("numpy",),
    range=(0.0, 1.0),
    traits=("either_way", "shares"),
    topics=("probabilities",),
    aka=("expected calibration error", "calibration error", "calibration", "reliability diagram"),
)
def ece(
    rows: Rows,
    /,
    *,
    confidence: Confidence,
    bins: Annotated[float, Between(1, 1000)] = 10,
    binning: Literal["width", "mass"] = "width",
    field: ScoredField = None,
) -> Statistic:
    """Compute the expected calibration error: the mean absolute gap of confidence and score over bins of confidences.

    A confidence exactly on the border of two bins belongs to the lower one. Records without a score, or without a
    confidence from 0 to 1, are left out. The details include the reliability curve: mean confidence and mean score of
    each bin.

    Args:
        bins: The number of bins.
        binning: Bins of equal width from 0 to 1 (width), or of about equally many records (mass): their borders are
            quantiles of the confidences, and equal confidences are never separated.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], sure=[0.95, 0.95, 0.35])
        >>> ece(rows, confidence="sure", bins=10).value()
        0.5166666666666666
        >>> round(ece(rows, confidence="sure", bins=2, binning="mass").value(), 6)
        0.083333

    Source:
        Guo et al.: On Calibration of Modern Neural Networks (2017), equation 3; scikit-learn's `calibration_curve` for
        bins of equal mass.
    """
    count = int(bins)
    (ids, confidences, scores), missing = _confident(rows, confidence, field)
    if binning == "mass":
        return MassStatistic(((ids, np.stack([confidences, scores], axis=-1)),), count, missing=missing)
    bin_of = np.clip(np.ceil(confidences * count).astype(int) - 1, 0, count - 1)
    units = np.zeros((len(ids), 3 * count))
    lines = np.arange(len(ids))
    units[lines, bin_of], units[lines, count + bin_of], units[lines, 2 * count + bin_of] = 1.0, confidences, scores
    return of_sums(_gap, ids, units, width=3 * count, missing=missing, kind=WidthStatistic)


def _gap(*sums: Any) -> Any:
    count, confidences, right = np.array_split(np.asarray(sums, dtype=np.float64), 3)
    return divide(np.abs(confidences - right).sum(axis=0), count.sum(axis=0))


def _curve(sums: Any) -> dict[str, Any]:
    """Return, under `reliability`, the mean confidence, mean score and number of records of each bin that is not empty;
    an empty mapping if all are.

    Args:
        sums: The number of records, the sum of confidences and the sum of scores of each bin.
    """
    count, confidences, right = sums
    bins = [
        {"confidence": float(sure / many), "score": float(good / many), "records": int(many)}
        for many, sure, good in zip(count, confidences, right, strict=True)
        if many
    ]
    return {"reliability": bins} if bins else {}


@dataclass(frozen=True, slots=True, eq=False)
class WidthStatistic(SumStatistic):
    """The statistic of the calibration error over bins of confidences of equal width, with the reliability curve as a
    detail.
    """

    is_biased = True

    def unbiased(self, plan: Draws) -> float:
        """Return the calibration error of the units in ``plan`` without the part that chance adds to it."""
        many, confidences, right = np.split(plan.units, 3, axis=1)
        return _beyond_chance(many, confidences - right, plan.counts)

    def details(self) -> dict[str, Any]:
        """Return the mean confidence and mean score of each bin, and how many records are left out, by reason."""
        return {
            **_curve(np.array_split(np.array([part.value for part in self.sums]), 3)),
            **missing_details(self.missing),
        }


@dataclass(frozen=True, slots=True, eq=False)
class MassStatistic(BlockStatistic):
    """The statistic of the calibration error over bins of about equally many records each; a unit is a record's
    confidence and score.
    """

    bins: int
    is_smooth = True  # adding or removing a record moves the borders little
    is_biased = True

    def unbiased(self, plan: Draws) -> float:
        """Return the calibration error of the units in ``plan`` without the part that chance adds to it; 0 if they are
        whole clusters, for which there is no such estimate."""
        units, counts = self.kinds()
        if len(plan.units) != len(units) or plan.units.shape[1:] != units.shape[1:]:
            return 0.0
        many = np.eye(self.bins)[self._bin_of(units, np.rint(counts).astype(int))]
        return _beyond_chance(many, many * (units[:, :1] - units[:, 1:]), counts)

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the calibration error for each row of ``counts``, which states how often each record in ``units``
        occurs.
        """
        return np.array([float(_gap(*np.concatenate(self._sums(units, line)))) for line in counts])

    def details(self) -> dict[str, Any]:
        """Return the mean confidence and mean score of each bin, and how many records are left out, by reason."""
        units, counts = self.kinds()
        return {**(_curve(self._sums(units, counts)) if len(units) else {}), **missing_details(self.missing)}

    def _sums(self, units: Any, counts: Any) -> list[Any]:
        """Return the number of records, the sum of confidences and the sum of scores of each bin, given how often each
        record in ``units`` occurs.
        """
        times = np.rint(counts).astype(int)
        if not times.any():
            return [np.zeros(self.bins)] * 3
        bin_of = self._bin_of(units, times)
        columns = (times.astype(float), times * units[:, 0], times * units[:, 1])
        return [np.bincount(bin_of, column, self.bins) for column in columns]

    def _bin_of(self, units: Any, times: Any) -> Any:
        """Return the index of the bin of each unit; the borders are quantiles of the confidences, where `times` states
        how often each unit occurs.
        """
        borders = np.percentile(np.repeat(units[:, 0], times), np.linspace(0, 100, self.bins + 1))
        return np.searchsorted(borders[1:-1], units[:, 0])


def _beyond_chance(many: Any, gaps: Any, counts: Any) -> float:
    """Return the calibration error without the part that chance adds to it; 0 where chance alone may explain all of it.

    A distance is never negative, so even perfectly calibrated confidences have an error: the chance deviation of each
    bin's mean. The true squared gap of a bin is estimated as its squared gap minus the variance of that gap.

    Args:
        many: The number of records that each unit has in each bin.
        gaps: The sum of confidence minus score of each unit in each bin.
        counts: How often each unit occurs.
    """
    sizes, apart = counts @ many, counts @ gaps
    rest = counts @ (gaps - many * divide(apart, sizes, empty=0.0)) ** 2
    seen, total = sizes > 0, sizes.sum()
    sizes, apart, rest = sizes[seen], np.abs(apart[seen]), rest[seen]
    degrees = counts.sum() - len(sizes)
    if degrees < 1:
        return 0.0
    # The chance deviation of a bin with a single record can only be estimated from the other bins.
    squares = (rest + 2.0 * rest.sum() / degrees) * sizes / (sizes + 1.0)
    usual, spread = math.sqrt(2.0 / math.pi) * np.sqrt(squares).sum(), math.sqrt((1.0 - 2.0 / math.pi) * squares.sum())
    if apart.sum() <= usual + _SURELY * spread:
        return 0.0
    return float(np.sqrt(np.maximum(apart**2 - squares, 0.0)).sum() / total)


Surety = Annotated[RecordPath, Doc("The path of the number: the greater, the more surely a record is positive.")]
Positive = Annotated[
    RecordPath | None,
    Doc("The path of whether a record is positive: true, false, 1 or 0; by default its score says so."),
]
Least = Annotated[OfScore, Doc("The score from which a record is positive, where no `positive` is named."), AtLeast(0)]


@variants(better="higher", range=(0.0, 1.0), traits=("either_way",), topics=("probabilities", "labels"))
def _of_curve(
    area: Callable[[Any, Any], Any],
    rows: Rows,
    /,
    *,
    confidence: Surety,
    positive: Positive = None,
    threshold: Least = 1.0,
) -> Statistic:
    """Return the statistic of an area under a curve, which `area` computes from how often each confidence occurs among
    positive records, and among negative ones."""
    if positive is None:
        kinds = np.where(np.isnan(rows.values()), math.nan, rows.values() >= threshold)
    else:
        kinds = np.array([float(value) if value in (0, 1) else math.nan for value in rows.column(positive)])
    sure = numbers(rows.column(confidence))
    unknown = (np.isnan(kinds), NO_SCORE if positive is None else f"`{positive}` is neither true nor false")
    _, missing = counting(rows, unknown, (np.isnan(sure), f"`{confidence}` is not a number"))
    pairs, is_roc = pairs_of(rows.ids, sure, kinds), area.__name__ == "roc_auc"
    return PairFigure((pairs,), partial(_separated, area, is_roc), partial(_trials, is_roc), missing=missing)


def _trials(either: bool, first: Any, second: Any, counts: Any, labels: list[Any]) -> Any:
    """Return 1 for each record that counts towards the effective sample size of an area under a curve, else 0.

    Args:
        either: Whether the records of the rarer class count; else the positive ones do.
        first: The confidence of each record, as its index in ``labels``.
        second: The class of each record, as its index in ``labels``.
        counts: How often each record occurs.
        labels: All confidences, and the classes 1.0 (positive) and 0.0 (negative).
    """
    is_positive = second == bisect_left(labels, 1.0)
    many, others = (counts * is_positive).sum(), (counts * ~is_positive).sum()
    return np.where(is_positive == (not either or many <= others), 1.0, 0.0)


def _separated(
    area: Callable[[Any, Any], Any], is_roc: bool, first: Any, second: Any, counts: Any, labels: list[Any]
) -> Any:
    """Return the area that `area` computes from how often each confidence occurs among positive and negative records.

    The other arguments are those of `_trials`; the result has a value for each row of ``counts``.
    """
    is_positive = second == bisect_left(labels, 1.0)
    same = first[1:] == first[:-1]
    # Distinct and sorted units are an order of records already, in which a negative one stands ahead of its equal.
    if is_roc and bool(((first[1:] > first[:-1]) | (same & (second[1:] > second[:-1]))).all()):
        return _area_in_order(is_positive, np.flatnonzero(same), counts)
    return area(*(marginals(counts[:, one], first[one], len(labels)) for one in (is_positive, ~is_positive)))


def _area_in_order(is_positive: Any, tied: Any, counts: Any) -> Any:
    """Return the area under the ROC curve for each row of ``counts``, of units in the order of their confidences.

    All sums are of whole numbers and halves, so they are exact, and equal to those of `roc_auc`.

    Args:
        is_positive: Whether each unit is positive.
        tied: The indices of negative units that are followed by a positive one with an equal confidence.
        counts: How often each unit occurs.
    """
    wins, pairs = np.zeros(len(counts)), np.zeros(len(counts))
    for place, line in enumerate(counts):  # one by one, in the processor's cache
        positives = line * is_positive
        negatives = line - positives
        below = np.cumsum(negatives)
        wins[place] = positives @ below - positives[tied + 1] @ negatives[tied] / 2
        pairs[place] = positives.sum() * negatives.sum()
    return divide(wins, pairs)


@_of_curve.declare(aka=("auroc", "auc", "area under the curve"))
def roc_auc(positives: Any, negatives: Any) -> Any:
    """Compute the area under the ROC curve: how often a number is greater for a positive record than for a negative.

    Ties count half. Records that lack the number, or whose class (positive or negative) is unknown, are left out.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0, 0.0], sure=[0.9, 0.4, 0.5])
        >>> roc_auc(rows, confidence="sure").value()
        0.5

    Source:
        Hanley, McNeil: The Meaning and Use of the Area under a ROC Curve (1982).
    """
    below = np.cumsum(negatives, axis=0) - negatives / 2
    return divide((positives * below).sum(axis=0), positives.sum(axis=0) * negatives.sum(axis=0))


@_of_curve.declare(aka=("auprc", "pr auc", "area under precision recall curve"))
def average_precision(positives: Any, negatives: Any) -> Any:
    """Compute the mean of the precisions at each positive record, with records ranked by a number, greatest first.

    It is the area under the precision-recall curve. Records with equal numbers share one rank. Records that lack the
    number, or whose class (positive or negative) is unknown, are left out.

    Examples:
        >>> rows = Rows.of_scores([1.0, 1.0, 0.0], sure=[0.9, 0.4, 0.5])
        >>> average_precision(rows, confidence="sure").value()
        0.8333333333333333

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval (2008), section 8.4.
    """
    found, all_ = (np.cumsum(part[::-1], axis=0)[::-1] for part in (positives, positives + negatives))
    precision = divide(found, all_, empty=0.0)
    return divide((positives * precision).sum(axis=0), positives.sum(axis=0))
