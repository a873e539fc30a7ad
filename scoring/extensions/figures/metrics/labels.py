"""Precision, recall and F1 of predicted labels, over one label or averaged over all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from scoring.extensions.figures.pairs import Pairs, PairStatistic, marginals, pairs_of
from scoring.metrics.summary import AnsweredField, NotCounted, PredictionPath, ReferencePath, counting
from scoring.registry import variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, missing_details

LabelFigure: TypeAlias = Callable[[Any, Any, Any], tuple[Any, Any]]
"""From a label's hits, predictions and occurrences in the references: numerator and denominator of its figure."""

Average: TypeAlias = Literal["macro", "micro", "weighted"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelStatistic(PairStatistic):
    """The statistic of a figure of labels (precision, recall or F1), computed from the pairs of predicted and correct
    label.
    """

    figure: LabelFigure
    average: Average
    label: str | None
    of_shares = True

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the figure for each row of ``counts``, which states how often each pair of labels in ``units``
        occurs.
        """
        answers, right = units.astype(int).T
        same = answers == right
        size, chosen = len(self.labels), self._chosen
        hits = marginals(counts[:, same], answers[same], size)[chosen]
        predicted, actual = (marginals(counts, side, size)[chosen] for side in (answers, right))
        if self.average == "micro":
            hits, predicted, actual = (part.sum(axis=0, keepdims=True) for part in (hits, predicted, actual))
        figures = divide(*self.figure(hits, predicted, actual), empty=0.0)
        if self.average == "weighted":
            return divide((figures * actual).sum(axis=0), actual.sum(axis=0), empty=0.0)
        # A label that occurs on neither side of a resample is left out of its mean.
        present = (predicted + actual) > 0
        return divide((figures * present).sum(axis=0), present.sum(axis=0).astype(np.float64), empty=0.0)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return how much each pair of labels in ``units`` adds to the denominator of the figure.

        ``counts`` states how often each pair occurs. If the figure is a mean over labels, it is the sum of the
        labels' denominators, weighted as in the mean.
        """
        answers, right = units.astype(int).T
        size, chosen = len(self.labels), self._chosen
        predicted, actual = (marginals(counts[None].astype(float), side, size)[:, 0] for side in (answers, right))
        _, below = self.figure(0.0, predicted, actual)
        share = np.zeros(size)
        share[chosen] = actual[chosen] if self.average == "weighted" else 1.0
        if self.average != "micro":
            share = divide(share, below, empty=0.0)
        return sum(
            self.figure(0.0, *which)[1] * share[side] for which, side in (((1.0, 0.0), answers), ((0.0, 1.0), right))
        )

    @property
    def is_share_of_some(self) -> bool:
        """True if the figure is a share of only the answers, or only the records, that have one given label."""
        below = [self.figure(0.0, *side)[1] for side in ((1.0, 0.0), (0.0, 1.0))]
        return self.label is not None and self.average == "macro" and 0.0 in below

    @property
    def remark(self) -> str | None:
        """A warning if all labels count the same but have few records each, so that some may have none at all; else
        None.
        """
        few = self.label is None and self.average == "macro" and self.count < _FEWEST_OF_LABEL * len(self.labels)
        return "few records of a label, so it may cover more or less" if few else None

    @property
    def _chosen(self) -> list[int]:
        """The indices of the labels over which the figure is computed: that of `label` if it is given, else all."""
        wanted = {label_of(self.label), label_of((self.label or "").removesuffix(".0"))}  # whole numbers have no point
        return [place for place, name in enumerate(self.labels) if self.label is None or name in wanted]

    def details(self) -> dict[str, Any]:
        """Return how many labels there are, how many records do not count, and why; of a few labels also how often
        each was taken for which, under `confusion_matrix`, by the correct and then by the predicted label.
        """
        return {"labels": len(self.labels), **missing_details(self.missing), **self._confusion()}

    def _confusion(self) -> dict[str, Any]:
        labels, pairs, counts = self._counted()
        if not 2 <= len(labels) <= _MOST_CONFUSED:
            return {}
        names = [label[1:] if label else "(none)" for label in labels]
        found: dict[str, dict[str, Any]] = {name: {} for name in names}
        for (answer, right), count in zip(pairs.tolist(), counts.tolist(), strict=True):
            found[names[right]][names[answer]] = {"count": int(count)}
        return {"confusion_matrix": found}


_MISSING = ""
_MOST_CONFUSED = 20
_FEWEST_OF_LABEL = 5
_MOST_BITS = 10_000
_LONGEST = 1_000


def label_of(value: Any) -> str:
    """Return a string that identifies the label `value`; None, a missing label, differs from all others, including
    "None", and a whole number is the same label with a decimal point, as 1 equals 1.0.
    """
    if value is None:
        return _MISSING
    value = int(value) if type(value) is float and value.is_integer() else value
    # Python refuses to print integers of thousands of digits in decimal, but not in hexadecimal.
    text = f"={value:#x}" if type(value) is int and value.bit_length() > _MOST_BITS else f"={value}"
    if len(text) <= _LONGEST:
        return text
    # Each label is kept until the end of the run: a digest is enough to distinguish a label that is a whole answer.
    return f"#{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


class _Labels(dict[str, str]):
    """A cache of the labels that `label_of` returns for strings: a data set has few labels, each of them many times."""

    def __missing__(self, text: str) -> str:
        self[text] = label = label_of(text)
        return label

    def of(self, value: Any) -> str:
        return self[value] if type(value) is str else label_of(value)

    def column(self, values: Sequence[Any]) -> list[str]:
        return list(map(self.__getitem__ if set(map(type, values)) == {str} else self.of, values))


def label_pairs(
    rows: Rows, prediction: str | None, reference: str | None, field: str | None
) -> tuple[Pairs, NotCounted]:
    """Return the pair of predicted and correct label of each record, and how many records are left out for lack of a
    correct one.

    Args:
        rows: The records.
        prediction: The path of the predicted label; None for the usual one.
        reference: The path of the correct label; None for the usual one.
        field: The field (a part of the answer with its own score) that has both; None for the record itself.
    """
    answers, right = list(rows.predictions(prediction, field)), list(rows.references(reference, field))
    unknown = [value is None for value in right]
    _, missing = counting(rows, (unknown, "no right label"))
    labels = _Labels()
    if not any(unknown):
        return pairs_of(rows.ids, labels.column(answers), labels.column(right)), missing
    # An answer without a correct label is not converted: it may not be a valid label.
    sides = (
        [None if out else labels.of(value) for out, value in zip(unknown, side, strict=True)]
        for side in (answers, right)
    )
    return pairs_of(rows.ids, *sides), missing


@variants(better="higher", range=(0.0, 1.0), revision=3)
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
    """Return the statistic of a label metric such as precision, whose numerator and denominator `figure` returns.

    Records that lack the correct label are left out. An answer that is missing or did not parse counts as a separate
    label.

    Args:
        average: How labels are averaged: all equally (macro), by counts summed over all labels (micro), or by how
            often each is the correct label (weighted).
        label: The only label that counts; by default all do.
    """
    pairs, missing = label_pairs(rows, prediction, reference, field)
    return LabelStatistic((pairs,), figure, average, label, missing=missing)


@_of_labels.declare(topics=("labels",), aka=("label precision", "macro precision", "micro precision"))
def precision(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """Compute the share of predictions of a label that are correct, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> precision(rows).value(), precision(rows, label="a").value()
        (0.75, 0.5)
    """
    return hits, predicted


@_of_labels.declare(topics=("labels",), aka=("sensitivity", "true positive rate", "label recall"))
def recall(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """Compute the share of records with a label that are predicted as such, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> recall(rows).value(), recall(rows, label="b").value()
        (0.75, 0.5)
    """
    return hits, actual


@_of_labels.declare(topics=("labels",), aka=("f1 score", "macro f1", "micro f1", "weighted f1"))
def f1(hits: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
    """Compute the harmonic mean of precision and recall of a label, for one label or averaged over all labels.

    Examples:
        >>> rows = Rows.of_scores([1, 0, 1], response=["a", "a", "b"], reference=["a", "b", "b"])
        >>> round(f1(rows).value(), 4), round(f1(rows, average="micro").value(), 4)
        (0.6667, 0.6667)
    """
    return 2.0 * hits, predicted + actual
