"""Metrics of stated confidences: how well calibrated they are, and how well they separate right from wrong answers.

A confidence is a number of the record; the score states how right the answer is.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from scoring.extensions.calibration.binned import Gaps, MassStatistic, SizeStatistic, WidthStatistic, error_of_sums
from scoring.extensions.calibration.curves import CurveFigure
from scoring.extensions.figures.pairs import marginals, numbers, pairs_of
from scoring.metrics.summary import NO_SCORE, NotCounted, ScoredField, counting, kept, mean_of
from scoring.registry import AtLeast, Between, Doc, OfScore, RecordPath, primitive, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, of_sums

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
    aka=(
        "expected calibration error",
        "calibration error",
        "calibration",
        "reliability diagram",
        "rms calibration error",
        "root mean square calibration error",
        "calib_err",
        "adaptive calibration error",
    ),
)
def ece(
    rows: Rows,
    /,
    *,
    confidence: Confidence,
    bins: Annotated[float, Between(1, 1000)] = 10,
    binning: Literal["width", "mass", "size"] = "width",
    size: Annotated[int, AtLeast(1)] = 100,
    last: Literal["counts", "left_out"] = "counts",
    gaps: Gaps = "absolute",
    field: ScoredField = None,
) -> Statistic:
    """Compute the expected calibration error: the mean absolute gap of confidence and score over bins of confidences.

    A confidence exactly on the border of two bins belongs to the lower one. Records without a score, or without a
    confidence from 0 to 1, are left out. The details include the reliability curve: mean confidence and mean score of
    each bin. `gaps="squares"` gives the root-mean-square calibration error.

    Args:
        bins: The number of bins of width or mass.
        binning: Bins of equal width from 0 to 1 (width), or of about equally many records (mass): their borders are
            quantiles of the confidences, and equal confidences are never separated. Or bins of a fixed number of
            records in the order of their confidences (size), the last one with what is left over; equal confidences
            in several bins are shared among them.
        size: The number of records in a bin of a fixed size.
        last: Whether the last bin of a fixed size counts; released code leaves it out.
        gaps: The mean of the bins' absolute gaps, or the root of the mean of their squares; a bin weighs as much as it
            has records.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], sure=[0.95, 0.95, 0.35])
        >>> ece(rows, confidence="sure", bins=10).value()
        0.5166666666666666
        >>> round(ece(rows, confidence="sure", bins=2, binning="mass").value(), 6)
        0.083333
        >>> round(ece(rows, confidence="sure", binning="size", size=1, gaps="squares").value(), 6)
        0.525198

    Source:
        Guo et al.: On Calibration of Modern Neural Networks (2017), equation 3; scikit-learn's `calibration_curve` for
        bins of equal mass; Nguyen, O'Connor: Posterior Calibration and Exploratory Analysis for Natural Language
        Processing Models (2015), section 3, for bins of a fixed size and squares; Hendrycks, Mazeika, Dietterich: Deep
        Anomaly Detection with Outlier Exposure (2019), whose `calib_err` leaves out the last bin.
    """
    count = int(bins)
    (ids, confidences, scores), missing = _confident(rows, confidence, field)
    if binning != "width":
        blocks = ((ids, np.stack([confidences, scores], axis=-1)),)
        if binning == "mass":
            return MassStatistic(blocks, count, gaps, missing=missing)
        return SizeStatistic(blocks, size, gaps, last == "counts", missing=missing)
    bin_of = np.clip(np.ceil(confidences * count).astype(int) - 1, 0, count - 1)
    units = np.zeros((len(ids), 3 * count))
    lines = np.arange(len(ids))
    units[lines, bin_of], units[lines, count + bin_of], units[lines, 2 * count + bin_of] = 1.0, confidences, scores
    error = partial(error_of_sums, gaps)
    of_widths = of_sums(error, ids, units, width=3 * count, missing=missing, kind=WidthStatistic)
    assert isinstance(of_widths, WidthStatistic)
    return replace(of_widths, gaps=gaps)


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
    positive records, and among negative ones; the details include points of the curve."""
    if positive is None:
        kinds = np.where(np.isnan(rows.values()), math.nan, rows.values() >= threshold)
    else:
        kinds = np.array([float(value) if value in (0, 1) else math.nan for value in rows.column(positive)])
    sure = numbers(rows.column(confidence))
    unknown = (np.isnan(kinds), NO_SCORE if positive is None else f"`{positive}` is neither true nor false")
    _, missing = counting(rows, unknown, (np.isnan(sure), f"`{confidence}` is not a number"))
    pairs, is_roc = pairs_of(rows.ids, sure, kinds), area.__name__ == "roc_auc"
    figure, trials = partial(_separated, area, is_roc), partial(_trials, is_roc)
    return CurveFigure((pairs,), figure, trials, is_roc, missing=missing)


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
