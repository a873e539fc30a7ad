"""How well two numbers or labels of the records agree in their order: rank correlations, Matthews' coefficient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from scoring.late import dataclass, np
from scoring.metrics.labels import label_of
from scoring.metrics.summary import AnsweredField, PredictionPath, ReferencePath, ScoredField, number_of
from scoring.registry import Between, RecordPath, primitive
from scoring.statistics.pairs import PairStatistic, marginals, pairs_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic


def _ratio(above: Any, below: Any) -> Any:
    """One through the other, at most 1 and at least -1; NaN where the second is 0."""
    return np.where(below > 0, np.clip(above / np.where(below > 0, below, 1.0), -1.0, 1.0), np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationStatistic(PairStatistic):
    """Pairs of numbers or of labels, and what is made of how often each pair occurs."""

    figure: Callable[[Any, Any, Any, int], Any]

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The coefficient when each pair occurs so many times."""
        first, second = units.astype(int).T
        return self.figure(first, second, counts, len(self.labels))


def _rank_correlation(first: Any, second: Any, counts: Any, size: int) -> Any:
    """Pearson's correlation of the ranks; equal numbers share the mean of their ranks."""
    apart, spreads = [], []
    for side in (first, second):
        held = marginals(counts, side, size)
        ranks = np.cumsum(held, axis=0) - held / 2 - counts.sum(axis=-1) / 2  # from the middle, where the mean lies
        apart.append(ranks[side])
        spreads.append((held * ranks * ranks).sum(axis=0))
    return _ratio((counts.T * apart[0] * apart[1]).sum(axis=0), np.sqrt(spreads[0] * spreads[1]))


def _tau_b(first: Any, second: Any, counts: Any, size: int) -> Any:
    from scipy.stats import kendalltau

    drawn = np.rint(counts).astype(int)
    found = [kendalltau(np.repeat(first, line), np.repeat(second, line)).statistic for line in drawn]
    return np.asarray(found, dtype=np.float64)


def _label_correlation(first: Any, second: Any, counts: Any, size: int) -> Any:
    """Of predicted and right labels, each label being a number of its own."""
    total = counts.sum(axis=-1)
    hits = counts[:, first == second].sum(axis=-1)
    predicted, actual = (marginals(counts, side, size) for side in (first, second))
    spreads = [total * total - (side * side).sum(axis=0) for side in (predicted, actual)]
    return _ratio(hits * total - (predicted * actual).sum(axis=0), np.sqrt(spreads[0] * spreads[1]))


def _numbers(rows: Rows, other: str, field: str | None) -> tuple[Sequence[Any], Sequence[float], Sequence[float]]:
    """Ids, scores and other numbers of the records that have both."""
    columns = zip(rows.ids, rows.values(field).tolist(), map(number_of, rows.column(other)), strict=True)
    held = [(key, score, number) for key, score, number in columns if score == score and number == number]
    ids, scores, numbers = zip(*held, strict=True) if held else ((), (), ())
    return ids, scores, numbers


@primitive(
    uses=("numpy",),
    range=(-1.0, 1.0),
    traits=("either_way",),
    topics=("pairs", "numbers"),
    aka=("spearman rho", "spearmanr", "rank correlation coefficient"),
)
def spearman(rows: Rows, /, *, other: RecordPath, field: ScoredField = None) -> Statistic:
    """The rank correlation of the scores with another number of the record, such as a human rating.

    Equal numbers share the mean of their ranks. Records that lack either number are left out.

    Args:
        other: The JMESPath of the number.

    Examples:
        >>> spearman(Rows.of_scores([0.1, 0.2, 0.9], human=[1, 2, 50]), other="human").value()
        1.0

    Source:
        Spearman: The Proof and Measurement of Association between Two Things (1904).
    """
    return CorrelationStatistic((pairs_of(*_numbers(rows, other, field)),), _rank_correlation)


@primitive(
    uses=("numpy", "scipy"),
    range=(-1.0, 1.0),
    traits=("either_way",),
    topics=("labels", "pairs"),
    aka=("kendall tau", "tau-b", "rank correlation"),
)
def kendall(rows: Rows, /, *, other: RecordPath, field: ScoredField = None) -> Statistic:
    """Kendall's tau-b of the scores with another number of the record: of all pairs, those in order less the others.

    Pairs that tie in either number count for neither. Records that lack either number are left out.

    Args:
        other: The JMESPath of the number.

    Examples:
        >>> round(kendall(Rows.of_scores([0.1, 0.2, 0.9], human=[1, 3, 2]), other="human").value(), 4)
        0.3333

    Source:
        Kendall: The Treatment of Ties in Ranking Problems (1945); scipy.stats.kendalltau.
    """
    return CorrelationStatistic((pairs_of(*_numbers(rows, other, field)),), _tau_b)


@primitive(
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
    """Matthews' correlation coefficient of predicted and right labels, of two or of any number of labels.

    Records that lack the right label are left out. An answer that is missing, or that did not parse, is a label of its
    own.

    Args:
        undefined: The coefficient where all predicted or all right labels are one, and there is none by itself;
            scikit-learn has 0.

    Examples:
        >>> rows = Rows.of_scores([1, 1, 0, 1], response=["y", "n", "y", "n"], reference=["y", "n", "n", "n"])
        >>> round(matthews(rows).value(), 4)
        0.5774

    Source:
        Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient (2004).
    """
    columns = zip(rows.ids, rows.predictions(prediction, field), rows.references(reference, field), strict=True)
    held = [(key, label_of(given), label_of(right)) for key, given, right in columns if right is not None]
    ids, given, right = zip(*held, strict=True) if held else ((), (), ())
    figure = _label_correlation if undefined is None else partial(_filled, undefined)
    return CorrelationStatistic((pairs_of(ids, given, right),), figure)


def _filled(undefined: float, first: Any, second: Any, counts: Any, size: int) -> Any:
    """The correlation of labels, and a number where it has none though there are labels."""
    found = _label_correlation(first, second, counts, size)
    return np.where(np.isnan(found) & (counts.sum(axis=-1) > 0), undefined, found)
