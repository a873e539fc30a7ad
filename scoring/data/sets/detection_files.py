"""Detection data sets out of files or memory: a document that a registered format knows, or rows of images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scoring.data.file_formats import document_formats
from scoring.data.sets.choose import check_attributes, check_kept, filter_of
from scoring.data.sets.detection_lines import records_of_lines
from scoring.data.sets.detections import DetectionRecords, Record
from scoring.data.sets.documents import Source, document_of, name_of_source, records_of, records_of_document
from scoring.data.sets.faults import BrokenRecords, Fault, Faults, Where, at

_TRUTH, _FOUND = "ground truth", "predictions"
Conditions = Mapping[str, Any]


def read_detections(ground_truth: Source, predictions: Source | None = None) -> DetectionRecords:
    """The records of a detection data set.

    Args:
        ground_truth: A document that a format of `scoring.formats` knows, such as a benchmark's own, or rows of
            images with their ground truths: in a file of any format, or in memory.
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
    lines = records_of(ground_truth, _TRUTH, faults) if is_rows else records_of_document(document, name, faults)
    found = None if predictions is None else records_of(predictions, _FOUND, faults)
    return records_of_lines(name, lines, found, faults)


def _of_document(document: Record, predictions: Source | None, name: str) -> DetectionRecords:
    form = next((form for form in document_formats("detection") if form.is_like(document)), None)
    if form is None:
        formats = ", ".join(form.title for form in document_formats("detection"))
        raise BrokenRecords([Fault(name, f"an object of no known format of detection data sets ({formats})")])
    if predictions is None:
        raise BrokenRecords([Fault(name, "a file of results is needed too")])
    found = document_of(predictions, _FOUND)
    if found is None:
        found = [record for _, record in records_of(predictions, _FOUND)]
    records: DetectionRecords = form.read(document, found, name, name_of_source(predictions, _FOUND))
    return records


def choose_detections(records: DetectionRecords, filters: Mapping[str, Conditions]) -> DetectionRecords:
    """The records that filters keep; what stands on an image goes with it.

    Args:
        records: The data set.
        filters: Conditions for `groundtruth`, `predictions` and `images`.
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
    """Items that the filter of a side keeps and whose image it keeps, with their places."""
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
    """The item with the area of its box, where it states none."""
    box = item.get("bbox")
    if "area" in item or not isinstance(box, list) or len(box) != 4:
        return item
    return {**item, "area": box[2] * box[3]}
