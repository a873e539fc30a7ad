"""Reading the files of COCO: one ground truth (images, categories, annotations) and a list of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.detections import DetectionRecords, table_of_records
from scoring.extensions.vision.files.document_format import DocumentFormat
from scoring.extensions.vision.files.documents import document_of_file
from scoring.extensions.vision.files.faults import Faults
from scoring.extensions.vision.geometry.shapes import Kind
from scoring.values import Record

_LISTS = ("images", "categories", "annotations")


def read_coco(
    ground_truth: Path | Record,
    results: Path | Sequence[Record],
    *,
    geometry: Kind | None = None,
    rasterise: bool = False,
) -> Detections:
    """Return the table of a COCO data set with its results, each given as a file or as its content.

    A result may have `category_ids` and `scores` lists instead of one category and score, and an `id`. Shapes are
    compared as ``geometry``, by default as the least detailed kind present on either side; ``rasterise`` draws polygons
    into masks, like the COCO API.

    Raises:
        BrokenRecords: when the content is invalid; the message lists every fault with its location.
        InputError: when a file can't be read.
    """
    truth_name = str(ground_truth) if isinstance(ground_truth, Path) else "ground truth"
    result_name = str(results) if isinstance(results, Path) else "results"
    truth = document_of_file(InputFile(truth_name)) if isinstance(ground_truth, Path) else ground_truth
    found = document_of_file(InputFile(result_name)) if isinstance(results, Path) else results
    return table_of_records(records_of_coco(truth, found, truth_name, result_name), geometry, rasterise)


def records_of_coco(truth: Any, found: Any, truth_name: str, result_name: str) -> DetectionRecords:
    """Return the content of two COCO files, a ground truth and its results (``found``), as records of detections.

    Args:
        truth: The ground truth: an object with images, categories and annotations.
        found: The list of results.
        truth_name: The name of the ground truth in messages.
        result_name: The name of the results in messages.

    Raises:
        BrokenRecords: when either does not have the form of COCO files.
    """
    _check_form(truth, found, truth_name, result_name)
    annotations = truth.get("annotations", [])
    places = f"{truth_name}: annotations"
    return DetectionRecords(truth_name, truth["images"], annotations, places, found, result_name, truth["categories"])


def _check_form(truth: Any, found: Any, truth_name: str, result_name: str) -> None:
    faults = Faults()
    if not isinstance(truth, Mapping):
        faults.add(truth_name, "a COCO ground truth is an object with images, categories and annotations")
    else:
        for key in ("images", "categories"):
            if not isinstance(truth.get(key), list):
                faults.add(truth_name, f"the list `{key}` is missing")
        for key in _LISTS:
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


FORMAT = DocumentFormat(
    "coco", "COCO", "detection", lambda document: any(key in document for key in _LISTS), records_of_coco
)
