"""Confusion matrix of a classification data set, with example ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.extensions.vision.arrays import Ints, first_of_each
from scoring.extensions.vision.cells import CELLS, Confusion, NotedExample, kept_examples
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.draws import Share

#: With `ignore_zero`, scores up to this are not positives; counts use another limit (`counts.TINY`), as published.
ZERO = 1e-9


def confusion(
    table: Classifications, *, threshold: float, hard_max: bool, ignore_zero: bool, max_examples: int | None = 0
) -> Confusion:
    """Return the confusion matrix of true labels and of the labels that are predicted at a score threshold.

    Args:
        table: The data.
        threshold: A label is predicted if its score reaches this value.
        hard_max: Whether only the highest-scored label of a datum may be predicted.
        ignore_zero: Whether a label with score 0 is never predicted.
        max_examples: The maximum number of examples per cell; None for all.
    """
    rows = positive_rows(table, threshold, hard_max, ignore_zero)
    datum, label = table.row_datum[rows], table.row_label[rows]
    width = len(table.labels)
    matrix = np.bincount(table.truth[datum] * width + label, minlength=width * width).reshape(width, width)
    lonely = np.flatnonzero(np.bincount(datum, minlength=len(table)) == 0)
    unmatched = np.bincount(table.truth[lonely], minlength=width)[None]
    examples = kept_examples(_examples(table, rows, lonely, max_examples), max_examples)
    right = Share.of(table.order, datum[table.truth[datum] == label], datum)
    return Confusion(table.labels, matrix, unmatched, examples, max_examples, right)


def positive_rows(table: Classifications, threshold: float, hard_max: bool, ignore_zero: bool) -> Ints:
    """Return the indices of the rows (scored labels) that count as predicted; of a label that a datum lists twice, only
    the highest-scoring row. The settings are those of `confusion`.
    """
    rows = table.best_rows() if hard_max else np.arange(table.row_score.size)
    score = table.row_score[rows]
    return table.best_of_repeats(rows[(score >= threshold) & ((score > ZERO) | (not ignore_zero))])


def outcomes_by_datum(
    table: Classifications, *, threshold: float, hard_max: bool, ignore_zero: bool
) -> list[dict[str, Any]]:
    """Return, for each datum, its id and its labels that are true positives, false positives and false negatives. The
    settings are those of `confusion`.
    """
    names = table.labels.names
    found: list[dict[str, Any]] = [
        {"datum_id": uid, "true_positives": [], "false_positives": [], "false_negatives": [names[true]]}
        for uid, true in zip(table.ids, table.truth.tolist(), strict=True)
    ]
    rows = positive_rows(table, threshold, hard_max, ignore_zero)
    for datum, label in zip(table.row_datum[rows].tolist(), table.row_label[rows].tolist(), strict=True):
        if label == table.truth[datum]:
            found[datum]["true_positives"].append(names[label])
            found[datum]["false_negatives"].clear()
        else:
            found[datum]["false_positives"].append(names[label])
    return found


def _examples(table: Classifications, rows: Ints, lonely: Ints, limit: int | None) -> Iterator[NotedExample]:
    names, order, truth = table.labels.names, table.order, table.truth
    data, labels = table.row_datum[rows], table.row_label[rows]
    for at in first_of_each(truth[data] * len(names) + labels, order[data], limit):
        row, datum = int(rows[at]), data[at]
        what = {"datum_id": table.ids[datum], "score": float(table.row_score[row])}
        yield (CELLS[0], names[truth[datum]], names[labels[at]]), ((int(order[datum]), row), what)
    for datum in lonely[first_of_each(truth[lonely], order[lonely], limit)].tolist():
        yield (CELLS[1], names[truth[datum]]), ((int(order[datum]),), {"datum_id": table.ids[datum]})
