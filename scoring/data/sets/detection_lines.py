"""Detection data sets as JSON Lines: one image a line, ground truths and predictions in one file or two.

    {"id": "a", "height": 480, "width": 640, "weather": "rain",
     "groundtruth": [{"id": 1, "label": "cat", "bbox": [10, 10, 50, 40]}],
     "predictions": [{"label": "cat", "score": 0.9, "bbox": [12, 10, 48, 41]}]}

Shapes are `bbox`, `rbox` (centre, size, degrees) or `segmentation` as in COCO. A label may be a map of label keys
to labels; each key is then evaluated by itself. A prediction may carry `labels` and `scores` lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.data.sets.coco import Names, table_of_coco
from scoring.data.sets.faults import Faults
from scoring.data.sets.json_text import read_json_lines
from scoring.vision.detection.table import Detections
from scoring.vision.geometry.shapes import Kind

#: The label key of data that has only one.
ONLY = "label"


def read_detection_lines(
    ground_truth: Path, predictions: Path | None = None, *, geometry: Kind | None = None, rasterise: bool = False
) -> dict[str, Detections]:
    """Read a detection data set, a table for each label key.

    Args:
        ground_truth: The file of images with their ground truths.
        predictions: The file with the predictions, if they are not in the first.
        geometry: The kind of shape to compare; default the least detailed kind present on either side.
        rasterise: Draw polygons into masks where masks are compared.
    """
    parts = lines_as_coco(ground_truth, predictions)
    return tables_of_lines(str(ground_truth), parts, geometry, rasterise)


Items = list[dict[str, Any]]
#: Images, annotations and their places, results and their places.
Parts = tuple[Items, Items, list[str], Items, list[str]]


def tables_of_lines(name: str, parts: Parts, geometry: Kind | None, rasterise: bool) -> dict[str, Detections]:
    """A table for each label key.

    Args:
        name: How faults name the data set.
        parts: What was read.
        geometry: The kind of shape to compare; default the least detailed kind present on either side.
        rasterise: Draw polygons into masks where masks are compared.
    """
    images, annotations, truth_places, found, found_places = parts
    tables = {}
    for key in label_keys([*annotations, *found]):
        truth, truth_where = _of_key(annotations, truth_places, key)
        rows, where = _of_key(found, found_places, key)
        form = {"images": images, "categories": _categories([*truth, *rows]), "annotations": truth}
        tables[key] = table_of_coco(form, rows, Names(name, truth_where, where), geometry, rasterise)
    return tables


def lines_as_coco(ground_truth: Path, predictions: Path | None) -> Parts:
    """Images, annotations and results in COCO's form, the last two with their places.

    Args:
        ground_truth: The file of images with their ground truths.
        predictions: The file with the predictions, if they are not in the first.
    """
    faults = Faults()
    images: dict[Any, dict[str, Any]] = {}
    annotations: list[dict[str, Any]] = []
    places: tuple[list[str], list[str]] = ([], [])
    found: list[dict[str, Any]] = []
    for where, line in read_json_lines(ground_truth):
        if not _is_image(line, where, faults):
            continue
        if line["id"] in images:
            faults.add(where, f"duplicate id {line['id']!r}")
        images[line["id"]] = {k: v for k, v in line.items() if k not in ("groundtruth", "predictions")}
        _take(line, "groundtruth", where, annotations, places[0], faults)
        if predictions is None:
            _take(line, "predictions", where, found, places[1], faults)
    for where, line in read_json_lines(predictions) if predictions is not None else ():
        if not _is_image(line, where, faults):
            continue
        if line["id"] not in images:
            faults.add(where, f"unknown image {line['id']!r}")
        _take(line, "predictions", where, found, places[1], faults)
    faults.check()
    return list(images.values()), annotations, places[0], found, places[1]


def _is_image(line: Any, where: str, faults: Faults) -> bool:
    if not isinstance(line, Mapping):
        faults.add(where, "a line is an object")
    elif "id" not in line:
        faults.add(where, "the id of the image is missing")
    else:
        return True
    return False


def _take(
    line: Mapping[str, Any], key: str, where: str, into: list[dict[str, Any]], places: list[str], faults: Faults
) -> None:
    items = line.get(key, [])
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        faults.add(where, f"`{key}` is a list of objects")
        return
    for number, item in enumerate(items):
        if "label" not in item and "labels" not in item:
            faults.add(f"{where}: {key}[{number}]", "`label` is missing")
            continue
        into.append({**item, "image_id": line["id"]})
        places.append(f"{where}: {key}[{number}]")


def label_keys(items: list[dict[str, Any]]) -> list[str]:
    """The label keys of annotations, in order of first use.

    Args:
        items: Annotations and results.
    """
    keys: dict[str, None] = {}
    for item in items:
        label = item.get("label")
        keys.update(dict.fromkeys(map(str, label) if isinstance(label, Mapping) else [ONLY]))
    return list(keys) or [ONLY]


def _of_key(items: list[dict[str, Any]], places: list[str], key: str) -> tuple[list[dict[str, Any]], list[str]]:
    chosen, where = [], []
    for item, place in zip(items, places, strict=True):
        label = item.get("label")
        if isinstance(label, Mapping):
            if key not in label:
                continue
            item = {**item, "category_id": label[key]}
        elif key != ONLY:
            continue
        elif "labels" in item:
            item = {**item, "category_ids": item["labels"]}
        else:
            item = {**item, "category_id": label}
        chosen.append(item)
        where.append(place)
    return chosen, where


def _categories(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names: dict[Any, None] = {}
    for item in items:
        names.update(dict.fromkeys(item.get("category_ids") or [item.get("category_id")]))
    return [{"id": name, "name": name} for name in names]
