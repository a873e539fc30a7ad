"""Whole data sets from files to results: formats, filters, label maps, label keys, breakdowns, plots, empty input."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.errors import InputError
from scoring.extensions.pages.charts import plots_of
from scoring.extensions.vision.data_set.evaluate import How, VisionResult, evaluate_tables
from scoring.extensions.vision.data_set.table import ImageMetric, Images, read_data_set
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.faults import BrokenRecords
from scoring.extensions.vision.files.task import Records, VisionTask
from scoring.extensions.vision.metrics.classification import (
    label_confusion,
    label_curve,
    label_errors,
    label_report,
    label_roc_auc,
)
from scoring.extensions.vision.metrics.detection import (
    detection_ap,
    detection_ar,
    detection_confusion,
    detection_counts,
    detection_errors,
)
from scoring.extensions.vision.metrics.segmentation import pixel_report
from scoring.format.sections import Intervals
from scoring.packs.coco.metrics import coco_statistics

CLASS_METRICS: dict[str, Any] = {
    "report": label_report,
    "auc": label_roc_auc,
    "confusion": label_confusion,
    "curve": label_curve,
    "errors": label_errors,
}
BOX_METRICS: dict[str, Any] = {
    "ap": lambda table: detection_ap(table, iou_thresholds=[0.5], curves=True),
    "ar": detection_ar,
    "counts": detection_counts,
    "confusion": detection_confusion,
    "errors": detection_errors,
    "coco": coco_statistics,
}


def jsonl(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def evaluate_task(
    task: VisionTask,
    metrics: dict[str, Any],
    truth: Path,
    predictions: Path | None = None,
    how: How | None = None,
    limit: int | None = None,
) -> VisionResult:
    return evaluate_tables(task, metrics, read_data_set(task, truth, predictions, limit), how or How())


def plots_in(result: VisionResult) -> list[str]:
    """The names of the plots of all metrics of the only label key."""
    (part,) = result.data["keys"].values()
    return [name for metric in part["metrics"] for name in plots_of(metric["details"])]


def headline(result: VisionResult, metric: str, key: str = "label") -> Any:
    found = {m["metric"]: m["value"] for m in result.data["keys"][key]["metrics"]}
    return rounded(found[metric])


def rounded(value: Any) -> Any:
    """COCO's guarded division makes a perfect precision 1 less one bit."""
    return None if value is None else round(value, 12)


def group(result: VisionResult, name: str, value: str, metric: str, key: str = "label") -> Any:
    return rounded({m["metric"]: m["value"] for m in result.data["keys"][key]["by"][name][value]}[metric])


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    return jsonl(
        tmp_path / "animals.jsonl",
        [
            {"id": "a", "groundtruth": "cat", "predictions": {"cat": 0.9, "dog": 0.1}, "camera": ["left", "night"]},
            {"id": "b", "groundtruth": "dog", "predictions": {"cat": 0.8, "dog": 0.2}, "camera": ["right"]},
            {"id": "c", "groundtruth": "kitten", "predictions": {"cat": 0.6, "dog": 0.4}, "camera": ["left"]},
        ],
    )


def test_classification_with_everything(animals: Path) -> None:
    task = VisionTask("classification", label_map={"kitten": "cat"}, by=["camera"])
    result = evaluate_task(task, CLASS_METRICS, animals)
    assert headline(result, "report") == pytest.approx(2 / 3)
    assert group(result, "camera", "left", "report") == 1.0
    assert group(result, "camera", "right", "report") == 0.0
    assert [item["id"] for item in result.data["keys"]["label"]["worst"]] == ["b"]
    json.dumps(result.data, allow_nan=False)
    assert plots_in(result) == ["confusion_matrix", "precision_recall"]


def test_classification_filters_and_closed_labels(animals: Path) -> None:
    night = VisionTask("classification", filters={"images": {"camera": [["right"]]}})
    assert headline(evaluate_task(night, CLASS_METRICS, animals), "report") == 0.0
    closed = VisionTask("classification", labels=["cat", "dog"])
    with pytest.raises(BrokenRecords, match="unknown label 'kitten'"):
        evaluate_task(closed, CLASS_METRICS, animals)
    strict = VisionTask("classification", filters={"predictions": {"score": {"min": 0.7}}})
    assert headline(evaluate_task(strict, CLASS_METRICS, animals), "report") == pytest.approx(1 / 3)


def test_several_label_keys(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "keys.jsonl",
        [
            {
                "id": 1,
                "groundtruth": {"animal": "cat", "colour": "grey"},
                "predictions": {"animal": {"cat": 0.9}, "colour": {"black": 0.7, "grey": 0.3}},
            },
            {"id": 2, "groundtruth": {"animal": "dog"}, "predictions": {"animal": {"dog": 0.9}}},
        ],
    )
    result = evaluate_task(VisionTask("classification"), {"report": label_report}, path)
    assert (headline(result, "report", "animal"), headline(result, "report", "colour")) == (1.0, 0.0)


@pytest.mark.parametrize("wide", [True, False])
def test_csv_of_label_scores(tmp_path: Path, wide: bool) -> None:
    (tmp_path / "t.csv").write_text("id,label,camera\na,cat,left\nb,dog,right\n")
    long = "id,label,score\na,cat,0.9\na,dog,0.1\nb,cat,0.7\nb,dog,0.3\n"
    (tmp_path / "p.csv").write_text("id,cat,dog\na,0.9,0.1\nb,0.7,0.3\n" if wide else long)
    task = VisionTask("classification", by=["camera"])
    result = evaluate_task(task, {"report": label_report}, tmp_path / "t.csv", tmp_path / "p.csv")
    assert headline(result, "report") == 0.5
    assert group(result, "camera", "right", "report") == 0.0


IMAGES = [
    {
        "id": 1,
        "height": 100,
        "width": 100,
        "weather": "rain",
        "groundtruth": [{"label": "cat", "bbox": [0, 0, 10, 10]}, {"label": "dog", "bbox": [50, 50, 30, 30]}],
        "predictions": [{"label": "cat", "score": 0.9, "bbox": [0, 0, 10, 10]}],
    },
    {
        "id": 2,
        "height": 100,
        "width": 100,
        "weather": "sun",
        "groundtruth": [{"label": "dog", "bbox": [5, 5, 40, 40]}],
        "predictions": [
            {"label": "wolf", "score": 0.8, "bbox": [5, 5, 40, 40]},
            {"label": "cat", "score": 0.3, "bbox": [70, 70, 9, 9]},
        ],
    },
    {"id": 3, "height": 100, "width": 100, "weather": "sun"},
]


def test_detection_with_everything(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "images.jsonl", IMAGES)
    task = VisionTask("detection", label_map={"wolf": "dog"}, by=["weather"])
    result = evaluate_task(task, BOX_METRICS, path)
    assert result.data["images"] == 3
    assert result.data["geometry"] == "box"
    assert headline(result, "ap") == pytest.approx((1 + 51 / 101) / 2)
    assert group(result, "weather", "rain", "ap") == pytest.approx(0.5)
    assert group(result, "weather", "sun", "ap") == 1.0
    assert [item["id"] for item in result.data["keys"]["label"]["worst"]] == [1, 2]
    json.dumps(result.data, allow_nan=False)
    assert len(plots_in(result)) == 3


@pytest.mark.parametrize("side", ["groundtruth", "predictions", "images"])
def test_a_filter_on_what_nothing_has_is_refused(animals: Path, tmp_path: Path, side: str) -> None:
    images = jsonl(tmp_path / "images.jsonl", IMAGES)
    cases: list[tuple[Records, Any, Path]] = [
        ("classification", CLASS_METRICS, animals),
        ("detection", BOX_METRICS, images),
    ]
    for records, metrics, path in cases:
        task = VisionTask(records, filters={side: {"scor": {"min": 0.1}}})
        with pytest.raises(BrokenRecords, match=rf"nothing here has `scor`, which `filters\.{side}` names"):
            evaluate_task(task, metrics, path)


def test_detection_filters(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "images.jsonl", IMAGES)
    small = {"area": {"max": 100}}
    task = VisionTask("detection", filters={"groundtruth": small, "predictions": small})
    result = evaluate_task(task, BOX_METRICS, path)
    assert headline(result, "ap") == 1.0
    rain = VisionTask("detection", filters={"images": {"weather": "rain"}})
    assert evaluate_task(rain, BOX_METRICS, path).data["images"] == 1
    dogs = VisionTask("detection", labels=["dog"])
    assert headline(evaluate_task(dogs, BOX_METRICS, path), "ap") == 0.0


def test_detection_from_coco_files(tmp_path: Path) -> None:
    truth = {
        "images": [{"id": 1, "height": 20, "width": 20, "site": "a"}, {"id": 2, "height": 20, "width": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]},
            {"id": 2, "image_id": 2, "category_id": 1, "bbox": [0, 0, 5, 5]},
        ],
    }
    (tmp_path / "t.json").write_text(json.dumps(truth))
    found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]
    (tmp_path / "p.json").write_text(json.dumps(found))
    task = VisionTask("detection", by=["site"], filters={"predictions": {"score": {"min": 0.4}}})
    result = evaluate_task(task, BOX_METRICS, tmp_path / "t.json", tmp_path / "p.json")
    assert headline(result, "ap") == pytest.approx(51 / 101)
    assert group(result, "site", "a", "ap") == 1.0
    assert group(result, "site", "(none)", "ap") == 0.0


def test_label_keys_of_boxes(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "keys.jsonl",
        [
            {
                "id": 1,
                "groundtruth": [{"label": {"kind": "car", "colour": "red"}, "bbox": [0, 0, 10, 10]}],
                "predictions": [{"label": {"kind": "car", "colour": "blue"}, "score": 0.9, "bbox": [0, 0, 10, 10]}],
            }
        ],
    )
    result = evaluate_task(VisionTask("detection"), {"ap": detection_ap}, path)
    assert (headline(result, "ap", "kind"), headline(result, "ap", "colour")) == (1.0, 0.0)


def test_rotated_boxes_and_their_statement(tmp_path: Path) -> None:
    box = {"label": "ship", "rbox": [50, 50, 40, 10, 30]}
    path = jsonl(tmp_path / "r.jsonl", [{"id": 1, "groundtruth": [box], "predictions": [{**box, "score": 0.9}]}])
    result = evaluate_task(VisionTask("detection"), {"ap": detection_ap}, path)
    assert (headline(result, "ap"), result.data["geometry"]) == (1.0, "polygon")


def test_segmentation_streams_over_images(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "maps.jsonl",
        [
            {"id": "a", "weather": "rain", "groundtruth": [[1, 1]], "prediction": [[1, 0]]},
            {
                "id": "b",
                "height": 1,
                "width": 2,
                "weather": "sun",
                "groundtruth": {"road": {"size": [1, 2], "counts": [0, 2]}},
                "prediction": {"road": {"size": [1, 2], "counts": [0, 2]}},
            },
        ],
    )
    task = VisionTask("segmentation", labels=["road"], by=["weather"])
    result = evaluate_task(task, {"pixels": pixel_report}, path)
    assert headline(result, "pixels") == pytest.approx(3 / 4)
    assert group(result, "weather", "rain", "pixels") == 0.5
    assert [item["id"] for item in result.data["keys"]["label"]["worst"]] == ["a", "b"]
    assert len(plots_in(result)) == 1


def test_segmentation_from_folders(tmp_path: Path) -> None:
    for name, values in (("t", [[1, 0]]), ("p", [[1, 1]])):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.array(values, dtype=np.uint8))
    task = VisionTask("segmentation", labels=["road"])
    result = evaluate_task(task, {"pixels": pixel_report}, tmp_path / "t", tmp_path / "p")
    assert headline(result, "pixels") == 0.5
    np.save(tmp_path / "p" / "a.npy", np.array([[1, 2]], dtype=np.uint8))
    with pytest.raises(BrokenRecords, match="the prediction of a holds the value 2; 1 labels are declared"):
        evaluate_task(task, {"pixels": pixel_report}, tmp_path / "t", tmp_path / "p")
    np.save(tmp_path / "p" / "a.npy", np.array([[1]], dtype=np.uint8))
    with pytest.raises(BrokenRecords, match="the prediction of a is 1 × 1 pixels, the ground truth 1 × 2"):
        evaluate_task(task, {"pixels": pixel_report}, tmp_path / "t", tmp_path / "p")


def test_empty_data_sets_have_no_values(tmp_path: Path) -> None:
    empty = jsonl(tmp_path / "empty.jsonl", [])
    for metrics, records in ((CLASS_METRICS, "classification"), (BOX_METRICS, "detection")):
        result = evaluate_task(VisionTask(records), metrics, empty)  # type: ignore[arg-type]
        assert {m["value"] for m in result.data["keys"]["label"]["metrics"]} == {None}
        json.dumps(result.data, allow_nan=False)
    task = VisionTask("segmentation", labels=["road"])
    result = evaluate_task(task, {"pixels": pixel_report}, empty)
    assert (headline(result, "pixels"), result.data["images"]) == (None, 0)


@pytest.mark.parametrize(("side", "ap", "ar"), [("groundtruth", 0.0, 0.0), ("predictions", None, None)])
def test_one_side_only(tmp_path: Path, side: str, ap: float | None, ar: float | None) -> None:
    """Objects without detections have AP 0; detections without objects have none."""
    rows = [{"id": 1, side: [{"label": "cat", "bbox": [0, 0, 5, 5], "score": 0.5}]}]
    result = evaluate_task(VisionTask("detection"), BOX_METRICS, jsonl(tmp_path / "a.jsonl", rows))
    assert (headline(result, "ap"), headline(result, "ar")) == (ap, ar)
    assert len(result.data["keys"]["label"]["worst"]) == 1


def test_data_without_predictions_are_missed(tmp_path: Path) -> None:
    rows = [{"id": "a", "groundtruth": "cat", "predictions": {}}, {"id": "b", "groundtruth": "cat"}]
    result = evaluate_task(VisionTask("classification"), CLASS_METRICS, jsonl(tmp_path / "a.jsonl", rows))
    assert headline(result, "report") == 0.0
    assert headline(result, "auc") is None


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="filters are for groundtruth, predictions, images, not boxes"):
        VisionTask("detection", filters={"boxes": {}})
    with pytest.raises(ValueError, match="segmentation needs `labels`"):
        VisionTask("segmentation")


def images_of(count: int) -> list[Any]:
    """Street images with a car each, found in every third, and some that are not there."""
    return [
        {
            "id": n,
            "height": 100,
            "width": 100,
            "site": f"s{n % 4}",
            "weather": ["rain", "fog"] if n % 5 == 0 else ["sun"],
            "groundtruth": [{"label": "car", "bbox": [n % 7, 0, 20, 20]}] if n % 6 else [],
            "predictions": [
                {"label": "car" if n % 3 else "van", "score": (n % 11 + 1) / 12, "bbox": [0, 0, 20, 20]},
                {"label": "car", "score": 0.3, "bbox": [70, 70, 9, 9]},
            ],
        }
        for n in range(count)
    ]


@pytest.mark.parametrize("records", ["detection", "classification", "segmentation"])
def test_several_processes_give_the_bits_of_one(tmp_path: Path, records: Any) -> None:
    rows: list[Any] = {
        "detection": images_of(30),
        "classification": [
            {"id": n, "groundtruth": "ab"[n % 2], "predictions": {"a": n % 5 / 5, "c": 0.3}, "site": n % 3}
            for n in range(30)
        ],
        "segmentation": [
            {"id": f"i{n}", "groundtruth": [[n % 3, 1]], "prediction": [[n % 2, 1]], "site": n % 3} for n in range(12)
        ],
    }[records]
    metrics = {"detection": BOX_METRICS, "classification": CLASS_METRICS, "segmentation": {"pixels": pixel_report}}
    labels = ["road", "car"] if records == "segmentation" else None
    task = VisionTask(records, by=["site"], labels=labels)
    path = jsonl(tmp_path / "data.jsonl", rows)
    intervals = Intervals(resamples=50)
    one, three = (evaluate_task(task, metrics[records], path, how=How(intervals, processes=count)) for count in (1, 3))
    assert one.data == three.data
    assert list(one.records) == list(three.records)


def test_breakdowns_cross_and_have_intervals(tmp_path: Path) -> None:
    task = VisionTask("detection", by=["site x weather", "weather"])
    result = evaluate_task(
        task, BOX_METRICS, jsonl(tmp_path / "a.jsonl", images_of(40)), how=How(Intervals(resamples=99))
    )
    crossed = result.data["by"]["site x weather"]
    assert [group["group"] for group in crossed[:3]] == ["s0 x fog", "s0 x rain", "s0 x sun"]
    assert crossed[0]["values"] == {"site": "s0", "weather": "fog"}
    assert crossed[2]["metrics"][0]["method"] == "bounded"
    fog, rain, sun = result.data["by"]["weather"]
    assert (fog["counts"]["records"], rain["counts"]["records"], sun["counts"]["records"]) == (8, 8, 32)
    assert rounded(result.data["metrics"][0]["value"]) == headline(result, "ap")


def test_images_of_one_site_are_drawn_together(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", images_of(40))
    drawn = [
        evaluate_task(VisionTask("detection"), {"ap": detection_ap}, path, how=How(Intervals(cluster=cluster)))
        for cluster in (None, "site")
    ]
    alone, together = (found.data["metrics"][0] for found in drawn)
    assert alone["value"] == together["value"]
    assert alone["interval"] != together["interval"]


def test_figures_do_not_depend_on_the_order_of_the_images(tmp_path: Path) -> None:
    rows = images_of(24)
    one, other = (
        evaluate_task(VisionTask("detection"), BOX_METRICS, jsonl(tmp_path / f"{n}.jsonl", some)).data["metrics"]
        for n, some in enumerate((rows, rows[::-1]))
    )
    told = ("metric", "value", "interval", "method", "units")
    assert [[row[name] for name in told] for row in one] == [[row[name] for name in told] for row in other]


def test_accuracy_has_the_interval_of_a_share(animals: Path) -> None:
    result = evaluate_task(VisionTask("classification"), CLASS_METRICS, animals)
    assert [metric["method"] for metric in result.data["metrics"][:2]] == ["score", "bounded"]


def test_each_label_key_has_figures_of_its_own(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "groundtruth": {"animal": "cat", "colour": "grey"}, "predictions": {"animal": {"cat": 1}}},
        {"id": 2, "groundtruth": {"animal": "dog"}, "predictions": {"animal": {"cat": 1}}},
    ]
    result = evaluate_task(
        VisionTask("classification", by=["site"]), {"report": label_report}, jsonl(tmp_path / "a.jsonl", rows)
    )
    assert result.metrics == {"animal/report": 0.5, "colour/report": 0.0}
    assert [(one.id, one.score, list(one.fields)) for one in result.records] == [
        ("1", 0.5, ["animal", "colour"]),
        ("2", 0.0, ["animal"]),
    ]
    assert list(result.data["by"]) == ["animal/site", "colour/site"]


def test_an_image_without_labels_has_nothing_to_score(tmp_path: Path) -> None:
    rows = [{"id": "a", "groundtruth": [[0, 0]], "prediction": [[0, 0]]}]
    task = VisionTask("segmentation", labels=["road"])
    result = evaluate_task(task, {"pixels": pixel_report}, jsonl(tmp_path / "a.jsonl", rows))
    assert (result.records[0].status, result.records[0].outcome.reason) == (
        "not_applicable",
        "neither side shows a label",
    )


def test_a_limit_takes_the_first_images(tmp_path: Path, animals: Path) -> None:
    boxes = jsonl(tmp_path / "boxes.jsonl", images_of(9))
    for records, path in (("detection", boxes), ("classification", animals)):
        result = evaluate_task(VisionTask(records), {}, path, limit=2)  # type: ignore[arg-type]
        assert [one.id for one in result.records] == ([0, 1] if records == "detection" else ["a", "b"])


def test_a_statistic_that_names_no_images_is_not_drawn_by_cluster(tmp_path: Path) -> None:
    class Foreign:
        keys = ("elsewhere",)

    table = detection_table(tmp_path)
    with pytest.raises(InputError, match="does not say which images it counts"):
        ImageMetric("foreign", lambda _: Foreign())(table)


def detection_table(folder: Path) -> Images:
    from scoring.extensions.vision.data_set.table import read_data_set

    return read_data_set(VisionTask("detection"), jsonl(folder / "t.jsonl", images_of(3))).keyed["label"]


def test_images_are_a_table(tmp_path: Path) -> None:
    images = detection_table(tmp_path)
    some = images.select([2, 0])
    assert (some.ids, some.column("site"), some.column("weather[0]")) == ([2, 0], ["s2", "s0"], ["sun", "rain"])
    assert some.keyed(["x", "y"]).ids == ["x", "y"]
    with pytest.raises(ValueError, match="not grouped by site"):
        images.keyed([1, 2, 3], "site")


@pytest.mark.parametrize("deadly", [{5}, set(range(8))])
def test_an_image_that_kills_its_process_is_unscored_and_the_others_are_not(tmp_path: Path, deadly: set[int]) -> None:
    parent = os.getpid()

    def metric(table: Detections) -> Any:
        if os.getpid() != parent and deadly & set(table.images):
            os._exit(9)
        return detection_ap(table)

    path = jsonl(tmp_path / "a.jsonl", images_of(8))
    task = VisionTask("detection")
    result = evaluate_task(task, {"ap": metric}, path, how=How(processes=2))
    assert {one.id for one in result.records if one.status == "unscored"} == deadly
    assert result.data["counts"]["unscored"] == len(deadly)
    rest = jsonl(tmp_path / "rest.jsonl", [row for row in images_of(8) if row["id"] not in deadly])
    assert result.metrics == evaluate_task(task, {"ap": detection_ap}, rest).metrics


def test_an_interval_lies_around_its_figure(tmp_path: Path) -> None:
    """Images that are drawn twice tie with themselves, which lifts every draw of an average precision."""
    task = VisionTask("detection")
    rows = [{**row, "predictions": row["predictions"] * 4} for row in images_of(60)]
    path = jsonl(tmp_path / "a.jsonl", rows)
    result = evaluate_task(task, {"ap": detection_ap, "f1": detection_counts}, path, how=How(Intervals(resamples=300)))
    for metric in result.data["metrics"]:
        low, high = metric["interval"]
        assert 0 <= low < metric["value"] < high <= 1
