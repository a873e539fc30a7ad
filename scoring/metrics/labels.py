"""Precision, recall and F1 of predicted labels, over one label or averaged over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scoring.registry import primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, Unit, divide

Figure: TypeAlias = Literal["precision", "recall", "f1"]
Average: TypeAlias = Literal["macro", "micro", "weighted"]


@dataclass(frozen=True, slots=True)
class LabelStatistic(Statistic):
    """The pairs of predicted and right label, from which the counts of every label follow."""

    figure: Figure
    average: Average
    label: str | None
    pairs: tuple[tuple[Any, str, str], ...]

    def merge(self, other: LabelStatistic) -> LabelStatistic:
        """The pairs of both parts."""
        return LabelStatistic(self.figure, self.average, self.label, self.pairs + other.pairs)

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the records."""
        return [key for key, _, _ in self.pairs]

    @property
    def labels(self) -> list[str]:
        """All labels that occur on either side."""
        return sorted({label for _, *both in self.pairs for label in both})

    @property
    def units(self) -> Sequence[Unit]:
        """The places of the two labels among all labels."""
        places = {label: float(place) for place, label in enumerate(self.labels)}
        return [(places[given], places[right]) for _, given, right in self.pairs]

    def value(self) -> float | None:
        """The figure, None without records."""
        if not self.pairs:
            return None
        import numpy as np

        counted = sorted(Counter(self.units).items())
        units = np.array([unit for unit, _ in counted])
        counts = np.array([[count for _, count in counted]], dtype=float)
        return float(self.of_counts(units, counts)[0])

    def of_counts(self, units: Any, counts: Any) -> Any:
        """The figure when each pair of labels occurs so many times."""
        import numpy as np

        size = len(self.labels)
        given, right = units[:, 0].astype(int), units[:, 1].astype(int)
        hits = _by_label(counts[:, given == right], given[given == right], size)
        predicted, actual = _by_label(counts, given, size), _by_label(counts, right, size)
        if self.label is not None:
            chosen = [place for place, name in enumerate(self.labels) if name == self.label]
            hits, predicted, actual = hits[chosen], predicted[chosen], actual[chosen]
        if self.average == "micro":
            hits, predicted, actual = (part.sum(axis=0, keepdims=True) for part in (hits, predicted, actual))
        figures = _figure(self.figure, hits, predicted, actual)
        if self.average == "weighted":
            return divide((figures * actual).sum(axis=0), actual.sum(axis=0), empty=0.0)
        # A label that a resample lacks on both sides takes no part in its mean.
        present = (predicted + actual) > 0
        return divide((figures * present).sum(axis=0), present.sum(axis=0).astype(np.float64), empty=0.0)

    def details(self) -> dict[str, Any]:
        """How many labels there are."""
        return {"labels": len(self.labels)}


def _by_label(counts: Any, owners: Any, size: int) -> Any:
    """For every label (rows) and every line of counts (columns) how often the label's units occur."""
    import numpy as np

    found = np.zeros((size, len(counts)))
    if len(owners):
        order = np.argsort(owners, kind="stable")
        present, starts = np.unique(owners[order], return_index=True)
        found[present] = np.add.reduceat(counts[:, order], starts, axis=1).T
    return found


def _figure(figure: Figure, hits: Any, predicted: Any, actual: Any) -> Any:
    if figure == "precision":
        return divide(hits, predicted, empty=0.0)
    if figure == "recall":
        return divide(hits, actual, empty=0.0)
    return divide(2.0 * hits, predicted + actual, empty=0.0)


def _pairs(rows: Rows, prediction: str, reference: str) -> tuple[tuple[Any, str, str], ...]:
    """Records that lack the right label are left out; a missing predicted one is a label of its own."""
    columns = zip(rows.ids, rows.column(prediction), rows.column(reference), strict=True)
    return tuple((key, str(given), str(right)) for key, given, right in columns if right is not None)


@primitive
def precision(
    rows: Rows,
    /,
    *,
    prediction: str = "response",
    reference: str = "reference",
    average: Literal["macro", "micro", "weighted"] = "macro",
    label: str | None = None,
) -> Statistic:
    """The share of predictions of a label that are right, for one label or averaged over all labels.

    Args:
        prediction: The JMESPath of the predicted label.
        reference: The JMESPath of the right label.
        average: Over labels equally (macro), over records (micro), or over labels by how often they are right
            (weighted).
        label: Only this label counts.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> precision(rows).value(), precision(rows, label="a").value()
        (0.75, 0.5)
    """
    return LabelStatistic("precision", average, label, _pairs(rows, prediction, reference))


@primitive
def recall(
    rows: Rows,
    /,
    *,
    prediction: str = "response",
    reference: str = "reference",
    average: Literal["macro", "micro", "weighted"] = "macro",
    label: str | None = None,
) -> Statistic:
    """The share of records of a label that are predicted so, for one label or averaged over all labels.

    Args:
        prediction: The JMESPath of the predicted label.
        reference: The JMESPath of the right label.
        average: Over labels equally (macro), over records (micro), or over labels by how often they are right
            (weighted).
        label: Only this label counts.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> recall(rows).value(), recall(rows, label="b").value()
        (0.75, 0.5)
    """
    return LabelStatistic("recall", average, label, _pairs(rows, prediction, reference))


@primitive
def f1(
    rows: Rows,
    /,
    *,
    prediction: str = "response",
    reference: str = "reference",
    average: Literal["macro", "micro", "weighted"] = "macro",
    label: str | None = None,
) -> Statistic:
    """The harmonic mean of precision and recall of a label, for one label or averaged over all labels.

    Args:
        prediction: The JMESPath of the predicted label.
        reference: The JMESPath of the right label.
        average: Over labels equally (macro), over records (micro), or over labels by how often they are right
            (weighted).
        label: Only this label counts.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> round(f1(rows).value(), 4), round(f1(rows, average="micro").value(), 4)
        (0.6667, 0.6667)
    """
    return LabelStatistic("f1", average, label, _pairs(rows, prediction, reference))
