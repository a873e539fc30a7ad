"""Precision, recall and F1 of predicted labels, over one label or averaged over all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from scoring.late import dataclass, np
from scoring.metrics.summary import AnsweredField, PredictionPath, ReferencePath
from scoring.registry import variants
from scoring.statistics.pairs import Pairs, PairStatistic, marginals, pairs_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide

LabelFigure: TypeAlias = Callable[[Any, Any, Any], Any]
"""The figure of each label from its hits, how often it was predicted, and how often it was right."""

Average: TypeAlias = Literal["macro", "micro", "weighted"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelStatistic(PairStatistic):
    """The pairs of predicted and right label, from which the counts of every label follow."""

    figure: LabelFigure
    average: Average
    label: str | None

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The figure when each pair of labels occurs so many times."""
        labels = self.labels
        given, right = units[:, 0].astype(int), units[:, 1].astype(int)
        same = given == right
        hits = marginals(counts[:, same], given[same], len(labels))
        predicted, actual = (marginals(counts, side, len(labels)) for side in (given, right))
        if self.label is not None:
            chosen = [place for place, name in enumerate(labels) if name == label_of(self.label)]
            hits, predicted, actual = hits[chosen], predicted[chosen], actual[chosen]
        if self.average == "micro":
            hits, predicted, actual = (part.sum(axis=0, keepdims=True) for part in (hits, predicted, actual))
        figures = self.figure(hits, predicted, actual)
        if self.average == "weighted":
            return divide((figures * actual).sum(axis=0), actual.sum(axis=0), empty=0.0)
        # A label that a resample lacks on both sides takes no part in its mean.
        present = (predicted + actual) > 0
        return divide((figures * present).sum(axis=0), present.sum(axis=0).astype(np.float64), empty=0.0)

    def details(self) -> dict[str, Any]:
        """How many labels there are."""
        return {"labels": len(self.labels)}


_MISSING = ""
_MOST_BITS = 10_000


def label_of(value: Any) -> str:
    """A label as text; that of a missing one is no other's, "None" included."""
    if value is None:
        return _MISSING
    # Python writes no whole number of thousands of digits, unless in hexadecimal ones.
    return f"={value:#x}" if type(value) is int and value.bit_length() > _MOST_BITS else f"={value}"


def label_pairs(rows: Rows, prediction: str | None, reference: str | None, field: str | None) -> Pairs:
    """Predicted and right label of the records that have a right one."""
    columns = zip(rows.predictions(prediction, field), rows.references(reference, field), strict=True)
    # What stands beside nothing is not looked at: it may be no label.
    known = [None if right is None else (label_of(given), label_of(right)) for given, right in columns]
    sides = ([None if pair is None else pair[at] for pair in known] for at in (0, 1))
    return pairs_of(rows.ids, *sides)


@variants(range=(0.0, 1.0), revision=2)
def _of_labels(
    figure: LabelFigure,
    rows: Rows,
    /,
    *,
    prediction: PredictionPath = None,
    reference: ReferencePath = None,
    field: AnsweredField = None,
    average: Literal["macro", "micro", "weighted"] = "macro",
    label: str | None = None,
) -> Statistic:
    """A figure of the predicted and the right labels of the records.

    Records that lack the right label are left out. An answer that is missing, or that did not parse, is a label of its
    own.

    Args:
        average: Over labels equally (macro), over records (micro), or over labels by how often they are right
            (weighted).
        label: Only this label counts.
    """
    return LabelStatistic((label_pairs(rows, prediction, reference, field),), figure, average, label)


@_of_labels.declare(topics=("labels",), aka=("label precision", "macro precision", "micro precision"))
def precision(hits: Any, predicted: Any, actual: Any) -> Any:
    """The share of predictions of a label that are right, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> precision(rows).value(), precision(rows, label="a").value()
        (0.75, 0.5)
    """
    return divide(hits, predicted, empty=0.0)


@_of_labels.declare(topics=("labels",), aka=("sensitivity", "true positive rate", "label recall"))
def recall(hits: Any, predicted: Any, actual: Any) -> Any:
    """The share of records of a label that are predicted so, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> recall(rows).value(), recall(rows, label="b").value()
        (0.75, 0.5)
    """
    return divide(hits, actual, empty=0.0)


@_of_labels.declare(topics=("labels",), aka=("f1 score", "macro f1", "micro f1", "weighted f1"))
def f1(hits: Any, predicted: Any, actual: Any) -> Any:
    """The harmonic mean of precision and recall of a label, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> round(f1(rows).value(), 4), round(f1(rows, average="micro").value(), 4)
        (0.6667, 0.6667)
    """
    return divide(2.0 * hits, predicted + actual, empty=0.0)
