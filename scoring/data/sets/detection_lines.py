"""Detection data sets as rows: one image a row, ground truths and predictions in one table or two.

    {"id": "a", "height": 480, "width": 640, "weather": "rain",
     "groundtruth": [{"id": 1, "label": "cat", "bbox": [10, 10, 50, 40]}],
     "predictions": [{"label": "cat", "score": 0.9, "bbox": [12, 10, 48, 41]}]}

Shapes are `bbox`, `rbox` (centre, size, degrees) or `segmentation` (rings or run lengths). A label may be a map of
label keys to labels; each key is then evaluated by itself. A prediction may carry `labels` and `scores` lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.data.sets.detections import DetectionRecords, Record, table_of_records
from scoring.data.sets.faults import Faults, Where, at
from scoring.vision.detection.table import Detections
from scoring.vision.geometry.shapes import Kind

#: The label key of data that has only one.
ONLY = "label"


Items = list[dict[str, Any]]
Placed = Iterable[tuple[str, Mapping[str, Any]]]


def records_of_lines(name: str, lines: Placed, found_lines: Placed | None, faults: Faults) -> DetectionRecords:
    """The records of a data set that lists its images.

    Args:
        name: How faults name the ground truth.
        lines: Images with their ground truths, each with its place.
        found_lines: Images with their predictions, if they are not in the first.
        faults: What was found so far, where more is noted.

    Raises:
        BrokenRecords: with every fault and its place.
    """
    images: dict[Any, Record] = {}
    annotations: Items = []
    found: Items = []
    places: tuple[list[str], list[str]] = ([], [])
    for where, line in lines:
        if not _is_image(line, where, faults):
            continue
        if line["id"] in images:
            faults.add(where, f"duplicate id {line['id']!r}")
        images[line["id"]] = {k: v for k, v in line.items() if k not in ("groundtruth", "predictions")}
        _take(line, "groundtruth", where, annotations, places[0], faults)
        if found_lines is None:
            _take(line, "predictions", where, found, places[1], faults)
    for where, line in found_lines or ():
        if not _is_image(line, where, faults):
            continue
        if line["id"] not in images:
            faults.add(where, f"unknown image {line['id']!r}")
        _take(line, "predictions", where, found, places[1], faults)
    faults.check()
    return DetectionRecords(name, list(images.values()), annotations, places[0], found, places[1])


def tables_by_key(records: DetectionRecords, geometry: Kind | None, rasterise: bool) -> dict[str, Detections]:
    """A table for each label key; records with categories have one.

    Args:
        records: The data set.
        geometry: The kind of shape to compare; default the least detailed kind present on either side.
        rasterise: Draw polygons into masks where masks are compared.

    Raises:
        BrokenRecords: with every fault and its place.
    """
    if records.categories is not None:
        return {ONLY: table_of_records(records, geometry, rasterise)}
    tables = {}
    for key in _label_keys([*records.annotations, *records.results]):
        truth, truth_where = _of_key(records.annotations, records.annotation_places, key)
        rows, where = _of_key(records.results, records.result_places, key)
        form = DetectionRecords(
            records.name, records.images, truth, truth_where, rows, where, _categories([*truth, *rows])
        )
        tables[key] = table_of_records(form, geometry, rasterise)
    return tables


def _is_image(line: Record, where: str, faults: Faults) -> bool:
    if "id" not in line:
        faults.add(where, "the id of the image is missing")
    elif isinstance(line["id"], dict | list):
        faults.add(where, f"the id of an image is a text or a number, not {line['id']!r:.40}")
    else:
        return True
    return False


def _take(line: Record, key: str, where: str, into: Items, places: list[str], faults: Faults) -> None:
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


def _label_keys(items: Sequence[Record]) -> list[str]:
    """The label keys of annotations and results, in order of first use."""
    keys: dict[str, None] = {}
    for item in items:
        label = item.get("label")
        keys.update(dict.fromkeys(map(str, label) if isinstance(label, Mapping) else [ONLY]))
    return list(keys) or [ONLY]


def _of_key(items: Sequence[Record], places: Where, key: str) -> tuple[list[Record], list[str]]:
    chosen: list[Record] = []
    where = []
    for number, item in enumerate(items):
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
        where.append(at(places, number))
    return chosen, where


def _categories(items: Sequence[Record]) -> list[Record]:
    names: dict[Any, None] = {}
    for item in items:
        names.update(dict.fromkeys(item.get("category_ids") or [item.get("category_id")]))
    return [{"id": name, "name": name} for name in names]
