"""Whatever stands at a place of a data set of images or labels, it is scored, or refused with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import scoring

Place: TypeAlias = tuple[Any, ...]

HOSTILE: tuple[Any, ...] = (None, True, -1, 1.5, 1e200, 10**30, "x", [], {"a": 1}, [[1]])
MASK = {"size": [4, 5], "counts": [0, 4, 16]}
FORMS: dict[str, tuple[str, str, list[str], list[Any]]] = {
    "label maps": (
        "segmentation",
        "pixel_report",
        ["road"],
        [
            {"id": "a", "height": 2, "width": 2, "groundtruth": {"road": {"size": [2, 2], "counts": [0, 1, 3]}},
             "prediction": [[0, 1], [1, 0]]},
            {"id": "b", "height": 2, "width": 2, "groundtruth": [[0, 1], [1, 1]],
             "prediction": {"road": {"size": [2, 2], "counts": "04"}}},
        ],
    ),
    "boxes": (
        "detection",
        "detection_ap",
        ["cat", "dog"],
        [
            {"id": "a", "height": 9, "width": 9,
             "groundtruth": [{"label": "cat", "bbox": [0, 0, 2, 2], "iscrowd": 0, "area": 4.0}],
             "predictions": [{"labels": ["cat", "dog"], "scores": [0.5, 0.2], "bbox": [0, 0, 2, 3]}]},
        ],
    ),
    "outlines": (
        "detection",
        "detection_ap",
        ["cat"],
        [
            {"id": "a", "height": 4, "width": 5,
             "groundtruth": [{"label": "cat", "segmentation": [[0, 0, 2, 0, 2, 2]]}],
             "predictions": [{"label": "cat", "rbox": [1, 1, 2, 2, 45], "score": 0.5},
                             {"label": "cat", "segmentation": MASK, "score": 0.5}]},
        ],
    ),
    "masks": (
        "detection",
        "detection_ap",
        ["cat"],
        [
            {"id": "a", "height": 4, "width": 5,
             "groundtruth": [{"label": "cat", "segmentation": MASK}],
             "predictions": [{"label": "cat", "segmentation": MASK, "score": 0.5}]},
        ],
    ),
    "labels": (
        "classification",
        "label_report",
        ["cat", "dog"],
        [
            {"id": "a", "groundtruth": "cat", "predictions": {"cat": 0.5, "dog": 0.25}},
            {"id": "b", "groundtruth": "dog", "predictions": ["cat", "dog"], "scores": [0.5, 0.25]},
        ],
    ),
}  # fmt: skip


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    for key, held in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*above, key)
        yield from places(held, (*above, key))


def replaced(data: list[Any], place: Place, value: Any) -> list[Any]:
    changed: Any = deepcopy(data)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    return changed


@pytest.mark.parametrize("form", FORMS)
def test_every_place_may_hold_anything(form: str, tmp_path: Path) -> None:
    records, metric, labels, data = FORMS[form]
    spec = {"kind": "task", "name": "t", "version": "1.0.0", "records": records, "metrics": [metric], "labels": labels}
    file = tmp_path / "data.jsonl"
    told = []
    scored = 0
    for place in places(data):
        for value in HOSTILE:
            file.write_text("".join(json.dumps(line) + "\n" for line in replaced(data, place, value)))
            try:
                scoring.evaluate(spec, references=file)
                scored += 1
            except scoring.InputError as error:
                told.append(str(error))
    assert [one for one in told if "data.jsonl" not in one] == []
    assert len(told) > scored > 0
