"""Confusion matrix of a classification data set with example ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.vision.arrays import Ints, starts_of_runs
from scoring.vision.cells import CELLS, Confusion, Examples, KeptExample, first_examples
from scoring.vision.classification.table import Classifications
from scoring.vision.draws import Share

#: Scores up to this are no positives where zero is ignored; counts have another bound (`counts.TINY`), as published.
ZERO = 1e-9


def confusion(
    table: Classifications, *, threshold: float, hard_max: bool, ignore_zero: bool, max_examples: int | None = 0
) -> Confusion:
    """Count which labels are taken for which."""
    rows = positive_rows(table, threshold, hard_max, ignore_zero)
    datum, label = table.row_datum[rows], table.row_label[rows]
    width = len(table.labels)
    cell = table.truth[datum] * width + label
    matrix = np.bincount(cell, minlength=width * width).reshape(width, width)
    lonely = np.ones(len(table), dtype=np.bool_)
    lonely[datum] = False
    unmatched = np.bincount(table.truth[lonely], minlength=width)[None]
    examples: Examples = {}
    if max_examples != 0:
        _add_pairs(examples, table, rows, cell, max_examples)
        _add_lonely(examples, table, np.flatnonzero(lonely), max_examples)
    right = Share.of(table.order, datum[table.truth[datum] == label], datum)
    return Confusion(table.labels, matrix, unmatched, examples, max_examples, right)


def positive_rows(table: Classifications, threshold: float, hard_max: bool, ignore_zero: bool) -> Ints:
    """The rows that are positives; of a label that a datum lists twice, the one that scores highest."""
    rows = table.best_rows() if hard_max else np.arange(table.row_score.size)
    score = table.row_score[rows]
    rows = rows[(score >= threshold) & ((score > ZERO) | (not ignore_zero))]
    key = table.pair_keys()[rows]
    ranked = np.lexsort((-table.row_score[rows], key))
    return np.sort(rows[ranked[starts_of_runs(key[ranked])]])


def outcomes_by_datum(
    table: Classifications, *, threshold: float, hard_max: bool, ignore_zero: bool
) -> list[dict[str, Any]]:
    """Which labels of each datum are true positives, false positives and false negatives."""
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


def _add_pairs(examples: Examples, table: Classifications, rows: Ints, cell: Ints, limit: int | None) -> None:
    names, width = table.labels.names, len(table.labels)
    order = np.argsort(cell, kind="stable")
    starts = starts_of_runs(cell[order])
    for chosen in np.split(order, starts[1:]) if order.size else []:
        true, predicted = divmod(int(cell[chosen[0]]), width)
        found: list[KeptExample] = []
        for row in rows[chosen].tolist():
            datum = int(table.row_datum[row])
            what = {"datum_id": table.ids[datum], "score": float(table.row_score[row])}
            found.append(((int(table.order[datum]), row), what))
        examples[CELLS[0], names[true], names[predicted]] = first_examples(found, limit)


def _add_lonely(examples: Examples, table: Classifications, data: Ints, limit: int | None) -> None:
    names = table.labels.names
    for label in np.unique(table.truth[data]).tolist():
        chosen = data[table.truth[data] == label].tolist()
        found: list[KeptExample] = [((int(table.order[i]),), {"datum_id": table.ids[i]}) for i in chosen]
        examples[CELLS[1], names[label]] = first_examples(found, limit)
