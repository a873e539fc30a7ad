"""Broken input of every kind, each with its message and place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.extensions.vision.files.classification_files import read_classification
from scoring.extensions.vision.files.detection_files import read_detections, tables_by_key
from scoring.extensions.vision.files.faults import BrokenRecords
from scoring.extensions.vision.files.label_maps import read_label_maps
from scoring.packs.coco.documents import read_coco

TRUTH: dict[str, Any] = {
    "images": [{"id": 1, "height": 4, "width": 5}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2]}],
}
RESULT: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "score": 0.5}
RLE = {"size": [4, 5], "counts": [0, 4, 16]}


def truth(**changes: Any) -> dict[str, Any]:
    return {**TRUTH, "annotations": [{**TRUTH["annotations"][0], **changes}]}


BROKEN_COCO: dict[str, tuple[Any, Any, str]] = {
    "annotations that are null": ({**TRUTH, "annotations": None}, [], "ground truth: `annotations` is no list"),
    "annotations of numbers": ({**TRUTH, "annotations": [1]}, [], "ground truth: `annotations` is a list of objects"),
    "images of numbers": ({**TRUTH, "images": [1]}, [], "ground truth: `images` is a list of objects"),
    "categories of texts": ({**TRUTH, "categories": ["a"]}, [], "ground truth: `categories` is a list of objects"),
    "missing image": (TRUTH, [{**RESULT, "image_id": 9}], "results[0]: unknown image 9"),
    "image not given": (TRUTH, [{"category_id": 1, "score": 1, "bbox": [0, 0, 1, 1]}], "`image_id` is missing"),
    "unknown category": (TRUTH, [{**RESULT, "category_id": 7}], "results[0]: unknown category 7"),
    "unknown true category": (truth(category_id=3), [], "ground truth: annotations[0]: unknown category 3"),
    "category that is a list": (TRUTH, [{**RESULT, "category_id": [1]}], "unknown category [1]"),
    "NaN score": (TRUTH, [{**RESULT, "score": float("nan")}], "results[0]: the score is not a finite number: nan"),
    "score as text": (TRUTH, [{**RESULT, "score": "0.5"}], "the score is not a finite number: '0.5'"),
    "score that is true": (TRUTH, [{**RESULT, "score": True}], "the score is not a finite number: True"),
    "no score": (TRUTH, [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}], "`score` is missing"),
    "negative width": (TRUTH, [{**RESULT, "bbox": [0, 0, -2, 2]}], "results[0]: a box with negative size"),
    "infinite corner": (truth(bbox=[0, float("inf"), 1, 1]), [], "a value that is not a finite number"),
    "box of three": (TRUTH, [{**RESULT, "bbox": [0, 0, 1]}], "a box is [left, top, width, height]"),
    "no box": (TRUTH, [{"image_id": 1, "category_id": 1, "score": 1}], "`bbox` is missing"),
    "duplicate annotation": (
        {**TRUTH, "annotations": TRUTH["annotations"] * 2},
        [],
        "ground truth: annotations[1]: duplicate id 1",
    ),
    "duplicate result": (TRUTH, [{**RESULT, "id": 4}] * 2, "results[1]: duplicate id 4"),
    "duplicate image": ({**TRUTH, "images": TRUTH["images"] * 2}, [], "ground truth: images[1]: duplicate id 1"),
    "image without id": ({**TRUTH, "images": [{}]}, [], "ground truth: images[0]: the id is missing"),
    "image of a height that is a text": (
        {**TRUTH, "images": [{"id": 2}, {"id": 1, "height": "4", "width": 5}]},
        [],
        "ground truth: images[1]: the height of an image is a whole number of pixels, not '4'",
    ),
    "image of endless width": (
        {**TRUTH, "images": [{"id": 1, "height": 4.0, "width": float("inf")}]},
        [],
        "ground truth: images[0]: the width of an image is a whole number of pixels, not inf",
    ),
    "no images": ({"categories": []}, [], "ground truth: the list `images` is missing"),
    "results no list": (TRUTH, {"a": 1}, "results: COCO results are a list"),
    "results of texts": (TRUTH, ["a"], "results: COCO results are a list of objects"),
    "labels without scores": (
        TRUTH,
        [{**RESULT, "category_ids": [1, 1], "scores": [0.5]}],
        "2 category_ids but 1 scores",
    ),
    "mask of another size": (
        truth(segmentation=RLE),
        [{**RESULT, "segmentation": {"size": [5, 4], "counts": [20]}}],
        "results[0]: a mask of 5 × 4 pixels in an image of 4 × 5",
    ),
    "mask that is too short": (
        truth(segmentation=RLE),
        [{**RESULT, "segmentation": {"size": [4, 5], "counts": [3, 4]}}],
        "results[0]: run lengths of mask 0 add up to 7, not to 4 × 5",
    ),
    "damaged code": (
        truth(segmentation=RLE),
        [{**RESULT, "segmentation": {"size": [4, 5], "counts": "é"}}],
        "COCO's alphabet",
    ),
    "mask without counts": (
        truth(segmentation=RLE),
        [{**RESULT, "segmentation": {"size": [4, 5]}}],
        "list of whole numbers or a",
    ),
    "polygon of two corners": (
        truth(segmentation=[[0, 0, 1, 1]]),
        [{**RESULT, "segmentation": [[0, 0, 1, 0, 1, 1]]}],
        "not a polygon: a polygon ring has 2 corners",
    ),
    "odd polygon": (
        truth(segmentation=[[0, 0, 1, 1, 2]]),
        [{**RESULT, "segmentation": [[0, 0, 1, 0, 1, 1]]}],
        "an odd number of coordinates: 5",
    ),
    "rotated box of four": (
        truth(bbox=None, rbox=[0, 0, 1, 1]),
        [{**RESULT, "rbox": [0, 0, 1, 1, 0]}],
        "a rotated box is [x, y, width, height, angle]",
    ),
}


@pytest.mark.parametrize("name", BROKEN_COCO)
def test_broken_coco(name: str) -> None:
    ground_truth, results, message = BROKEN_COCO[name]
    with pytest.raises(BrokenRecords) as error:
        read_coco(ground_truth, results)
    assert message in str(error.value)


def test_hostile_sizes_are_refused_before_memory_is_taken() -> None:
    huge = {**TRUTH, "images": [{"id": 1}]}
    mask = {"segmentation": {"size": [10**9, 10**9], "counts": [10**18]}}
    huge["annotations"] = [{**TRUTH["annotations"][0], **mask}]
    with pytest.raises(BrokenRecords, match="sides of up to 65536 pixels"):
        read_coco(huge, [{**RESULT, **mask}])
    for beyond in ({"size": [4, 5], "counts": [10**30]}, {"size": [10**30, 1], "counts": [20]}):
        with pytest.raises(BrokenRecords, match=r"results\[0\]: a mask has sides of up to 65536 pixels"):
            read_coco({**truth(segmentation=RLE), "images": [{"id": 1}]}, [{**RESULT, "segmentation": beyond}])
    far = truth(segmentation=[[0, 0, 1e12, 0, 1, 1]])
    with pytest.raises(BrokenRecords, match=r"a coordinate beyond 1e\+06"):
        read_coco(far, [{**RESULT, "segmentation": [[0, 0, 1, 0, 1, 1]]}], rasterise=True)
    wide = {**far, "images": [{"id": 1, "height": 10**6, "width": 10**6}]}
    with pytest.raises(BrokenRecords, match="cannot draw into an image of 1000000 × 1000000 pixels"):
        read_coco(wide, [{**RESULT, "segmentation": [[0, 0, 1, 0, 1, 1]]}], rasterise=True)


def test_all_faults_are_reported_at_once() -> None:
    results = [{**RESULT, "image_id": 9}, {**RESULT, "score": None}, RESULT]
    with pytest.raises(BrokenRecords) as error:
        read_coco(TRUTH, results)
    assert [fault.where for fault in error.value.faults] == ["results[0]", "results[1]"]


def test_kinds_that_cannot_be_compared() -> None:
    with pytest.raises(BrokenRecords, match="a box cannot be compared as a mask"):
        read_coco(truth(segmentation=RLE), [RESULT], geometry="mask")


def test_least_detailed_kind_wins() -> None:
    assert read_coco(truth(segmentation=RLE), [RESULT]).shapes.kind == "box"
    polygon = {**RESULT, "segmentation": [[0, 0, 1, 0, 1, 1]]}
    table = read_coco(truth(segmentation=RLE), [polygon])
    assert (table.shapes.kind, table.truth_shapes.kind) == ("polygon", "polygon")


SQUARE = [[0.0, 0.0, 4.0, 0.0, 4.0, 4.0, 0.0, 4.0]]
PIXELS = {"size": [10, 10], "counts": [0, *[4, 6] * 3, 4, 66]}  # four columns of four, in the upper left corner
FORMS: dict[str, Any] = {
    "box": {"bbox": [0, 0, 4, 4]},
    "polygon": {"segmentation": SQUARE},
    "mask": {"segmentation": PIXELS},
    "rotated": {"rbox": [2, 2, 4, 4, 0]},
    "outline left empty": {"bbox": [0, 0, 4, 4], "segmentation": []},
    "both": {"bbox": [0, 0, 4, 4], "segmentation": SQUARE},
}


def overlap(truths: list[str], found: list[str], **settings: Any) -> float:
    """The share of objects that are found at an overlap of 0.9, of one image; each form stands for the same square."""
    truth = {
        "images": [{"id": 1, "height": 10, "width": 10}],
        "categories": [{"id": place, "name": str(place)} for place, _ in enumerate(truths)],
        "annotations": [
            {"id": place, "image_id": 1, "category_id": place, "area": 16, **FORMS[form]}
            for place, form in enumerate(truths)
        ],
    }
    results = [{"image_id": 1, "category_id": place, "score": 0.5, **FORMS[form]} for place, form in enumerate(found)]
    spec = {
        "kind": "task", "name": "t", "version": "1.0.0", "records": "detection", "settings": settings,
        "metrics": ["detection_ar(iou_thresholds=[0.9])"],
    }  # fmt: skip
    value: float = scoring.evaluate(spec, results, references=truth).summary["metrics"][0]["value"]
    return value


@pytest.mark.parametrize("truth", FORMS)
@pytest.mark.parametrize("found", FORMS)
def test_every_shape_becomes_its_envelope_where_boxes_are_wanted(truth: str, found: str) -> None:
    assert overlap([truth], [found], geometry="box") == 1.0
    assert overlap(["box", truth], ["mask", found], geometry="box") == 1.0
    if "box" in (truth, found):
        assert overlap([truth], [found]) == 1.0


def test_the_records_of_a_side_may_be_of_several_kinds() -> None:
    assert overlap(["mask", "polygon", "box"], ["polygon", "box", "rotated"]) == 1.0
    assert overlap(["polygon", "rotated"], ["rotated", "both"]) == 1.0
    # The hull of a mask ends at the last pixel's corner, so it covers nine of sixteen.
    assert overlap(["mask", "polygon"], ["mask", "rotated"]) == 1.0
    assert overlap(["mask", "polygon"], ["polygon", "rotated"]) == 0.5


def test_masks_stay_and_polygons_are_drawn_where_both_are_compared_as_masks() -> None:
    assert overlap(["mask", "polygon"], ["polygon", "mask"], rasterise=True) == 1.0
    assert overlap(["polygon", "mask"], ["mask", "polygon"], rasterise=True, geometry="mask") == 1.0


@pytest.mark.parametrize("geometry", ["polygon", "mask"])
def test_a_box_is_never_taken_for_more(geometry: str) -> None:
    with pytest.raises(scoring.InputError, match=rf"annotations\[1\]: a box cannot be compared as a {geometry}"):
        overlap(["mask", "box"], ["mask"], geometry=geometry)
    if geometry == "mask":
        with pytest.raises(scoring.InputError, match=r"predictions\[0\]: a polygon .*`rasterise: true` draws polygons"):
            overlap(["mask"], ["polygon"], geometry=geometry)


def test_broken_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(BrokenRecords, match=r"a\.json: not JSON"):
        read_coco(tmp_path / "a.json", [])


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


BROKEN_IMAGES: dict[str, tuple[list[Any], str]] = {
    "duplicate": ([{"id": 1}, {"id": 1}], ":2: duplicate id 1"),
    "no id": ([{"groundtruth": []}], ":1: the id of the image is missing"),
    "no object": ([[1]], ":1: a record must be an object, found a list"),
    "no label": ([{"id": 1, "groundtruth": [{"bbox": [0, 0, 1, 1]}]}], "groundtruth[0]: `label` is missing"),
    "no list": ([{"id": 1, "groundtruth": {}}], "`groundtruth` is a list of objects"),
    "box": (
        [{"id": 1, "predictions": [{"label": "a", "score": 1, "bbox": [0, 0, 1, -1]}]}],
        ":1: predictions[0]: a box with negative size",
    ),
    "far box": (
        [{"id": 1, "predictions": [{"label": "a", "score": 1, "bbox": [0, 0, 1e200, 1e200]}]}],
        ":1: predictions[0]: a box that reaches beyond 1e+150: [0, 0, 1e+200, 1e+200]",
    ),
    "far rotated box": (
        [{"id": 1, "groundtruth": [{"label": "a", "rbox": [0, 0, 1e200, 1e200, 45]}]}],
        ":1: groundtruth[0]: not a polygon: a coordinate is beyond 1e+150",
    ),
    "far polygon": (
        [{"id": 1, "groundtruth": [{"label": "a", "segmentation": [[0, 0, 1e200, 0, 1e200, 1e200]]}]}],
        ":1: groundtruth[0]: not a polygon: a coordinate is beyond 1e+150",
    ),
    "label that is a list": (
        [{"id": 1, "groundtruth": [{"label": ["a"], "bbox": [0, 0, 1, 1]}]}],
        ":1: groundtruth[0]: a label is a text or a number, not ['a']",
    ),
    "label of a key that is an object": (
        [{"id": 1, "predictions": [{"label": {"kind": {"a": 1}}, "score": 1, "bbox": [0, 0, 1, 1]}]}],
        ":1: predictions[0]: a label is a text or a number, not {'a': 1}",
    ),
    "labels that are a text": (
        [{"id": 1, "predictions": [{"labels": "cat", "scores": [1], "bbox": [0, 0, 1, 1]}]}],
        ":1: predictions[0]: `labels` is a list of texts or numbers, not 'cat'",
    ),
    "labels of lists": (
        [{"id": 1, "predictions": [{"labels": [["cat"]], "scores": [1], "bbox": [0, 0, 1, 1]}]}],
        ":1: predictions[0]: a label is a text or a number, not ['cat']",
    ),
    "score of several": (
        [
            {"id": 1, "predictions": [{"labels": ["a", "b"], "scores": [1, 1], "bbox": [0, 0, 1, 1]}]},
            {"id": 2, "predictions": [{"labels": ["a"], "scores": ["x"], "bbox": [0, 0, 1, 1]}]},
        ],
        ":2: predictions[0]: the score is not a finite number: 'x'",
    ),
    "labels that are right": (
        [{"id": 1, "groundtruth": [{"labels": ["cat"], "bbox": [0, 0, 1, 1]}]}],
        ":1: groundtruth[0]: `label` is missing; only predictions have `labels`, with their `scores`",
    ),
}


@pytest.mark.parametrize("name", BROKEN_IMAGES)
def test_broken_lines_of_images(name: str, tmp_path: Path) -> None:
    rows, message = BROKEN_IMAGES[name]
    with pytest.raises(BrokenRecords) as error:
        tables_by_key(read_detections(lines(tmp_path / "a.jsonl", *rows)), None, False)
    assert message in str(error.value)


def test_prediction_of_an_unknown_image(tmp_path: Path) -> None:
    truths, found = lines(tmp_path / "a.jsonl", {"id": 1}), lines(tmp_path / "b.jsonl", {"id": 2})
    with pytest.raises(BrokenRecords, match=r"b\.jsonl:1: unknown image 2"):
        read_detections(truths, found)


BROKEN_DATA: dict[str, tuple[list[Any], str]] = {
    "duplicate": ([{"id": "a", "groundtruth": "x"}] * 2, ":2: duplicate id 'a'"),
    "no id": ([{"groundtruth": "x"}], ":1: `id` is missing"),
    "no label": ([{"id": "a"}], ":1: the true label is missing"),
    "NaN": (
        [{"id": "a", "groundtruth": "x", "predictions": {"x": float("nan")}}],
        "a.jsonl:1: `predictions` holds NaN",
    ),
    "true as score": ([{"id": "a", "groundtruth": "x", "predictions": {"x": True}}], "not a finite number: True"),
    "lengths": ([{"id": "a", "groundtruth": "x", "predictions": ["x"], "scores": []}], "1 labels but 0 scores"),
    "no scores": ([{"id": "a", "groundtruth": "x", "predictions": ["x"]}], "`predictions` is a map"),
}


@pytest.mark.parametrize("name", BROKEN_DATA)
def test_broken_classification_lines(name: str, tmp_path: Path) -> None:
    rows, message = BROKEN_DATA[name]
    with pytest.raises(BrokenRecords) as error:
        read_classification(lines(tmp_path / "a.jsonl", *rows))
    assert message in str(error.value)


BROKEN_CSV = {
    "no id": ("name,label\na,x\n", "id,label,score\n", "t.csv:2: `id` is missing"),
    "unknown datum": ("id,label\na,x\n", "id,label,score\nb,x,1\n", "p.csv:2: unknown datum 'b'"),
    "bad score": ("id,label\na,x\n", "id,label,score\na,x,high\n", "not a finite number: 'high'"),
    "empty score": ("id,label\na,x\n", "id,label,score\na,x,\n", "p.csv:2: the score of 'x' is missing"),
    "NaN in a wide file": ("id,label\na,x\n", "id,x,y\na,nan,1\n", "the score of 'x' is not a finite number"),
    "wide twice": ("id,label\na,x\n", "id,x,y\na,0.5,1\na,0.5,1\n", "p.csv:3: duplicate id 'a'"),
    "too many cells": ("id,label\na,x,z\n", "id,x\n", "t.csv:2: 3 cells, but the header has 2"),
}


@pytest.mark.parametrize("name", BROKEN_CSV)
def test_broken_csv(name: str, tmp_path: Path) -> None:
    truths, found, message = BROKEN_CSV[name]
    (tmp_path / "t.csv").write_text(truths)
    (tmp_path / "p.csv").write_text(found)
    with pytest.raises(BrokenRecords) as error:
        read_classification(tmp_path / "t.csv", tmp_path / "p.csv")
    assert message in str(error.value)


def folders(tmp_path: Path, truths: dict[str, Any], found: dict[str, Any]) -> tuple[Path, Path]:
    for name, files in (("t", truths), ("p", found)):
        (tmp_path / name).mkdir()
        for file, content in files.items():
            if isinstance(content, bytes):
                (tmp_path / name / file).write_bytes(content)
            else:
                np.save(tmp_path / name / file, content)
    return tmp_path / "t", tmp_path / "p"


ONES = np.ones((2, 3), dtype=np.uint8)
BROKEN_MAPS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "missing": ({"a.npy": ONES, "b.npy": ONES}, {"a.npy": ONES}, "missing image: no prediction of this name"),
    "unknown": ({"a.npy": ONES}, {"a.npy": ONES, "b.npy": ONES}, "unknown image: no ground truth of this name"),
    "empty": ({}, {}, "holds no .png or .npy file"),
    "colours": ({"a.npy": ONES}, {"a.npy": ONES.astype(float)}, "one array of whole numbers"),
    "no PNG": ({"a.png": b"GIF"}, {"a.png": b"GIF"}, "a.png: not a PNG file"),
    "pickled": ({"a.npy": np.array([{}])}, {"a.npy": ONES}, "a.npy: Object arrays cannot be loaded"),
}


@pytest.mark.parametrize("name", BROKEN_MAPS)
def test_broken_label_maps(name: str, tmp_path: Path) -> None:
    truths, found, message = BROKEN_MAPS[name]
    with pytest.raises(BrokenRecords) as error:
        list(read_label_maps(*folders(tmp_path, truths, found), ["road"]))
    assert message in str(error.value)


BROKEN_MAP_LINES = {
    "label": ({"sky": {"size": [1, 2], "counts": [2]}}, "unknown label 'sky'"),
    "size": ({"road": {"size": [2, 2], "counts": [4]}}, "the mask of 'road' is not of 1 × 2 pixels"),
    "overlap": ({"road": {"size": [1, 2], "counts": [0, 2]}, "car": {"size": [1, 2], "counts": [1, 1]}}, "overlaps"),
    "ragged": ([[0], [0, 1]], "rows of equal length"),
    "nothing": (None, "a label map is a list of rows"),
    "pixel beyond all": ([[0, 10**30]], "the pixel values of a label map have 64 bits at most"),
    "size that is a number": ({"road": {"size": 2, "counts": [2]}}, "the mask of 'road' is not of 1 × 2 pixels"),
    "no counts": ({"road": {"size": [1, 2]}}, "the mask of 'road' has no `counts`"),
    "counts that are a number": ({"road": {"size": [1, 2], "counts": 2}}, "the counts of a run-length mask are"),
    "counts that are true": ({"road": {"size": [1, 2], "counts": [True, True]}}, "are a list of whole numbers or a"),
    "counts of fractions": ({"road": {"size": [1, 2], "counts": [0.5, 1.5]}}, "are a list of whole numbers or a"),
    "counts of lists": ({"road": {"size": [1, 2], "counts": [[2]]}}, "are a list of whole numbers or a"),
    "counts beyond all": ({"road": {"size": [1, 2], "counts": [10**30]}}, "a mask has sides of up to 65536 pixels"),
}


@pytest.mark.parametrize("name", BROKEN_MAP_LINES)
def test_broken_lines_of_label_maps(name: str, tmp_path: Path) -> None:
    value, message = BROKEN_MAP_LINES[name]
    path = lines(tmp_path / "a.jsonl", {"id": 1, "height": 1, "width": 2, "groundtruth": value, "prediction": [[0, 0]]})
    with pytest.raises(BrokenRecords) as error:
        list(read_label_maps(path, None, ["road", "car"]))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'id,label\na,"cat\nb,dog\nc,dog\n', "a.csv:2: not CSV: it opens a quote that is never closed"),
        (b"id,label\na,\xff\n", "not UTF-8"),
    ],
)
def test_csv_that_can_not_be_read_to_its_end(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(BrokenRecords, match=message):
        read_classification(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"groundtruth": "cat", "predictions": {"cat": 10**400}}, "the score of 'cat' is not a finite number"),
        (
            {"groundtruth": {"animal": "cat"}, "predictions": {"animal": ["cat"]}, "scores": [1]},
            "`predictions` is a map",
        ),
    ],
)
def test_scores_of_a_datum_that_are_none(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", **row}))
    with pytest.raises(BrokenRecords, match=message):
        read_classification(tmp_path / "a.jsonl")


def circle(corners: int) -> list[float]:
    around = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    corner_list: list[float] = (10 + 10 * np.stack((np.cos(around), np.sin(around)), axis=1)).ravel().tolist()
    return corner_list


KNOT = [float((place * place * 7919 + side) % 997) for place in range(480) for side in (0, 389 * place)]


@pytest.mark.parametrize(
    ("outline", "reason"),
    [
        (circle(100_000), r"annotations[0]: an outline of 100,000 corners: at most 5,000 are compared; simplify it, or "
         "draw both sides as masks (`rasterise: true`)"),
        (KNOT, "outlines of 960 edges cross so often that they make 111,045 slabs: simplify them"),
    ],
)  # fmt: skip
def test_outlines_of_endless_work_end_in_one_line(outline: list[float], reason: str, tmp_path: Path) -> None:
    spec = {"kind": "task", "name": "t", "records": "detection", "metrics": ["detection_ap"]}
    held, found = truth(segmentation=[outline]), [{**RESULT, "segmentation": [[one + 1 for one in outline]]}]
    (tmp_path / "truth.json").write_text(json.dumps(held))
    (tmp_path / "results.json").write_text(json.dumps(found))
    with pytest.raises(scoring.InputError, match="can't score the data set") as raised:
        scoring.evaluate(spec, tmp_path / "results.json", references=tmp_path / "truth.json")
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_outline_of_many_corners_is_still_drawn_and_boxed() -> None:
    held, found = truth(segmentation=[circle(100_000)]), [{**RESULT, "segmentation": [circle(100_000)]}]
    for settings in ({"rasterise": True}, {"geometry": "box"}):
        assert len(read_coco(held, found, **settings).shapes) == 1
