"""Precision, recall and F1 of predicted labels, over one label or averaged over all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from scoring.metrics.summary import AnsweredField, NotCounted, PredictionPath, ReferencePath, counting
from scoring.registry import variants
from scoring.statistics.pairs import Pairs, PairStatistic, marginals, pairs_of
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, told

LabelFigure: TypeAlias = Callable[[Any, Any, Any], tuple[Any, Any]]
"""The numerator and denominator of a label's figure, from its hits, and how often it was predicted and was right."""

Average: TypeAlias = Literal["macro", "micro", "weighted"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelStatistic(PairStatistic):
    """The pairs of predicted and right label, from which the counts of every label follow."""

    figure: LabelFigure
    average: Average
    label: str | None
    of_shares = True

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the figure when each pair of labels occurs `counts` times."""
        given, right = units.astype(int).T
        same = given == right
        size, chosen = len(self.labels), self._chosen
        hits = marginals(counts[:, same], given[same], size)[chosen]
        predicted, actual = (marginals(counts, side, size)[chosen] for side in (given, right))
        if self.average == "micro":
            hits, predicted, actual = (part.sum(axis=0, keepdims=True) for part in (hits, predicted, actual))
        figures = divide(*self.figure(hits, predicted, actual), empty=0.0)
        if self.average == "weighted":
            return divide((figures * actual).sum(axis=0), actual.sum(axis=0), empty=0.0)
        # A label that a resample lacks on both sides takes no part in its mean.
        present = (predicted + actual) > 0
        return divide((figures * present).sum(axis=0), present.sum(axis=0).astype(np.float64), empty=0.0)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return the weight of a pair: how often it is in the divisor of a label's figure, times the label's weight in
        the mean."""
        given, right = units.astype(int).T
        size, chosen = len(self.labels), self._chosen
        predicted, actual = (marginals(counts[None].astype(float), side, size)[:, 0] for side in (given, right))
        _, below = self.figure(0.0, predicted, actual)
        share = np.zeros(size)
        share[chosen] = actual[chosen] if self.average == "weighted" else 1.0
        if self.average != "micro":
            share = divide(share, below, empty=0.0)
        return sum(
            self.figure(0.0, *which)[1] * share[side] for which, side in (((1.0, 0.0), given), ((0.0, 1.0), right))
        )

    @property
    def is_share_of_some(self) -> bool:
        """Whether it is a share of the answers, or of the records, that are one label."""
        below = [self.figure(0.0, *side)[1] for side in ((1.0, 0.0), (0.0, 1.0))]
        return self.label is not None and self.average == "macro" and 0.0 in below

    @property
    def remark(self) -> str | None:
        """Whether labels that count as much as others have few records, or may have been seen in none at all."""
        few = self.label is None and self.average == "macro" and self.count < _FEWEST_OF_LABEL * len(self.labels)
        return "few records of a label, so it may cover more or less" if few else None

    @property
    def _chosen(self) -> list[int]:
        """The places of the labels that count."""
        labels = self.labels
        return [place for place, name in enumerate(labels) if self.label is None or name == label_of(self.label)]

    def details(self) -> dict[str, Any]:
        """Return how many labels there are, how many records do not count, and why."""
        return {"labels": len(self.labels), **told(self.missing)}


_MISSING = ""
_FEWEST_OF_LABEL = 5
_MOST_BITS = 10_000
_LONGEST = 1_000


def label_of(value: Any) -> str:
    """Return a label as text; that of a missing one is no other's, "None" included."""
    if value is None:
        return _MISSING
    # Python writes no whole number of thousands of digits, unless in hexadecimal ones.
    text = f"={value:#x}" if type(value) is int and value.bit_length() > _MOST_BITS else f"={value}"
    if len(text) <= _LONGEST:
        return text
    # Each label is kept to the end of the run: of one that is a whole answer its digest tells it from others.
    return f"#{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def label_pairs(
    rows: Rows, prediction: str | None, reference: str | None, field: str | None
) -> tuple[Pairs, NotCounted]:
    """Predicted and right label of the records that have a right one, and how many have none."""
    columns = zip(rows.predictions(prediction, field), rows.references(reference, field), strict=True)
    # What stands beside nothing is not looked at: it may be no label.
    known = [None if right is None else (label_of(given), label_of(right)) for given, right in columns]
    sides = ([None if pair is None else pair[at] for pair in known] for at in (0, 1))
    _, missing = counting(rows, ([pair is None for pair in known], "no right label"))
    return pairs_of(rows.ids, *sides), missing


@variants(better="higher", range=(0.0, 1.0), revision=2)
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
    pairs, missing = label_pairs(rows, prediction, reference, field)
    return LabelStatistic((pairs,), figure, average, label, missing=missing)


@_of_labels.declare(topics=("labels",), aka=("label precision", "macro precision", "micro precision"))
def precision(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """The share of predictions of a label that are right, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> precision(rows).value(), precision(rows, label="a").value()
        (0.75, 0.5)
    """
    return hits, predicted


@_of_labels.declare(topics=("labels",), aka=("sensitivity", "true positive rate", "label recall"))
def recall(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """The share of records of a label that are predicted so, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> recall(rows).value(), recall(rows, label="b").value()
        (0.75, 0.5)
    """
    return hits, actual


@_of_labels.declare(topics=("labels",), aka=("f1 score", "macro f1", "micro f1", "weighted f1"))
def f1(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """The harmonic mean of precision and recall of a label, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> round(f1(rows).value(), 4), round(f1(rows, average="micro").value(), 4)
        (0.6667, 0.6667)
    """
    return 2.0 * hits, predicted + actual
