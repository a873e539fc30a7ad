"""Agreement of two ratings of the same records: kappa and Matthews' coefficient of labels, correlations of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from scoring.extensions.agreement.statistics import Ratings, kappa_of_counts, rating
from scoring.extensions.figures.centred import CentredStatistic, resolved_spread
from scoring.extensions.figures.metrics.labels import label_pairs
from scoring.extensions.figures.pairs import PairFigure, marginals, numbers, pairs_of
from scoring.metrics.summary import (
    NO_SCORE,
    TOO_LARGE,
    AnsweredField,
    NotCounted,
    PredictionPath,
    ReferencePath,
    ScoredField,
    counting,
    kept,
)
from scoring.ranges import GREATEST
from scoring.registry import Between, RecordPath, primitive, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, of_sums


@primitive(
    better="higher",
    range=(-1.0, 1.0),
    topics=("labels", "rubrics"),
    aka=("inter-rater agreement", "quadratic weighted kappa", "qwk"),
)
def cohen_kappa(
    rows: Rows, /, *, first: RecordPath, second: RecordPath, weights: Literal["none", "linear", "quadratic"] = "none"
) -> Statistic:
    """Compute Cohen's kappa, the agreement of two raters beyond chance: 1 is full agreement, 0 is agreement by chance.

    Records that lack a rating are left out.

    Args:
        first: The path of one rater's label.
        second: The path of the other rater's label.
        weights: How much a disagreement costs: always the same (none), or proportional to the distance between the two
            ratings in their order (linear) or to the square of that distance (quadratic).

    Examples:
        >>> rows = Rows.of_scores([1] * 4, ann=["y", "y", "n", "n"], ben=["y", "n", "n", "n"])
        >>> cohen_kappa(rows, first="ann", second="ben").value()
        0.5

    Source:
        Cohen: A Coefficient of Agreement for Nominal Scales (1960); weighted: Cohen (1968).
    """
    # A value whose counterpart is missing is not converted: it may not be a valid label.
    columns, ratings = (rows.column(first), rows.column(second)), Ratings()
    sides: list[list[Any]]
    if all(set(map(type, column)) == {str} for column in columns):
        sides = [list(map(ratings.__getitem__, column)) for column in columns]
    else:
        known = [None if a is None or b is None else (rating(a), rating(b)) for a, b in zip(*columns, strict=True)]
        sides = [[None if pair is None else pair[at] for pair in known] for at in (0, 1)]
    paired = zip((first, second), columns, strict=True)
    faults = [([value is None for value in column], f"no `{path}`") for path, column in paired]
    _, missing = counting(rows, *faults)
    kappa = partial(kappa_of_counts, weights=weights)
    return PairFigure((pairs_of(rows.ids, *sides),), kappa, _beyond_chance, missing=missing)


@variants(better="higher", range=(-1.0, 1.0), traits=("either_way",))
def _of_numbers(
    figure: Callable[[Sequence[Any], Any, Any, NotCounted], Statistic],
    rows: Rows,
    /,
    *,
    other: RecordPath,
    field: ScoredField = None,
) -> Statistic:
    """Return the statistic of a correlation, which `figure` computes from ids, scores, other numbers and the counts of
    records left out; a record must have both numbers.

    Args:
        other: The path of the number.
    """
    scores, others = rows.values(field), numbers(rows.column(other))
    huge = (np.abs(scores) > GREATEST) | (np.abs(others) > GREATEST)
    faults = (np.isnan(scores), NO_SCORE), (np.isnan(others), f"`{other}` is not a number")
    mask, missing = counting(rows, *faults, *(((huge, TOO_LARGE),) if figure.__name__ == "pearson" else ()))
    ids, scores, others = kept(mask, rows.ids, scores, others)
    return figure(ids, scores, others, missing)


@_of_numbers.declare(
    revision=2,
    uses=("numpy",),
    topics=("pairs", "numbers"),
    aka=("pearson r", "linear correlation", "correlation coefficient"),
)
def pearson(ids: Sequence[Any], scores: Any, others: Any, missing: NotCounted) -> Statistic:
    """Compute Pearson's linear correlation of the scores with another number of the record, such as a human rating.

    Examples:
        >>> pearson(Rows.of_scores([0.0, 0.5, 1.0], human=[1, 2, 3]), other="human").value()
        1.0

    Source:
        Pearson: Notes on Regression and Inheritance in the Case of Two Parents (1895).
    """
    products = scores * scores, others * others, scores * others
    units = np.stack([np.ones(len(scores)), scores, others, *products]).T
    return of_sums(_correlation, ids, units, width=6, missing=missing, kind=CorrelationStatistic)


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationStatistic(CentredStatistic):
    """The statistic of the linear correlation of two columns of unbounded numbers, computed from sums over records."""

    is_open = True
    products = (1, 1, 3), (2, 2, 4), (1, 2, 5)


def _correlation(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Any:
    return _ratio(n * xy - x * y, np.sqrt(resolved_spread(n, x, xx) * resolved_spread(n, y, yy)))


@_of_numbers.declare(
    uses=("numpy",), topics=("pairs", "numbers"), aka=("spearman rho", "spearmanr", "rank correlation coefficient")
)
def spearman(ids: Sequence[Any], scores: Any, others: Any, missing: NotCounted) -> Statistic:
    """Compute Spearman's rank correlation of the scores with another number of the record, such as a human rating.

    Equal numbers all get the mean of their ranks. Records that lack either number are left out.

    Examples:
        >>> spearman(Rows.of_scores([0.1, 0.2, 0.9], human=[1, 2, 50]), other="human").value()
        1.0

    Source:
        Spearman: The Proof and Measurement of Association between Two Things (1904).
    """
    return PairFigure((pairs_of(ids, scores.tolist(), others.tolist()),), _rank_correlation, missing=missing)


@_of_numbers.declare(
    uses=("numpy", "scipy"), topics=("labels", "pairs"), aka=("kendall tau", "tau-b", "rank correlation")
)
def kendall(ids: Sequence[Any], scores: Any, others: Any, missing: NotCounted) -> Statistic:
    """Compute Kendall's tau-b of the scores and another number of the record: concordant minus discordant pairs.

    The difference is normalised for ties. A pair of records that tie in either number is neither concordant nor
    discordant. Records that lack either number are left out.

    Examples:
        >>> round(kendall(Rows.of_scores([0.1, 0.2, 0.9], human=[1, 3, 2]), other="human").value(), 4)
        0.3333

    Source:
        Kendall: The Treatment of Ties in Ranking Problems (1945); scipy.stats.kendalltau.
    """
    return PairFigure((pairs_of(ids, scores.tolist(), others.tolist()),), _tau_b, missing=missing)


@primitive(
    better="higher",
    revision=2,
    uses=("numpy",),
    range=(-1.0, 1.0),
    traits=("either_way",),
    topics=("labels",),
    aka=("mcc", "matthews correlation", "phi coefficient"),
)
def matthews(
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    undefined: Annotated[float | None, Between(-1, 1)] = None,
) -> Statistic:
    """Compute Matthews' correlation coefficient of predicted and correct labels, for two or more different labels.

    Records that lack the correct label are left out. An answer that is missing or did not parse counts as a separate
    label.

    Args:
        undefined: The value to return where all predicted or all correct labels are the same, which leaves the
            coefficient undefined; scikit-learn returns 0.

    Examples:
        >>> rows = Rows.of_scores([1, 1, 0, 1], response=["y", "n", "y", "n"], reference=["y", "n", "n", "n"])
        >>> round(matthews(rows).value(), 4)
        0.5774

    Source:
        Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient (2004).
    """
    figure = _label_correlation if undefined is None else partial(_filled, undefined)
    pairs, missing = label_pairs(rows, prediction, reference, field)
    return PairFigure((pairs,), figure, _beyond_chance, missing=missing)


def _beyond_chance(first: Any, second: Any, counts: Any, labels: Sequence[Any]) -> Any:
    """Return the weight of each pair of labels in a coefficient that corrects for chance; rarer labels weigh more.

    It is the share of pairs with another first label, plus the share of pairs with another second label. The arguments
    are those of `kappa_of_counts`, except that ``counts`` is one-dimensional.
    """
    total = counts.sum()
    totals = (marginals(counts[None].astype(np.float64), side, len(labels))[side, 0] for side in (first, second))
    return sum(1.0 - many / total for many in totals)


def _ratio(above: Any, below: Any) -> Any:
    """Return ``above`` divided by ``below``, clipped to -1 to 1; NaN where ``below`` is not positive."""
    return np.where(below > 0, np.clip(above / np.where(below > 0, below, 1.0), -1.0, 1.0), np.nan)


def _rank_correlation(first: Any, second: Any, counts: Any, labels: Sequence[Any]) -> Any:
    """Return the rank correlation for each row of ``counts`` of pairs; the arguments are those of `kappa_of_counts`.

    It is Pearson's correlation of the ranks, in which equal numbers all get the mean of their ranks.
    """
    apart, spreads = [], []
    for side in (first, second):
        totals = marginals(counts, side, len(labels))
        ranks = np.cumsum(totals, axis=0) - totals / 2 - counts.sum(axis=-1) / 2  # relative to the mean rank
        apart.append(ranks[side])
        spreads.append((totals * ranks * ranks).sum(axis=0))
    return _ratio((counts.T * apart[0] * apart[1]).sum(axis=0), np.sqrt(spreads[0] * spreads[1]))


def _tau_b(first: Any, second: Any, counts: Any, labels: Sequence[Any]) -> Any:
    from scipy.stats import kendalltau

    drawn = np.rint(counts).astype(int)
    found = [kendalltau(np.repeat(first, line), np.repeat(second, line)).statistic for line in drawn]
    return np.asarray(found, dtype=np.float64)


def _label_correlation(first: Any, second: Any, counts: Any, labels: Sequence[Any]) -> Any:
    """Return Matthews' correlation coefficient for each row of ``counts`` of pairs of labels, NaN if it is undefined.

    The arguments are those of `kappa_of_counts`.
    """
    total = counts.sum(axis=-1)
    hits = counts[:, first == second].sum(axis=-1)
    predicted, actual = (marginals(counts, side, len(labels)) for side in (first, second))
    spreads = [total * total - (side * side).sum(axis=0) for side in (predicted, actual)]
    return _ratio(hits * total - (predicted * actual).sum(axis=0), np.sqrt(spreads[0] * spreads[1]))


def _filled(undefined: float, first: Any, second: Any, counts: Any, labels: Sequence[Any]) -> Any:
    """Return the result of `_label_correlation`, with ``undefined`` in place of NaN for each row with any pairs."""
    found = _label_correlation(first, second, counts, labels)
    return np.where(np.isnan(found) & (counts.sum(axis=-1) > 0), undefined, found)
