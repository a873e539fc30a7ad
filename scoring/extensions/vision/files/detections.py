"""Building the table of a detection data set from its records: images, categories, annotations and results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.faults import Faults, Where, at, is_finite, is_id
from scoring.extensions.vision.files.shapes import read_shapes
from scoring.extensions.vision.geometry.shapes import Kind
from scoring.extensions.vision.vocabulary import Vocabulary
from scoring.values import Record


class DetectionRecords(Struct, frozen=True):
    """The records of a detection data set as read: images, true objects (annotations), detections (results) and labels.

    Args:
        name: The name of its ground truth in messages.
        images: Images, each with an `id`, optionally `height`, `width`, and attributes.
        annotations: True objects, each with `image_id`, a category or label, a shape, optionally `id`, `area`,
            `iscrowd` and `ignore`.
        annotation_places: The locations of the annotations for messages.
        results: Detections, each with `image_id`, a category or label with its `score`, or lists of both, and a shape.
        result_places: The locations of the results for messages.
        categories: Labels, each with an `id`, to which `category_id` refers, and optionally a `name`; None if
            annotations and results contain their labels themselves, as `label`.
    """

    name: str
    images: Sequence[Record]
    annotations: Sequence[Record]
    annotation_places: Where
    results: Sequence[Record]
    result_places: Where
    categories: Sequence[Record] | None = None


def table_of_records(records: DetectionRecords, geometry: Kind | None = None, rasterise: bool = False) -> Detections:
    """Return the table of records whose annotations and results refer to labels by category id.

    Args:
        records: The records.
        geometry: The kind of shape to compare; None for the least detailed that occurs.
        rasterise: Whether polygons may be drawn as masks.

    Raises:
        BrokenRecords: with every fault and its location.
    """
    annotations, annotation_name = records.annotations, records.annotation_places
    found, result_name = records.results, records.result_places
    faults = Faults()
    images = _by_id(records.images, f"{records.name}: images", faults)
    categories = _by_id(records.categories or (), f"{records.name}: categories", faults)
    sizes = [_size(image, records, faults) for image in images.values()]
    faults.check()
    image_index = {key: index for index, key in enumerate(images)}
    label_index = {key: index for index, key in enumerate(categories)}
    truth_image = _indexes(annotations, "image_id", image_index, "image", annotation_name, faults)
    truth_label = _indexes(annotations, "category_id", label_index, "category", annotation_name, faults)
    image = _indexes(found, "image_id", image_index, "image", result_name, faults)
    label, score, row_shape = _labels_and_scores(found, label_index, result_name, faults)
    _unique(annotations, annotation_name, faults)
    _unique(found, result_name, faults)
    area = _numbers(annotations, "area", "`area`", annotation_name, faults)
    crowd, ignore = (_flags(annotations, key, annotation_name, faults) for key in ("iscrowd", "ignore"))
    faults.check()
    truth_shapes, shapes = read_shapes(
        (annotations, truth_image, annotation_name), (found, image, result_name), sizes, geometry, rasterise, faults
    )
    faults.check()
    return Detections(
        tuple(images),
        np.arange(len(images), dtype=np.int64),
        _vocabulary(categories),
        tuple(a.get("id", index) for index, a in enumerate(annotations, start=1)),
        truth_image,
        truth_label,
        np.where(np.isnan(area), truth_shapes.areas(), area),
        crowd,
        ignore,
        truth_shapes,
        tuple(r.get("id", index) for index, r in enumerate(found, start=1)),
        row_shape,
        image[row_shape],
        label,
        score,
        shapes.areas()[row_shape],
        shapes,
    )


def _by_id(items: Sequence[Record], where: str, faults: Faults) -> dict[Any, Record]:
    """Return the items by their id, sorted if all ids are integers; an id that is missing, invalid or repeated adds a
    fault, located in the source named `where`.
    """
    table: dict[Any, Record] = {}
    for index, item in enumerate(items):
        if "id" not in item:
            faults.add(at(where, index), "the id is missing")
        elif not is_id(item["id"]):
            faults.add(at(where, index), f"an id is a text or a number, not {item['id']!r:.100}")
        elif item["id"] in table:
            faults.add(at(where, index), f"duplicate id {item['id']!r:.100}")
        else:
            table[item["id"]] = item
    if all(isinstance(key, int) for key in table):  # the order of equal scores depends on that of the images
        return dict(sorted(table.items()))
    return table


def _size(image: Record, records: DetectionRecords, faults: Faults) -> tuple[int | None, int | None]:
    height, width = (image.get(side) for side in ("height", "width"))
    for name, side in (("height", height), ("width", width)):
        if side is not None and not (is_finite(side) and side == int(side)):
            index = next(index for index, one in enumerate(records.images) if one is image)  # that dict is sorted
            where = at(f"{records.name}: images", index)
            faults.add(where, f"the {name} of an image is a whole number of pixels, not {side!r:.40}")
            return None, None
    return None if height is None else int(height), None if width is None else int(width)


def _vocabulary(categories: Mapping[Any, Record]) -> Vocabulary:
    names = [str(category.get("name", key)) for key, category in categories.items()]
    repeated = len(set(names)) != len(names)
    return Vocabulary.declared(
        f"{name} ({key})" if repeated else name for name, key in zip(names, categories, strict=True)
    )


def _indexes(
    items: Sequence[Record], key: str, index_of: Mapping[Any, int], what: str, where: Where, faults: Faults
) -> Ints:
    """Return, for each item, the index of the image or category that it refers to under `key`; an item without a valid
    reference adds a fault.

    Args:
        items: The annotations or results.
        key: The key of the reference.
        index_of: The index of each image or category by id.
        what: The word for images or categories in messages.
        where: The locations of the items.
        faults: The list to which faults are added.
    """
    try:
        keys = [item[key] for item in items]
        if bool not in set(map(type, keys)):  # True would be looked up as 1
            return np.fromiter(map(index_of.__getitem__, keys), dtype=np.int64, count=len(items))
    except (KeyError, TypeError):
        pass  # the loop below finds the item
    for number, item in enumerate(items):
        if key not in item:
            faults.add(at(where, number), f"`{key}` is missing")
        elif not is_id(item[key]) or item[key] not in index_of:
            faults.add(at(where, number), f"unknown {what} {item[key]!r:.100}")
    return np.zeros(len(items), dtype=np.int64)


def _labels_and_scores(
    found: Sequence[Record], label_index: Mapping[Any, int], where: Where, faults: Faults
) -> tuple[Ints, Floats, Ints]:
    """Return three columns with a row for each label of each result (`found`): the label's index, the score, and the
    index of the result, which is that of its shape. Labels and scores that are not valid add faults.
    """
    shapes = np.arange(len(found), dtype=np.int64)
    if any("category_ids" in result for result in found):
        several = [_several(result, at(where, shape), faults) for shape, result in enumerate(found)]
        shapes = np.repeat(shapes, list(map(len, several)))
        found = [{"category_id": label, "score": score} for pairs in several for label, score in pairs]
        where = [at(where, shape) for shape in shapes.tolist()]
    label = _indexes(found, "category_id", label_index, "category", where, faults)
    return label, _numbers(found, "score", "the score", where, faults, needed=True), shapes


def _several(result: Record, where: str, faults: Faults) -> list[tuple[Any, Any]]:
    labels = result.get("category_ids", [result.get("category_id")])
    scores = result.get("scores", [result.get("score")])
    for name, values in (("category_ids", labels), ("scores", scores)):
        if not isinstance(values, list | tuple):
            faults.add(where, f"`{name}` is a list, not {values!r:.100}")
            return []
    if len(labels) != len(scores):
        faults.add(where, f"{len(labels)} category_ids but {len(scores)} scores")
    if not labels:
        faults.add(where, "no category")
    return list(zip(labels, scores, strict=False))


def _unique(items: Sequence[Record], where: Where, faults: Faults) -> None:
    ids = [item["id"] for item in items if "id" in item]
    odd = {kind for kind in set(map(type, ids)) if kind is not int and kind is not str}
    for number, item in enumerate(items if odd else ()):
        if not is_id(item.get("id", "")):
            faults.add(at(where, number), f"an id is a text or a number, not {item['id']!r:.100}")
    if len(set(map(str, ids))) == len(ids):
        return
    seen: set[str] = set()
    for number, item in enumerate(items):
        key = str(item.get("id", f"no id {number}"))
        if key in seen:
            faults.add(at(where, number), f"duplicate id {item['id']!r:.100}")
        seen.add(key)


def _numbers(
    items: Sequence[Record], key: str, name: str, where: Where, faults: Faults, needed: bool = False
) -> Floats:
    """Return each item's number under `key`, NaN if it has none. A value that is not a finite number adds a fault,
    whose message calls the value `name`; if `needed`, so does a missing one.
    """
    values = [item.get(key) for item in items]
    if all(map(is_finite, values)):
        return np.array(values, dtype=np.float64)
    for number, value in enumerate(values):
        if value is None and needed:
            faults.add(at(where, number), f"`{key}` is missing")
        elif value is not None and not is_finite(value):
            faults.add(at(where, number), f"{name} is not a finite number: {value!r:.100}")
    return np.array([value if is_finite(value) else math.nan for value in values], dtype=np.float64)


def _flags(items: Sequence[Record], key: str, where: Where, faults: Faults) -> Bools:
    """Return, for each item, True if it has a number other than 0, or true, under `key`; False for 0, false and a
    missing value.
    """
    values = [item.get(key) for item in items]
    if not set(map(type, values)) <= {int, float, bool, type(None)}:
        for number, value in enumerate(values):
            if not isinstance(value, int | float | None):
                faults.add(at(where, number), f"`{key}` is 0 or 1, not {value!r:.100}")
    return np.array([bool(value) for value in values], dtype=np.bool_)
