"""Data sets of images and labels: the same figures from every format, compressed or not, and from memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.data.file import InputFile
from scoring.errors import InputError
from scoring.extensions.vision.files.classification_files import read_classification
from scoring.extensions.vision.files.detection_files import choose_detections, read_detections, tables_by_key
from scoring.extensions.vision.files.faults import BrokenRecords
from scoring.extensions.vision.files.label_maps import read_label_maps
from scoring.packs.coco.documents import read_coco
from tests.support.formats import PACK, Records, arrow_table, delimited, json_lines, parquet

IMAGES: Records = [
    {"id": "a", "site": "x", "groundtruth": [{"label": "cat", "bbox": [0.0, 0.0, 10.0, 10.0]}]},
    {"id": "b", "site": "y", "groundtruth": [{"label": "dog", "bbox": [5.0, 5.0, 4.0, 4.0]}]},
]
FOUND: Records = [
    {"id": "a", "predictions": [{"label": "cat", "score": 0.9, "bbox": [0.0, 0.0, 9.0, 10.0]}]},
    {"id": "b", "predictions": [{"label": "cat", "score": 0.25, "bbox": [5.0, 5.0, 4.0, 4.0]}]},
]
DOCUMENT: dict[str, Any] = {
    "images": [{"id": 1, "height": 20, "width": 20, "site": "x"}, {"id": 2, "height": 20, "width": 20}],
    "categories": [{"id": 7, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 0, 5, 5]}],
}
RESULTS: Records = [
    {"image_id": 1, "category_id": 7, "bbox": [0.0, 0.0, 5.0, 5.0], "score": 0.5},
    {"image_id": 2, "category_id": 7, "bbox": [1.0, 0.0, 5.0, 5.0], "score": 0.25},
]
CLASSES: Records = [{"id": "a", "label": "cat", "camera": "left"}, {"id": "b", "label": "dog", "camera": "right"}]
LONG: Records = [
    {"id": "a", "label": "cat", "score": 0.9},
    {"id": "a", "label": "dog", "score": 0.1},
    {"id": "b", "label": "cat", "score": 0.75},
    {"id": "b", "label": "dog", "score": 0.25},
]
WIDE: Records = [{"id": "a", "cat": 0.9, "dog": 0.1}, {"id": "b", "cat": 0.75, "dog": 0.25}]


def json_columns(records: Records) -> InputFile:
    names = {name: f"{name}:json" for name in records[0]}
    cells = [{names[name]: json.dumps(value) for name, value in record.items()} for record in records]
    return InputFile("a.csv", delimited(cells, ";"))


FORMS: dict[str, Callable[[Records], Any]] = {
    "JSON Lines": lambda records: InputFile("a.jsonl", json_lines(records)),
    "JSON": lambda records: InputFile("a.json", json.dumps(records).encode()),
    "compressed": lambda records: InputFile("a.json.gz", gzip.compress(json.dumps(records).encode())),
    "CSV": json_columns,
    "Parquet": lambda records: InputFile("a.parquet", parquet(arrow_table(records))),
    "Arrow": arrow_table,
    "pandas": lambda records: pytest.importorskip("pandas").DataFrame(records),
    "polars": lambda records: pytest.importorskip("polars").DataFrame(records),
    "a list": lambda records: records,
    "a generator": lambda records: (record for record in records),
}
every_form = pytest.mark.parametrize("form", FORMS)


@every_form
def test_boxes_from_every_form_are_the_same_table(form: str) -> None:
    found = tables_by_key(read_detections(FORMS[form](IMAGES), FORMS[form](FOUND)), None, False)["label"]
    plain = tables_by_key(read_detections(IMAGES, FOUND), None, False)["label"]
    assert (found.images, found.labels.names) == (("a", "b"), ("cat", "dog"))
    assert found.row_score.tolist() == [0.9, 0.25]
    assert found.row_area.tolist() == plain.row_area.tolist() == [90.0, 16.0]
    assert found.truth_area.tolist() == [100.0, 16.0]


@every_form
def test_results_of_a_document_come_in_every_form(form: str) -> None:
    records = read_detections(DOCUMENT, FORMS[form](RESULTS))
    table = tables_by_key(records, None, False)["label"]
    assert table.row_score.tolist() == read_coco(DOCUMENT, RESULTS).row_score.tolist() == [0.5, 0.25]
    assert table.labels.names == ("cat",)


@pytest.mark.parametrize("packed", PACK)
def test_documents_are_read_from_files_compressed_or_not(tmp_path: Path, packed: str) -> None:
    name = f"t.json{packed}"
    (tmp_path / name).write_bytes(PACK[packed](json.dumps(DOCUMENT).encode()))
    records = read_detections(tmp_path / name, RESULTS)
    assert [image["id"] for image in records.images] == [1, 2]
    assert read_coco(tmp_path / name, RESULTS).images == (1, 2)


@every_form
@pytest.mark.parametrize("rows", [LONG, WIDE])
def test_labels_from_every_form_are_the_same_table(form: str, rows: Records) -> None:
    tables, attributes = read_classification(FORMS[form](CLASSES), FORMS[form](rows))
    table = tables["label"]
    assert table.ids == ("a", "b")
    assert sorted(table.row_score.tolist()) == [0.1, 0.25, 0.75, 0.9]
    assert attributes == {"a": {"camera": "left"}, "b": {"camera": "right"}}


@every_form
def test_several_labels_of_a_datum_from_every_form(form: str) -> None:
    """Columns give every row every key: a label that is null is none."""
    truths = [
        {"id": "a", "groundtruth": {"animal": "cat"}},
        {"id": "b", "groundtruth": {"animal": "dog", "hue": "red"}},
    ]
    tables, _ = read_classification(FORMS[form](truths))
    assert {key: table.ids for key, table in tables.items()} == {"animal": ("a", "b"), "hue": ("b",)}


MAPS: Records = [
    {"id": "a", "site": "x", "groundtruth": [[0, 1], [1, 2]], "prediction": [[0, 1], [2, 2]]},
    {"id": "b", "site": "y", "groundtruth": [[1, 1]], "prediction": [[1, 0]]},
]


def arrays(side: str) -> dict[str, Any]:
    return {record["id"]: np.array(record[side], dtype=np.uint8) for record in MAPS}


@every_form
def test_label_maps_from_every_form(form: str) -> None:
    images = list(read_label_maps(FORMS[form](MAPS), None, ["road", "car"]))
    assert [image.groundtruth.tolist() for image, _ in images] == [record["groundtruth"] for record in MAPS]
    assert [image.prediction.tolist() for image, _ in images] == [record["prediction"] for record in MAPS]
    assert [attributes for _, attributes in images] == [{"site": "x"}, {"site": "y"}]


def test_label_maps_from_arrays() -> None:
    rows = [{**record, "groundtruth": np.array(record["groundtruth"])} for record in MAPS]
    by_row = [image.groundtruth.tolist() for image, _ in read_label_maps(rows, None, ["road", "car"])]
    named = read_label_maps(arrays("groundtruth"), arrays("prediction"), ["road", "car"])
    assert by_row == [image.groundtruth.tolist() for image, _ in named] == [record["groundtruth"] for record in MAPS]


BROKEN: dict[str, tuple[Callable[[], Any], str]] = {
    "an unknown document": (
        lambda: read_detections({"shapes": []}, []),
        "ground truth: an object of no known format of detection data sets (COCO)",
    ),
    "a document alone": (lambda: read_detections(DOCUMENT), "ground truth: a file of results is needed too"),
    "a file that is not JSON": (lambda: read_detections(InputFile("t.json", b"{")), "t.json: not JSON: expecting"),
    "a bad line": (
        lambda: read_detections(InputFile("t.jsonl", b'{"id": 1}\n{\n7\n')),
        "t.jsonl:2: not JSON: expecting property name enclosed in double quotes at column 2\n"
        "t.jsonl:3: a record must be an object, found a number",
    ),
    "an id that is a list": (
        lambda: read_detections([{"id": [1]}]),
        "ground truth: record 1: the id of an image is a text or a number, not [1]",
    ),
    "a value that is none": (
        lambda: read_classification([{"id": 1, "label": object()}]),
        "ground truth: record 1: column `label`: a `object` is not a plain value",
    ),
    "no predictions in a row": (
        lambda: read_classification(CLASSES, [{"id": "a"}]),
        "predictions: record 1: `predictions` is a map of labels to scores",
    ),
    "predictions without id": (
        lambda: read_classification(CLASSES, [{"label": "cat", "score": 1}]),
        "predictions: record 1: `id` is missing",
    ),
    "maps without a prediction": (
        lambda: list(read_label_maps(arrays("groundtruth"), {"a": arrays("prediction")["a"]}, ["road"])),
        "ground truth: b: missing image: no prediction of this name",
    ),
    "maps on one side": (
        lambda: list(read_label_maps(arrays("groundtruth"), MAPS, ["road"])),
        "predictions: no folder of label maps, and the other side is one",
    ),
    "a flat map": (
        lambda: list(read_label_maps({"a": np.array([1])}, {"a": np.array([1])}, ["road"])),
        "ground truth: a: a label map is one array of whole numbers, rows by columns",
    ),
    "a list of numbers": (
        lambda: list(read_label_maps([7], None, ["road"])),
        "ground truth[0]: a record is an object with an id",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_is_told_with_its_place(what: str) -> None:
    read, message = BROKEN[what]
    with pytest.raises(BrokenRecords) as error:
        read()
    assert message in str(error.value)


def test_a_file_that_is_something_else_is_refused_as_in_any_task() -> None:
    with pytest.raises(InputError, match=r"it is a zip archive, as a spreadsheet is \(\.xlsx\)"):
        read_detections(InputFile("t.json", b"PK\x03\x04"))


def test_filters_leave_what_they_do_not_name_as_it_is() -> None:
    whole = read_detections(DOCUMENT, RESULTS)
    assert choose_detections(whole, {}) is whole
    high = choose_detections(whole, {"predictions": {"score": {"min": 0.4}}})
    assert (len(high.results), high.result_places) == (1, ["predictions[0]"])
    assert high.annotations == whole.annotations
    sites = choose_detections(whole, {"images": {"site": "x"}})
    assert ([image["id"] for image in sites.images], len(sites.results)) == ([1], 1)
