"""Reading classification data sets from two data frames by columns, where all their rows are alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.extensions.vision.arrays import Ints
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.files.documents import Origin
from scoring.extensions.vision.vocabulary import Collector
from scoring.registry.extension import service

#: Columns of the ground truth that are neither the id and the label nor attributes.
OTHER_FORMS = frozenset({"groundtruth", "key", "predictions", "scores"})


def read_frames(ground_truth: Origin, predictions: Origin) -> tuple[Classifications, dict[str, dict[str, Any]]] | None:
    """Return the table of two data frames, one with ids and true labels, one with a column of scores for each label,
    and the attributes of each datum by id; None for anything else, or if a row is missing, odd or broken.

    What is returned is what reading row by row would give.
    """
    if not (hasattr(ground_truth, "columns") and hasattr(predictions, "columns")):
        return None
    read = service("tables-in-memory", "a data frame").columns_of_frame
    truth, scores = read(ground_truth), read(predictions)
    if truth is None or scores is None or not truth.keys() >= {"id", "label"} or truth.keys() & OTHER_FORMS:
        return None
    if scores.keys() & {"score", "label", "predictions"} or len(scores) < 2 or type(scores.get("id")) is not list:
        return None
    ids, labels = truth.pop("id"), truth.pop("label")
    if type(ids) is not list or type(labels) is not list or "" in labels:
        return None
    order = _order(ids, scores.pop("id"))
    if order is None or any(type(column) is list for column in scores.values()):
        return None
    attributes = [column if type(column) is list else column.tolist() for column in truth.values()]
    rows = zip(*attributes, strict=True) if attributes else [()] * len(ids)
    named = {uid: dict(zip(truth, row, strict=True)) for uid, row in zip(ids, rows, strict=True)}
    return _table(ids, labels, list(scores), np.column_stack(list(scores.values()))[order]), named


def _order(ids: list[str], others: list[str]) -> Ints | None:
    """Return the index in `others` of each id; None if the two are not the same ids, each once."""
    place = {uid: index for index, uid in enumerate(others)}
    if not len(ids) == len(others) == len(place) or place.keys() != set(ids):
        return None
    return np.array([place[uid] for uid in ids], dtype=np.int64)


def _table(ids: list[str], labels: list[str], names: list[str], scores: Any) -> Classifications:
    collector = Collector()
    first = collector.number(labels[0], 0, 0)
    columns = [collector.number(name, 0, position) for position, name in enumerate(names, start=1)]
    truth = [first, *(collector.number(label, place, 0) for place, label in enumerate(labels[1:], start=1))]
    return Classifications(
        tuple(ids),
        np.arange(len(ids), dtype=np.int64),
        np.array(truth, dtype=np.int64),
        np.repeat(np.arange(len(ids), dtype=np.int64), len(names)),
        np.tile(np.array(columns, dtype=np.int64), len(ids)),
        np.ascontiguousarray(scores).ravel(),
        collector.vocabulary(),
    )
