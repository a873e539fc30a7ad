"""Data sets of images have the same figures from every form of their rows, whatever stands for what is not there."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.data.file import InputFile
from tests.support.formats import Records, arrow_table, ipc, json_lines, parquet

BOX = [1.0, 1.0, 5.0, 5.0]
DETECTION: Records = [
    {"id": "a", "weather": "rain", "groundtruth": [{"label": "cat", "bbox": BOX}], "predictions": []},
    {
        "id": "b",
        "groundtruth": [{"label": "cat", "bbox": BOX, "iscrowd": 0}, {"label": "dog", "bbox": BOX}],
        "predictions": [{"label": "cat", "score": 0.5, "bbox": BOX}, {"label": "dog", "score": 0.75, "bbox": BOX}],
    },
]
CLASSIFICATION: Records = [
    {"id": "a", "groundtruth": "x", "predictions": {"x": 0.75, "y": 0.25}, "weather": "rain"},
    {"id": "b", "groundtruth": "y", "predictions": {"x": 1.0}},
    {"id": "c", "groundtruth": "z", "predictions": {"z": 0.5, "y": 0.125}, "weather": "sun"},
]
TASKS = {
    "detection": (DETECTION, ["detection_ap", "detection_ar"]),
    "classification": (CLASSIFICATION, ["label_report", "label_roc_auc"]),
}


def padded(value: Any, like: Any, nothing: Any) -> Any:
    """The value with all the keys that its neighbours have."""
    if isinstance(value, dict):
        keys = dict.fromkeys(key for one in like if isinstance(one, dict) for key in one)
        return {
            key: padded(value[key], [one[key] for one in like if isinstance(one, dict) and key in one], nothing)
            if key in value
            else nothing
            for key in keys
        }
    if isinstance(value, list):
        return [padded(item, [item for one in like for item in one], nothing) for item in value]
    return value


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(numbers, value))
    return np.float64(value) if isinstance(value, float) else value


def all_padded(records: Records, nothing: Any) -> Records:
    return [padded(record, records, nothing) for record in records]


FORMS: dict[str, Callable[[Records], Any]] = {
    "JSON Lines with nulls": lambda records: InputFile("a.jsonl", json_lines(all_padded(records, None))),
    "JSON": lambda records: InputFile("a.json", json.dumps({"records": records}).encode()),
    "Parquet": lambda records: InputFile("a.parquet", parquet(arrow_table(records))),
    "Feather": lambda records: InputFile("a.feather", ipc(arrow_table(records))),
    "Arrow": arrow_table,
    "pandas": lambda records: pytest.importorskip("pandas").DataFrame(records),
    "pandas of Arrow": lambda records: arrow_table(records).to_pandas(),
    "polars": lambda records: pytest.importorskip("polars").from_arrow(arrow_table(records)),
    "a list": lambda records: records,
    "a list with None": lambda records: all_padded(records, None),
    "a list with NaN": lambda records: all_padded(records, math.nan),
    "a list with NA": lambda records: all_padded(records, pytest.importorskip("pandas").NA),
    "NumPy's numbers": lambda records: [numbers(record) for record in records],
}


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("form", FORMS)
def test_images_have_the_same_figures_from_every_form(kind: str, form: str) -> None:
    records, metrics = TASKS[kind]
    spec = {"kind": "task", "name": "t", "records": kind, "metrics": metrics, "by": ["weather"]}
    task = scoring.load(spec)
    lines = InputFile("a.jsonl", json_lines(records))
    found, wanted = (task.evaluate(references=data).to_json() for data in (FORMS[form](records), lines))
    told = [json.dumps({k: v for k, v in one.items() if k != "inputs"}, sort_keys=True) for one in (found, wanted)]
    assert told[0] == told[1]
