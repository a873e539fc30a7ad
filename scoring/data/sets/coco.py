"""COCO files: ground truth (images, categories, annotations) and a list of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scoring.data.sets.coco_shapes import read_shapes
from scoring.data.sets.faults import Faults, Where, at
from scoring.data.sets.json_text import read_json
from scoring.vision.arrays import Floats, Ints
from scoring.vision.detection.table import Detections
from scoring.vision.geometry.shapes import Kind
from scoring.vision.vocabulary import Vocabulary

Record = Mapping[str, Any]


def read_coco(
    ground_truth: Path | Record,
    results: Path | Sequence[Record],
    *,
    geometry: Kind | None = None,
    rasterise: bool = False,
) -> Detections:
    """Read a COCO data set with its results.

    Args:
        ground_truth: The ground-truth file, or its content.
        results: The results file, or its content. A result may carry `category_ids` and `scores` lists instead of
            one category and score, and an `id`.
        geometry: The kind of shape to compare; default the least detailed kind present on either side.
        rasterise: Draw polygons into masks, as the COCO API does, where masks are compared.
    """
    truth_name = str(ground_truth) if isinstance(ground_truth, Path) else "ground truth"
    result_name = str(results) if isinstance(results, Path) else "results"
    truth = read_json(ground_truth) if isinstance(ground_truth, Path) else ground_truth
    found = read_json(results) if isinstance(results, Path) else results
    check_form(truth, found, truth_name, result_name)
    names = Names(truth_name, f"{truth_name}: annotations", result_name)
    return table_of_coco(truth, found, names, geometry, rasterise)


class Names(NamedTuple):
    """How faults name the ground truth, its annotations and the results."""

    truth: str
    annotations: Where
    results: Where


def table_of_coco(
    truth: Record, found: Sequence[Record], names: Names, geometry: Kind | None = None, rasterise: bool = False
) -> Detections:
    """The table of a data set in COCO's form.

    Args:
        truth: Images, categories and annotations.
        found: Results.
        names: How faults name them.
        geometry: The kind of shape to compare; default the least detailed kind present on either side.
        rasterise: Draw polygons into masks where masks are compared.
    """
    truth_name, annotation_name, result_name = names
    faults = Faults()
    images = _by_id(truth["images"], f"{truth_name}: images", faults)
    categories = _by_id(truth["categories"], f"{truth_name}: categories", faults)
    faults.check()
    annotations = truth.get("annotations", [])
    image_place = {key: place for place, key in enumerate(images)}
    label_place = {key: place for place, key in enumerate(categories)}
    truth_image = _places(annotations, "image_id", image_place, "image", annotation_name, faults)
    truth_label = _places(annotations, "category_id", label_place, "category", annotation_name, faults)
    image = _places(found, "image_id", image_place, "image", result_name, faults)
    label, score, row_shape = _labels_and_scores(found, label_place, result_name, faults)
    _unique(annotations, annotation_name, faults)
    _unique(found, result_name, faults)
    faults.check()
    sizes = [(image.get("height"), image.get("width")) for image in images.values()]
    truth_shapes, shapes = read_shapes(
        (annotations, truth_image, annotation_name), (found, image, result_name), sizes, geometry, rasterise, faults
    )
    faults.check()
    return Detections(
        tuple(images),
        np.arange(len(images), dtype=np.int64),
        _vocabulary(categories),
        tuple(a.get("id", place) for place, a in enumerate(annotations, start=1)),
        truth_image,
        truth_label,
        _truth_areas(annotations, truth_shapes.areas()),
        np.array([bool(a.get("iscrowd", 0)) for a in annotations], dtype=np.bool_),
        np.array([bool(a.get("ignore", 0)) for a in annotations], dtype=np.bool_),
        truth_shapes,
        tuple(r.get("id", place) for place, r in enumerate(found, start=1)),
        row_shape,
        image[row_shape],
        label,
        score,
        shapes.areas()[row_shape],
        shapes,
    )


def check_form(truth: Any, found: Any, truth_name: str, result_name: str) -> None:
    """Refuse what has not the form of COCO files at all.

    Args:
        truth: The ground truth.
        found: The results.
        truth_name: How faults name the one.
        result_name: How faults name the other.
    """
    faults = Faults()
    if not isinstance(truth, Mapping):
        faults.add(truth_name, "a COCO ground truth is an object with images, categories and annotations")
    else:
        for key in ("images", "categories"):
            if not isinstance(truth.get(key), list):
                faults.add(truth_name, f"the list `{key}` is missing")
        for key in ("images", "categories", "annotations"):
            items = truth.get(key, [])
            if key == "annotations" and not isinstance(items, list | tuple):
                faults.add(truth_name, "`annotations` is no list")
            elif isinstance(items, list | tuple) and not all(isinstance(item, Mapping) for item in items):
                faults.add(truth_name, f"`{key}` is a list of objects")
    if not isinstance(found, list | tuple):
        faults.add(result_name, "COCO results are a list")
    elif not all(isinstance(result, Mapping) for result in found):
        faults.add(result_name, "COCO results are a list of objects")
    faults.check()


def _by_id(items: Sequence[Record], where: str, faults: Faults) -> dict[Any, Record]:
    """Items by id; ids that are numbers are put in their order, as the COCO API does."""
    table: dict[Any, Record] = {}
    for place, item in enumerate(items):
        if "id" not in item:
            faults.add(at(where, place), "the id is missing")
        elif item["id"] in table:
            faults.add(at(where, place), f"duplicate id {item['id']!r}")
        else:
            table[item["id"]] = item
    if all(isinstance(key, int) for key in table):
        return dict(sorted(table.items()))
    return table


def _vocabulary(categories: Mapping[Any, Record]) -> Vocabulary:
    names = [str(category.get("name", key)) for key, category in categories.items()]
    repeated = len(set(names)) != len(names)
    return Vocabulary.declared(
        f"{name} ({key})" if repeated else name for name, key in zip(names, categories, strict=True)
    )


def _places(
    items: Sequence[Record], key: str, place: Mapping[Any, int], what: str, where: Where, faults: Faults
) -> Ints:
    """The place of each item's image or category."""
    try:
        return np.fromiter((place[item[key]] for item in items), dtype=np.int64, count=len(items))
    except (KeyError, TypeError):
        for number, item in enumerate(items):
            if key not in item:
                faults.add(at(where, number), f"`{key}` is missing")
            elif not _known(item[key], place):
                faults.add(at(where, number), f"unknown {what} {item[key]!r}")
        return np.zeros(len(items), dtype=np.int64)


def _known(key: Any, place: Mapping[Any, int]) -> bool:
    try:
        return key in place
    except TypeError:
        return False


def _labels_and_scores(
    found: Sequence[Record], label_place: Mapping[Any, int], where: Where, faults: Faults
) -> tuple[Ints, Floats, Ints]:
    """Label, score and shape of every row; a result with several labels makes several rows."""
    if any("category_ids" in result for result in found):
        expanded = [
            {"category_id": label, "score": score, "shape": shape}
            for shape, result in enumerate(found)
            for label, score in _several(result, at(where, shape), faults)
        ]
        label = _places(expanded, "category_id", label_place, "category", where, faults)
        shapes = np.array([row["shape"] for row in expanded], dtype=np.int64)
        return label, _scores(expanded, where, faults), shapes
    label = _places(found, "category_id", label_place, "category", where, faults)
    return label, _scores(found, where, faults), np.arange(len(found), dtype=np.int64)


def _several(result: Record, where: str, faults: Faults) -> list[tuple[Any, Any]]:
    labels = result.get("category_ids", [result.get("category_id")])
    scores = result.get("scores", [result.get("score")])
    if len(labels) != len(scores):
        faults.add(where, f"{len(labels)} category_ids but {len(scores)} scores")
    if not labels:
        faults.add(where, "no category")
    return list(zip(labels, scores, strict=False))


def _scores(rows: Sequence[Record], where: Where, faults: Faults) -> Floats:
    values = [row.get("score") for row in rows]
    if set(map(type, values)) <= {float, int}:
        scores = np.array(values, dtype=np.float64)
        if np.isfinite(scores).all():
            return scores
    for number, value in enumerate(values):
        if value is None:
            faults.add(at(where, number), "`score` is missing")
        elif type(value) not in (float, int) or not np.isfinite(value):
            faults.add(at(where, number), f"the score is not a finite number: {value!r}")
    return np.zeros(len(rows))


def _unique(items: Sequence[Record], where: Where, faults: Faults) -> None:
    ids = [item["id"] for item in items if "id" in item]
    if len(set(map(str, ids))) == len(ids):
        return
    seen: set[str] = set()
    for number, item in enumerate(items):
        key = str(item.get("id", f"no id {number}"))
        if key in seen:
            faults.add(at(where, number), f"duplicate id {item['id']!r}")
        seen.add(key)


def _truth_areas(annotations: Sequence[Record], measured: Floats) -> Floats:
    return np.array(
        [a.get("area", area) for a, area in zip(annotations, measured.tolist(), strict=True)], dtype=np.float64
    )
