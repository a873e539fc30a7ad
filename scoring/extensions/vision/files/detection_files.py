"""Reading detection data sets from files or memory: a document in a registered format, or rows of images.

Rows contain one image each, ground truths and predictions in one table or two:

    {"id": "a", "height": 480, "width": 640, "weather": "rain",
     "groundtruth": [{"id": 1, "label": "cat", "bbox": [10, 10, 50, 40]}],
     "predictions": [{"label": "cat", "score": 0.9, "bbox": [12, 10, 48, 41]}]}

Shapes are `bbox`, `rbox` (centre, size, degrees) or `segmentation` (rings or run lengths). A label may be a map of
label keys to labels; each key is then evaluated separately. A prediction may have `labels` and `scores` lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scoring.data.file_format import GROUP, plugged
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.choose import check_attributes, check_kept, filter_of
from scoring.extensions.vision.files.detections import DetectionRecords, table_of_records
from scoring.extensions.vision.files.document_format import DocumentFormat
from scoring.extensions.vision.files.documents import (
    Origin,
    document_of,
    name_of_source,
    read_placed_records,
    records_of_document,
)
from scoring.extensions.vision.files.faults import BrokenRecords, Fault, Faults, Where, at
from scoring.extensions.vision.geometry.shapes import Kind
from scoring.registry import plugins
from scoring.values import Record

#: The label key of data that have only one label.
ONLY = "label"


Items = list[dict[str, Any]]
Placed = Iterable[tuple[str, Mapping[str, Any]]]


def records_of_lines(name: str, lines: Placed, found_lines: Placed | None, faults: Faults) -> DetectionRecords:
    """Return the records of a detection data set from rows of images, which list their ground truths and predictions.

    Args:
        name: The name of the ground truth, for messages.
        lines: The rows with their locations.
        found_lines: Further rows with predictions, if these are in another source.
        faults: The faults found while the rows were read.

    Raises:
        BrokenRecords: with every fault and its location.
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
    """Return a table for each label key; records that refer to labels by category id have a single key.

    Args:
        records: The records.
        geometry: The kind of shape to compare; None for the least detailed that occurs.
        rasterise: Whether polygons may be drawn as masks.

    Raises:
        BrokenRecords: with every fault and its location.
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
        place = f"{where}: {key}[{number}]"
        if fault := _label_fault(item, key):
            faults.add(place, fault)
            continue
        into.append({**item, "image_id": line["id"]})
        places.append(place)


def _label_fault(item: Record, key: str) -> str | None:
    if "label" not in item and "labels" not in item:
        return "`label` is missing"
    if "label" not in item and key == "groundtruth":
        return "`label` is missing; only predictions have `labels`, with their `scores`"
    label, labels = item.get("label"), item.get("labels", [])
    if not isinstance(labels, list | tuple):
        return f"`labels` is a list of texts or numbers, not {labels!r:.40}"
    for one in [*labels, *(label.values() if isinstance(label, Mapping) else [label])]:
        if isinstance(one, dict | list | tuple):
            return f"a label is a text or a number, not {one!r:.40}"
    return None


def _label_keys(items: Sequence[Record]) -> list[str]:
    """Return the label keys of the given annotations and results, in order of first use; a label that is no mapping is
    under one default key.
    """
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


_TRUTH, _FOUND = "ground truth", "predictions"
Conditions = Mapping[str, Any]


def read_detections(ground_truth: Origin, predictions: Origin | None = None) -> DetectionRecords:
    """Return the records of a detection data set: images, true objects and detections.

    Args:
        ground_truth: A document in a format of `scoring.formats`, such as a benchmark's own, or rows of images with
            their ground truths: in a file of any format, or in memory.
        predictions: The results, or the rows of images with their predictions, if these are not in the first.

    Raises:
        BrokenRecords: with the faults that were found.
        InputError: when a file can't be read.

    Examples:
        >>> box = {"label": "cat", "bbox": [0, 0, 5, 5]}
        >>> found = read_detections([{"id": 1, "groundtruth": [box], "predictions": [{**box, "score": 0.9}]}])
        >>> [(result["image_id"], result["score"]) for result in found.results]
        [(1, 0.9)]
    """
    name = name_of_source(ground_truth, _TRUTH)
    document = document_of(ground_truth, _TRUTH)
    if isinstance(document, Mapping) and not isinstance(document.get("records"), list):
        return _of_document(document, predictions, name)
    faults = Faults()
    is_rows = document is None
    lines = (
        read_placed_records(ground_truth, _TRUTH, faults) if is_rows else records_of_document(document, name, faults)
    )
    found = None if predictions is None else read_placed_records(predictions, _FOUND, faults)
    return records_of_lines(name, lines, found, faults)


def _of_document(document: Record, predictions: Origin | None, name: str) -> DetectionRecords:
    form = next((form for form in _document_formats() if form.is_like(document)), None)
    if form is None:
        formats = ", ".join(form.title for form in _document_formats())
        raise BrokenRecords([Fault(name, f"an object of no known format of detection data sets ({formats})")])
    if predictions is None:
        raise BrokenRecords([Fault(name, "a file of results is needed too")])
    found = document_of(predictions, _FOUND)
    if found is None:
        found = [record for _, record in read_placed_records(predictions, _FOUND)]
    records: DetectionRecords = form.read(document, found, name, name_of_source(predictions, _FOUND))
    return records


def choose_detections(records: DetectionRecords, filters: Mapping[str, Conditions]) -> DetectionRecords:
    """Return the records that the filters keep; `filters` has conditions for images, ground truths and predictions. The
    annotations and results of a removed image are removed, too.
    """
    if not filters:
        return records
    images = records.images
    if filters.get("images"):
        wanted = filter_of(filters["images"])
        check_attributes("images", filters["images"], images, records.name)
        images = [image for image in images if wanted(image)]
        check_kept("images", len(records.images), len(images), records.name)
    gone = {image.get("id") for image in records.images} - {image.get("id") for image in images}
    truths, truth_places = _chosen(records.annotations, records.annotation_places, filters, "groundtruth", gone)
    if filters.get("groundtruth"):
        check_kept("groundtruth", len(records.annotations), len(truths), at(records.annotation_places))
    found, found_places = _chosen(records.results, records.result_places, filters, "predictions", gone)
    return replace(
        records,
        images=images,
        annotations=truths,
        annotation_places=truth_places,
        results=found,
        result_places=found_places,
    )


def _chosen(
    items: Any, places: Where, filters: Mapping[str, Conditions], side: str, gone: set[Any]
) -> tuple[list[Record], list[str]]:
    """Return the annotations or results that pass their filter and whose image is kept, and the location of each.

    Args:
        items: The annotations or results.
        places: Their locations.
        filters: The conditions by side.
        side: The key of `filters` that applies: `groundtruth` or `predictions`.
        gone: The ids of the removed images.
    """
    conditions = filters.get(side) or {}
    wanted, described = filter_of(conditions), list(map(_with_area, items)) if conditions else items
    check_attributes(side, conditions, described, at(places))
    kept = [
        (item, at(places, number))
        for number, item in enumerate(items)
        if item.get("image_id") not in gone and wanted(described[number])
    ]
    return [item for item, _ in kept], [place for _, place in kept]


def _with_area(item: Record) -> Record:
    """Return an annotation or result with the area of its box added as `area`; unchanged if it has an area, or
    no box.
    """
    box = item.get("bbox")
    if "area" in item or not isinstance(box, list) or len(box) != 4:
        return item
    return {**item, "area": box[2] * box[3]}


def _document_formats() -> Iterator[DocumentFormat]:
    """Yield the formats of whole data sets for detection, our own first.

    The entry points of other packages are loaded only after our own formats are exhausted.
    """
    yield from _for_detection(plugin.load() for plugin in plugins.own(GROUP) if plugin.name not in plugins.FORMATS)
    yield from _for_detection(plugged().values())


def _for_detection(forms: Iterable[Any]) -> Iterator[DocumentFormat]:
    return (form for form in forms if isinstance(form, DocumentFormat) and form.records == "detection")
