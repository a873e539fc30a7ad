"""Reading classification data sets from rows of any format, or from tables in memory.

One datum per row, ground truth and predictions in one file or two, joined by id:

    {"id": "a", "groundtruth": "cat", "predictions": {"cat": 0.9, "dog": 0.1}, "camera": "left"}
    {"id": "b", "groundtruth": {"animal": "cat", "colour": "grey"},
     "predictions": {"animal": ["cat", "dog"], "colour": ["grey"]}, "scores": {"animal": [0.9, 0.1], "colour": [1]}}

In flat tables, such as CSV, the ground truth has the columns `id` and `label` (and `key`, if data have several labels);
predictions have either `id`, `label`, `score` (and `key`), a row for each score, or `id` and one column of scores for
each label.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.files.classification_frames import read_frames
from scoring.extensions.vision.files.detection_files import ONLY
from scoring.extensions.vision.files.documents import Origin, read_placed_records
from scoring.extensions.vision.files.faults import Faults


@dataclass
class _Datum:
    """What was read so far about one datum: true labels and scored labels by label key, and attributes."""

    truth: dict[str, str]
    scores: dict[str, tuple[list[str], list[float]]] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)


# The labels of a datum under a key, with their scores; or an error message.
_Scored: TypeAlias = tuple[str, Sequence[str], Sequence[Any]] | str


def read_classification(
    ground_truth: Origin, predictions: Origin | None = None
) -> tuple[dict[str, Classifications], dict[str, dict[str, Any]]]:
    """Return a classification data set: a table for each label key (such as "colour"; data may have a label under
    each), and the attributes of each datum by id.

    Args:
        ground_truth: Rows of data with their true labels: a file of any format, or a table in memory.
        predictions: Rows of data with their predictions, if the ground truth's rows don't contain them.

    Raises:
        BrokenRecords: with every fault and its location.
        InputError: when a file can't be read.
    """
    whole = read_frames(ground_truth, predictions)
    if whole is not None:
        return {ONLY: whole[0]}, whole[1]
    faults = Faults()
    data: dict[str, _Datum] = {}
    for where, row in read_placed_records(ground_truth, "ground truth", faults):
        datum = _take_truth(where, row, data, faults)
        if datum is not None and predictions is None and "predictions" in row:
            _take_scores(where, datum, _of_row(row, datum), faults)
    for where, row in () if predictions is None else read_placed_records(predictions, "predictions", faults):
        _take_line(where, row, data, faults)
    faults.check()
    keys = list(dict.fromkeys(key for datum in data.values() for key in datum.truth)) or [ONLY]
    tables = {
        key: Classifications.from_data(
            Datum(uid, datum.truth[key], *datum.scores.get(key, ((), ())))
            for uid, datum in data.items()
            if key in datum.truth
        )
        for key in keys
    }
    return tables, {uid: datum.attributes for uid, datum in data.items()}


def _take_truth(where: str, row: Mapping[str, Any], data: dict[str, _Datum], faults: Faults) -> _Datum | None:
    truth = row.get("groundtruth", row.get("label"))
    if "id" not in row or truth in (None, "", {}):
        faults.add(where, "`id` is missing" if "id" not in row else "the true label is missing")
        return None
    uid = str(row["id"])
    if isinstance(truth, Mapping):
        labels = {str(key): str(label) for key, label in truth.items()}
    else:
        labels = {str(row.get("key") or ONLY): str(truth)}
    if uid not in data:
        skipped = {"id", "groundtruth", "label", "key", "predictions", "scores"}
        data[uid] = _Datum({}, attributes={key: value for key, value in row.items() if key not in skipped})
    elif data[uid].truth.keys() & labels:
        faults.add(where, f"duplicate id {uid!r}")
        return None
    data[uid].truth.update(labels)
    return data[uid]


def _take_line(where: str, row: Mapping[str, Any], data: dict[str, _Datum], faults: Faults) -> None:
    """Add the predictions in a row to its datum: those under `predictions`, a column of scores per label, or a single
    score.

    Args:
        where: The location of the row, for messages.
        row: The row.
        data: The data read so far by id.
        faults: The list to which faults of the row are added.
    """
    datum = data.get(str(row.get("id")))
    if "id" not in row:
        faults.add(where, "`id` is missing")
    elif datum is None:
        faults.add(where, f"unknown datum {row['id']!r}")
    elif "score" in row or "label" in row:
        found = (str(row.get("key") or ONLY), [str(row.get("label", ""))], [row.get("score")])
        _take_scores(where, datum, [found], faults)
    else:
        if datum.scores:
            faults.add(where, f"duplicate id {row['id']!r}")
        columns = {key: value for key, value in row.items() if key != "id" and value != ""}
        is_wide = "predictions" not in row and columns
        _take_scores(where, datum, [_of_key(ONLY, columns, None)] if is_wide else _of_row(row, datum), faults)


def _of_row(row: Mapping[str, Any], datum: _Datum) -> list[_Scored]:
    """Return, for each label key that the row has, a tuple of the key, the predicted labels and their scores, or an
    error message if these are malformed.
    """
    found, scores = row.get("predictions"), row.get("scores")
    if all(key == ONLY for key in datum.truth) or not isinstance(found, Mapping):
        return [_of_key(ONLY, found, scores)]
    own = scores if isinstance(scores, Mapping) else {}
    return [_of_key(str(key), labels, own.get(key)) for key, labels in found.items()]


def _of_key(key: str, found: Any, scores: Any) -> _Scored:
    if isinstance(found, Mapping):
        return key, list(map(str, found)), list(found.values())
    if not isinstance(found, list) or not isinstance(scores, list):
        return "`predictions` is a map of labels to scores, or a list of labels with a list `scores`"
    if len(found) != len(scores):
        return f"{len(found)} labels but {len(scores)} scores"
    return key, list(map(str, found)), scores


def _take_scores(where: str, datum: _Datum, scored: Iterable[_Scored], faults: Faults) -> None:
    for found in scored:
        if isinstance(found, str):
            faults.add(where, found)
            continue
        key, labels, scores = found
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
    """Return a score as a finite number, from a number or a string (as in a CSV file); None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
