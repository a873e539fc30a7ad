"""Attacks on the metrics of image data, stories of single images, and comparisons of runs over the same images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.errors import InputError
from scoring.extensions.audit.rules import AuditRules
from scoring.extensions.audit.verdict import Audit, Declared
from scoring.extensions.comparison.statistics.compare import difference
from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.data_set.audit import (
    answered,
    audit_images,
    exchange_label_names,
    of_all_images,
    of_one_image,
    of_other_images,
    without_answers,
)
from scoring.extensions.vision.data_set.comparison import exchange_test
from scoring.extensions.vision.data_set.lines import explain_image
from scoring.extensions.vision.data_set.table import ImageData, ImageMetric, Images, read_data_set
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.task import VisionTask
from scoring.extensions.vision.metrics.classification import label_errors, label_report, label_roc_auc
from scoring.extensions.vision.metrics.detection import detection_ap, detection_ar, detection_counts, detection_errors
from scoring.extensions.vision.metrics.segmentation import pixel_report
from scoring.extensions.vision.metrics.statistic import VisionStatistic
from scoring.extensions.vision.segmentation.pixels import LabelMap, count_pixels
from scoring.packs.coco.metrics import coco_statistics
from scoring.statistics.intervals import interval
from scoring.statistics.statistic import Statistic
from tests.extensions.vision.test_data_set import IMAGES, images_of, jsonl
from tests.support.golden import REPOSITORY

DATA = [Datum("a", "cat", ["cat", "dog"], [0.9, 0.1]), Datum("b", "dog", ["cat"], [0.6]), Datum("c", "dog", [], [])]


def boxes(folder: Path, rows: list[Any]) -> Images:
    return read_data_set(VisionTask("detection"), jsonl(folder / "boxes.jsonl", rows)).keyed["label"]


def labels() -> Images:
    table = Classifications.from_data(DATA)
    return Images(table, table.ids, [{"site": "x"}] * 3)


def with_headline(table: Classifications, headline: Callable[[Any], float]) -> Statistic:
    report = label_report(table)
    assert isinstance(report, VisionStatistic)
    return replace(report, headline=headline)


def ap_of(data: ImageData | None) -> float | None:
    assert isinstance(data, Detections)
    return detection_ap(data).value()


def maps() -> Images:
    images = [
        LabelMap("a", np.array([[1, 2]]), np.array([[1, 1]])),
        LabelMap("b", np.array([[0, 2]]), np.array([[0, 2]])),
    ]
    counts = count_pixels(images, ["road", "car"])
    return Images(counts, counts.ids, [{}, {}])


def verdicts(audit: Audit) -> dict[str, bool | None]:
    return {law: verdict.holds for law, verdict in audit.verdicts.items()}


def test_honest_metrics_of_boxes_keep_the_laws(tmp_path: Path) -> None:
    metrics = {"ap": detection_ap, "coco": coco_statistics, "f1": detection_counts, "errors": detection_errors}
    for audit in audit_images(metrics, {"label": boxes(tmp_path, images_of(20))}):
        assert audit.failed(["twice"]) == []
        assert verdicts(audit)["reference"] is (None if audit.name == "errors" else True)
        # Equal scores are taken as they are listed, so the order of the images may move an average precision.
        assert verdicts(audit)["order"] is (audit.name in ("f1", "errors"))


def test_honest_metrics_of_labels_and_pixels_keep_the_laws() -> None:
    for audit in audit_images({"report": label_report, "errors": label_errors}, {"label": labels()}):
        assert audit.failed(["order", "twice"]) == []
    (audit,) = audit_images({"pixels": pixel_report}, {"label": maps()})
    untried = dict.fromkeys(("others", "stuffing"))
    assert verdicts(audit) == {**dict.fromkeys(audit.verdicts, True), **untried}


def test_an_area_under_a_curve_is_not_nothing_where_nothing_was_answered() -> None:
    (audit,) = audit_images({"auc": label_roc_auc}, {"label": labels()})
    assert [one.found for one in audit.verdicts["empty"].broken] == ["0.5000"]


@pytest.mark.parametrize(
    ("wrong", "broken"),
    [(lambda table: 0.9, "reference"), (lambda table: float(len(table)), "empty"), (lambda table: 1.0, "others")],
)
def test_a_metric_that_looks_away_is_found(wrong: Any, broken: str) -> None:
    def metric(table: Classifications) -> Any:
        return with_headline(table, lambda _: wrong(table))

    (audit,) = audit_images({"wrong": metric}, {"label": labels()})
    assert broken in [verdict.law for verdict in audit.failed()]


def test_a_recall_is_stuffed_unless_that_is_excepted(tmp_path: Path) -> None:
    """Every object of every image, on every image, finds all there is; a recall does not mind what else it finds."""
    images = {"label": boxes(tmp_path, images_of(20))}
    (audit,) = audit_images({"ar": detection_ar}, images)
    assert [verdict.law for verdict in audit.failed()] == ["stuffing"]
    said = Declared((("the spec", AuditRules({"stuffing": "a recall"})),))
    (audit,) = audit_images({"ar": detection_ar}, images, {"ar": said})
    assert audit.failed() == []


@pytest.mark.parametrize("pack", ["coco@1", "valor@1", "valor-lite@0"])
def test_a_pack_says_that_its_recall_is_one(pack: str) -> None:
    folder = REPOSITORY / "specs" / "examples" / "detection"
    files = {"groundtruth": str(folder / "instances.json"), "predictions": str(folder / "results.json")}
    spec = {"kind": "task", "name": "boxes", "records": "detection", "imports": {"pack": pack}, **files}
    found = scoring.audit({**spec, "metrics": ["pack.ar", "pack.ap"]})
    stuffing = [law for one in found.to_json()["scorers"] for law in one["laws"] if law["law"] == "stuffing"]
    assert (found.findings, [law["holds"] for law in stuffing]) == ([], [False, True])


def test_a_label_that_is_special_by_its_place_is_found() -> None:
    def first_label(table: Classifications) -> Any:
        said = (table.row_label == 0) & (table.row_score > 0.5)
        right = said & (table.truth[table.row_datum] == 0)
        share = float(right.sum() / max(1, (table.truth == 0).sum()))
        return with_headline(table, lambda _: share)

    data = [Datum(str(n), "cat" if n % 3 else "dog", ["cat", "dog"], [0.9, 0.1]) for n in range(12)]
    table = Classifications.from_data(data, ["cat", "dog"])
    (audit,) = audit_images({"first": first_label}, {"label": Images(table, table.ids, [{}] * len(data))})
    assert "labels" in [verdict.law for verdict in audit.failed()]


def test_one_answer_for_all_and_all_for_each() -> None:
    table = Classifications.from_data(DATA)
    assert of_one_image(table).row_score.sum() == 3  # type: ignore[union-attr]  # one label for each of three
    assert of_all_images(table).row_score.tolist() == [1.0] * 6  # type: ignore[union-attr]
    other = exchange_label_names(exchange_label_names(table))
    assert isinstance(other, Classifications)
    assert other.truth.tolist() == table.truth.tolist()
    assert of_all_images(maps().data) is None


def test_what_is_tried(tmp_path: Path) -> None:
    images = boxes(tmp_path, IMAGES)
    assert ap_of(answered(images.data)) == pytest.approx(1.0)
    assert ap_of(without_answers(images.data)) == 0.0
    assert ap_of(of_other_images(images.data)) == 0.0
    alike = Classifications.from_data([Datum("a", "x", [], []), Datum("b", "x", [], [])])
    assert of_other_images(alike) is None
    (empty,) = audit_images({"ap": detection_ap}, {"label": images.select([])})
    assert set(verdicts(empty).values()) == {None}


def test_the_story_of_boxes(tmp_path: Path) -> None:
    keyed = {"label": boxes(tmp_path, IMAGES)}
    story = explain_image(VisionTask("detection"), {"ap": detection_ap}, keyed, "2")
    part = story["keys"]["label"]
    assert (story["id"], story["score"], story["attributes"]["weather"]) == (2, 0.0, "sun")
    assert [(one["label"], one["became"], one["overlap"]) for one in part["detections"]] == [
        ("wolf", "confused", 1.0),
        ("cat", "invented", 0.0),
    ]
    assert [(one["label"], one["became"], one["taken_by"]) for one in part["groundtruths"]] == [
        ("dog", "confused", part["detections"][0]["id"])
    ]
    assert part["metrics"] == {"ap": 0.0}
    assert part["notes"] == {"found": 0, "confused": 1, "invented": 1, "missed": 0}


def test_the_story_of_labels() -> None:
    story = explain_image(VisionTask("classification"), {"accuracy": label_report}, {"label": labels()})
    part = story["keys"]["label"]
    assert (story["id"], story["score"], part["groundtruth"]) == ("a", 1.0, "cat")
    assert part["scores"] == [{"label": "cat", "score": 0.9}, {"label": "dog", "score": 0.1}]


def test_the_story_of_pixels() -> None:
    task = VisionTask("segmentation", labels=["road", "car"])
    part = explain_image(task, {"iou": pixel_report}, {"label": maps()}, "a")["keys"]["label"]
    assert part["pixels"] == [
        {"groundtruth": "road", "prediction": "road", "pixels": 1},
        {"groundtruth": "car", "prediction": "road", "pixels": 1},
    ]
    assert (part["labels"]["road"]["iou"], part["labels"]["car"]["iou"], part["metrics"]) == (0.5, 0.0, {"iou": 0.25})


def test_an_image_that_is_not_there_is_named_with_one_that_is() -> None:
    with pytest.raises(InputError, match="no image has the id `aa`"):
        explain_image(VisionTask("classification"), {}, {"label": labels()}, "aa")
    with pytest.raises(InputError, match="the data set holds no image"):
        explain_image(VisionTask("classification"), {}, {"label": labels().select([])})


def test_a_run_does_not_differ_from_itself(tmp_path: Path) -> None:
    images = boxes(tmp_path, images_of(12))
    found = exchange_test(ImageMetric("ap", detection_ap), images, images, resamples=50)
    assert found.p_value == 1.0
    assert found.interval is not None
    assert found.interval.low < 0.0 < found.interval.high  # twelve images that agree say little of the next


def test_a_better_run_is_told_from_a_worse_one(tmp_path: Path) -> None:
    images = boxes(tmp_path, images_of(30))
    best = Images(answered(images.data), images.ids, images.attributes)
    metric = ImageMetric("ap", detection_ap)
    found = difference(metric(images), metric(best))
    values = found.value(), metric(best).value(), metric(images).value()
    seen, high, low = (value for value in values if value is not None)
    assert seen == high - low
    spread = interval(found, name="difference", resamples=200)
    assert spread is not None
    assert 0 < spread.low <= seen <= spread.high
    tested = exchange_test(metric, images, best, resamples=200)
    assert tested.p_value == pytest.approx(1 / 201)
    assert tested.interval is not None
    assert 0 < tested.interval.low < seen < tested.interval.high
    clustered = exchange_test(metric, images, best, {uid: uid % 3 for uid in images.ids}, resamples=200)
    assert clustered.p_value is not None
    assert clustered.p_value > 1 / 201  # three clusters can be exchanged in few ways only
    assert clustered.interval is not None
    assert clustered.interval.low <= 0.0
