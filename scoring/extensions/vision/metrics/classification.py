"""Data-set metrics of classification. `docs/vision.md` describes how the published rules differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from scoring.extensions.vision.metrics import CURVE
from scoring.extensions.vision.metrics.statistic import MetricState, VisionStatistic, share_statistic
from scoring.registry import AtLeast, primitive
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.extensions.vision.classification.table import Classifications
else:
    from scoring.extensions.vision.metrics import Classifications


@primitive(better="higher", uses=("numpy",), revision=2, topics=("labels",), aka=("classification report",))
def label_report(
    table: Classifications,
    /,
    *,
    thresholds: Sequence[float] | None = None,
    hard_max: bool = True,
    counting: Literal["one_vs_rest", "listed_pairs"] = "one_vs_rest",
    undefined: float = 0.0,
) -> Statistic:
    """Return precision, recall, F1, accuracy and counts per label at score thresholds.

    The headline is the accuracy at the first threshold.

    Args:
        thresholds: A label is a positive if its score reaches the threshold; if not given, whatever its score.
        hard_max: Only the highest-scored label of a datum may be a positive.
        counting: Whether each label is a separate question about all data, or is counted only for data that list it.
        undefined: The value of a ratio whose denominator is 0.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> data = [Datum("a", "cat", ["cat", "dog"], [0.9, 0.1]), Datum("b", "dog", ["cat"], [0.6])]
        >>> label_report(Classifications.from_data(data)).value()
        0.5

    Source:
        Valor metrics document, classification metrics.
    """

    from scoring.extensions.vision.arrays import some
    from scoring.extensions.vision.classification.counts import Counts, count, right_data
    from scoring.extensions.vision.draws import Share

    steps = (-math.inf,) if thresholds is None else some(thresholds)

    def tables(counts: Counts) -> dict[str, Any]:
        return {
            "thresholds": [None if math.isinf(step) else step for step in steps],
            "accuracy": [counts.accuracy(place) for place in range(len(steps))],
            "labels": [counts.at(place, undefined) for place in range(len(steps))],
        }

    found = count(table, thresholds=steps, hard_max=hard_max, counting=counting)
    right = right_data(table, steps[0], hard_max=hard_max, counting=counting)
    share = Share.of(table.order, right, np.arange(len(table)))
    # With `listed_pairs`, a label that is listed twice may count twice, so the accuracy is not a proportion.
    return share_statistic(
        MetricState(table.ids, table.order, found, share), tables, proportion=counting == "one_vs_rest"
    )


@primitive(better="higher", uses=("numpy",), topics=("labels",), aka=("precision recall curve",))
def label_curve(
    table: Classifications, /, *, thresholds: Sequence[float] = CURVE, undefined: float = -1.0
) -> Statistic:
    """Return counts, precision, recall, F1 and accuracy of each label over score thresholds.

    The headline is the largest mean F1 over the labels. The table is also known as PrecisionRecallCurve.

    Args:
        thresholds: Score thresholds.
        undefined: The value of a ratio whose denominator is 0.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> data = [Datum("a", "cat", ["cat"], [0.9])]
        >>> label_curve(Classifications.from_data(data), thresholds=[0.5]).value()
        1.0

    Source:
        Valor metrics document, precision-recall curves, classification tasks.
    """
    from scoring.extensions.vision.arrays import best_mean, some
    from scoring.extensions.vision.classification.counts import (
        Counts,
        best_f1_of_resampled_labels,
        count,
        precision_recall_f1,
    )
    from scoring.extensions.vision.classification.table import ScoredLabels

    def tables(counts: Counts) -> dict[str, Any]:
        columns = {name: getattr(counts, name) for name in ("tp", "fp", "fn", "tn")}
        ratios = precision_recall_f1(counts.tp, counts.fp, counts.fn, undefined)
        columns |= zip(("precision", "recall", "f1_score"), ratios, strict=True)
        columns["accuracy"] = (counts.tp + counts.tn) / max(counts.data, 1)
        return {
            "thresholds": list(counts.thresholds),
            "labels": {
                label: {name: values[:, place].tolist() for name, values in columns.items()}
                for place, label in enumerate(counts.labels.names)
            },
        }

    def best_f1(counts: Counts) -> float:
        return best_mean(precision_recall_f1(counts.tp, counts.fp, counts.fn)[2])

    table = table.without_repeats()
    found = count(table, thresholds=some(thresholds), hard_max=False, counting="one_vs_rest")
    state = MetricState(table.ids, table.order, found, ScoredLabels.of(table))
    return VisionStatistic(
        state, best_f1, tables, lambda kept, draws: best_f1_of_resampled_labels(kept, draws, thresholds)
    )


@primitive(better="higher", uses=("numpy",), topics=("labels", "probabilities"), aka=("multi-class auc",))
def label_roc_auc(table: Classifications, /, *, unlisted: Literal["rank_last", "leave_out"] = "rank_last") -> Statistic:
    """Return the area under the ROC curve per label; the headline is their mean.

    Args:
        unlisted: Whether a datum that does not list a label ranks last for it, or is left out of the label's curve.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> data = [Datum("a", "cat", ["cat", "dog"], [0.9, 0.1]), Datum("b", "dog", ["cat", "dog"], [0.6, 0.4])]
        >>> label_roc_auc(Classifications.from_data(data)).value()
        1.0

    Source:
        Valor metrics document, binary ROC AUC.
    """
    from scoring.extensions.vision.classification.roc import RocScores, drawn_auc, roc_scores

    def mean(scores: RocScores) -> float:
        value = scores.result()["mean"]
        return math.nan if value is None else value

    state = MetricState(table.ids, table.order, roc_scores(table, unlisted=unlisted))
    return VisionStatistic(state, mean, lambda scores: scores.result(), drawn_auc)


@primitive(better="neither", uses=("numpy",), revision=2, topics=("labels",), aka=("confusion matrix",))
def label_confusion(
    table: Classifications,
    /,
    *,
    threshold: float | None = None,
    hard_max: bool = True,
    ignore_zero: bool = False,
    max_examples: Annotated[int, AtLeast(0)] = 1,
) -> Statistic:
    """Return the confusion matrix of labels, with example ids; the headline is the share of positives that are right.

    Args:
        threshold: A label is a positive if its score reaches the threshold; if not given, whatever its score.
        hard_max: Only the highest-scored label of a datum may be a positive.
        ignore_zero: A score of 0 is never a positive.
        max_examples: The maximum number of examples per cell.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> found = label_confusion(Classifications.from_data([Datum("a", "cat", ["dog"], [0.9])]), max_examples=0)
        >>> found.details()["confusion_matrix"]
        {'cat': {'dog': {'count': 1}}}

    Source:
        Valor, confusion matrix of classification.
    """
    from scoring.extensions.vision.classification.confusion import confusion

    found = confusion(
        table,
        threshold=-math.inf if threshold is None else threshold,
        hard_max=hard_max,
        ignore_zero=ignore_zero,
        max_examples=max_examples,
    )
    return share_statistic(MetricState(table.ids, table.order, found, found.right))


@primitive(better="neither", uses=("numpy",), topics=("labels",))
def label_examples(
    table: Classifications,
    /,
    *,
    threshold: float | None = None,
    hard_max: bool = True,
    ignore_zero: bool = False,
    limit: Annotated[int, AtLeast(1)] | None = None,
    offset: Annotated[int, AtLeast(0)] = 0,
) -> Statistic:
    """Return the labels of each datum that are found, wrong and missed; the headline is the share that are right.

    Args:
        threshold: A label is a positive if its score reaches the threshold; if not given, whatever its score.
        hard_max: Only the highest-scored label of a datum may be a positive.
        ignore_zero: A score of 0 is never a positive.
        limit: The maximum number of data to show; all if not given.
        offset: The number of data to skip before.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> found = label_examples(Classifications.from_data([Datum("a", "cat", ["dog"], [0.9])]))
        >>> found.details()["data"]
        [{'datum_id': 'a', 'true_positives': [], 'false_positives': ['dog'], 'false_negatives': ['cat']}]

    Source:
        Valor, Examples of classification.
    """
    from scoring.extensions.vision.cells import ItemExamples
    from scoring.extensions.vision.classification.confusion import confusion, outcomes_by_datum

    least = -math.inf if threshold is None else threshold
    items = outcomes_by_datum(table, threshold=least, hard_max=hard_max, ignore_zero=ignore_zero)
    right = confusion(table, threshold=least, hard_max=hard_max, ignore_zero=ignore_zero).right
    found = ItemExamples(tuple(zip(table.order.tolist(), items, strict=True)), limit, offset, right)
    return share_statistic(MetricState(table.ids, table.order, found, right))


@primitive(better="neither", uses=("numpy",), topics=("labels",))
def label_errors(
    table: Classifications, /, *, thresholds: Sequence[float] = CURVE, max_examples: Annotated[int, AtLeast(0)] = 1
) -> Statistic:
    """Return the kinds of errors of each label over score thresholds, with example ids.

    The headline is the share of missed labels for which another label was predicted, at the first threshold. The table
    is also known as DetailedPrecisionRecallCurve.

    Args:
        thresholds: Score thresholds.
        max_examples: The maximum number of examples per kind, label and threshold.

    Examples:
        >>> from scoring.extensions.vision.classification.table import Classifications, Datum
        >>> data = [Datum("a", "cat", ["dog"], [0.9])]
        >>> label_errors(Classifications.from_data(data), thresholds=[0.5]).value()
        1.0

    Source:
        Valor metrics document, DetailedPrecisionRecallCurve, classification tasks.
    """
    from scoring.extensions.vision.arrays import some
    from scoring.extensions.vision.classification.detailed import detailed_curve

    found = detailed_curve(table, thresholds=some(thresholds), max_examples=max_examples)
    return share_statistic(MetricState(table.ids, table.order, found, found.headline))
