"""Classification data sets as rows of any format, or tables in memory.

One datum a row, ground truth and predictions in one file or two, joined by id:

    {"id": "a", "groundtruth": "cat", "predictions": {"cat": 0.9, "dog": 0.1}, "camera": "left"}
    {"id": "b", "groundtruth": {"animal": "cat", "colour": "grey"},
     "predictions": {"animal": ["cat", "dog"], "colour": ["grey"]}, "scores": {"animal": [0.9, 0.1], "colour": [1]}}

As flat tables, such as CSV: the ground truth has the columns `id` and `label` (and `key`, if data have several labels);
predictions either `id`, `label`, `score` (and `key`), a row for each score, or `id` and one column of scores for each
label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from scoring.data.sets.detection_lines import ONLY
from scoring.data.sets.documents import Source, records_of
from scoring.data.sets.faults import Faults
from scoring.late import dataclass
from scoring.vision.classification.table import Classifications, Datum


@dataclass
class _Datum:
    """What is known of one datum so far."""

    where: str
    truth: dict[str, str]
    scores: dict[str, tuple[list[str], list[float]]] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ClassificationFiles:
    """Tables by label key, and the attributes of the data by id."""

    tables: dict[str, Classifications]
    attributes: dict[str, dict[str, Any]]


def read_classification(
    ground_truth: Source, predictions: Source | None = None, *, labels: Sequence[str] | None = None
) -> ClassificationFiles:
    """Read a classification data set, a table for each label key.

    Args:
        ground_truth: Rows of data with their true labels: a file of any format, or a table in memory.
        predictions: The same of the predictions, if they are not in the first.
        labels: A closed list of labels; any other is a fault.

    Raises:
        BrokenRecords: with every fault and its place.
        InputError: when a file can't be read.
    """
    faults = Faults()
    data: dict[str, _Datum] = {}
    for where, row in records_of(ground_truth, "ground truth", faults):
        _take_truth(where, row, data, predictions is None, faults)
    if predictions is not None:
        _take_file(predictions, data, faults)
    known = None if labels is None else set(labels)
    for datum in data.values() if known is not None else ():
        _check_labels(datum, known or set(), faults)
    faults.check()
    keys = list(dict.fromkeys(key for datum in data.values() for key in datum.truth)) or [ONLY]
    tables = {
        key: Classifications.from_data(
            (
                Datum(uid, datum.truth[key], *datum.scores.get(key, ((), ())))
                for uid, datum in data.items()
                if key in datum.truth
            ),
            labels,
        )
        for key in keys
    }
    return ClassificationFiles(tables, {uid: datum.attributes for uid, datum in data.items()})


def _take_truth(
    where: str, row: Mapping[str, Any], data: dict[str, _Datum], with_predictions: bool, faults: Faults
) -> None:
    truth = row.get("groundtruth", row.get("label"))
    if "id" not in row or truth in (None, "", {}):
        faults.add(where, "`id` is missing" if "id" not in row else "the true label is missing")
        return
    uid = str(row["id"])
    named = (
        {str(k): str(v) for k, v in truth.items()}
        if isinstance(truth, Mapping)
        else {str(row.get("key") or ONLY): str(truth)}
    )
    known = data.get(uid)
    if known is not None and (set(known.truth) & set(named)):
        faults.add(where, f"duplicate id {uid!r}")
        return
    if known is None:
        skipped = {"id", "groundtruth", "label", "key", "predictions", "scores"}
        data[uid] = known = _Datum(where, {}, attributes={k: v for k, v in row.items() if k not in skipped})
    known.truth.update(named)
    if with_predictions and "predictions" in row:
        _take_predictions(where, row, known, faults)


def _take_file(predictions: Source, data: dict[str, _Datum], faults: Faults) -> None:
    """Rows of a datum each, with `predictions` or a column of scores for each label; or rows of a score each."""
    for where, row in records_of(predictions, "predictions", faults):
        datum = data.get(str(row.get("id")))
        if "id" not in row:
            faults.add(where, "`id` is missing")
        elif datum is None:
            faults.add(where, f"unknown datum {row['id']!r}")
        elif "score" in row or "label" in row:
            _add(where, datum, str(row.get("key") or ONLY), [str(row.get("label", ""))], [row.get("score")], faults)
        else:
            if datum.scores:
                faults.add(where, f"duplicate id {row['id']!r}")
            _take_row(where, row, datum, faults)


def _take_row(where: str, row: Mapping[str, Any], datum: _Datum, faults: Faults) -> None:
    columns = {key: value for key, value in row.items() if key != "id" and value != ""}
    if "predictions" in row or not columns:
        _take_predictions(where, row, datum, faults)
    else:
        _add(where, datum, ONLY, list(columns), list(columns.values()), faults)


def _take_predictions(where: str, row: Mapping[str, Any], datum: _Datum, faults: Faults) -> None:
    found, scores = row.get("predictions"), row.get("scores")
    several = any(key != ONLY for key in datum.truth)
    if several and isinstance(found, Mapping):
        for key, labels in found.items():
            own = scores.get(key) if isinstance(scores, Mapping) else None
            _take_key(where, str(key), labels, own, datum, faults)
    else:
        _take_key(where, ONLY, found, scores, datum, faults)


def _take_key(where: str, key: str, found: Any, scores: Any, datum: _Datum, faults: Faults) -> None:
    if isinstance(found, Mapping):
        _add(where, datum, key, list(map(str, found)), list(found.values()), faults)
    elif isinstance(found, list) and isinstance(scores, list) and len(found) == len(scores):
        _add(where, datum, key, list(map(str, found)), scores, faults)
    elif isinstance(found, list) and isinstance(scores, list):
        faults.add(where, f"{len(found)} labels but {len(scores)} scores")
    else:
        faults.add(where, "`predictions` is a map of labels to scores, or a list of labels with a list `scores`")


def _add(where: str, datum: _Datum, key: str, labels: list[str], scores: Sequence[Any], faults: Faults) -> None:
    names, values = datum.scores.setdefault(key, ([], []))
    for label, score in zip(labels, scores, strict=True):
        number = _number(score)
        if number is None:
            what = "missing" if score is None else f"not a finite number: {score!r}"
            faults.add(where, f"the score of {label!r} is {what}")
        else:
            names.append(label)
            values.append(number)


def _number(value: Any) -> float | None:
    """A finite score; the cells of a CSV file are text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _check_labels(datum: _Datum, known: set[str], faults: Faults) -> None:
    used = [*datum.truth.values(), *(label for names, _ in datum.scores.values() for label in names)]
    for label in dict.fromkeys(used):
        if label not in known:
            faults.add(datum.where, f"unknown label {label!r}")
