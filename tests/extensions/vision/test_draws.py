"""The law of every resample: a headline in which each image occurs so many times is that of such a data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.detection.table import Detections
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
from scoring.extensions.vision.segmentation.pixels import LabelMap, PixelCounts, count_pixels
from scoring.packs.coco.metrics import coco_statistics
from tests.extensions.vision.test_parts import data, detections

BOXES: dict[str, Callable[..., Any]] = {
    "ap": lambda table: detection_ap(table, interpolation="coco_101"),
    "ap of one label counted 0": lambda table: detection_ap(
        table, interpolation="floor_101", without_truth="zero", ties="overlap_any_label", minimum_score=1e-9
    ),
    "ap as an area": lambda table: detection_ap(table, iou_thresholds=[0.5], interpolation="area", crowd=False),
    "ap of large boxes": lambda table: detection_ap(table, interpolation="tolerant_101", area=[900, 1e10]),
    "ap at eleven points": lambda table: detection_ap(table, interpolation="voc_11", matching="best_only"),
    "ar": lambda table: detection_ar(table, score_thresholds=[0.0, 0.5]),
    "ar counted 0": lambda table: detection_ar(table, max_detections=1, without_truth="zero"),
    "counts": detection_counts,
    "confusion": detection_confusion,
    "errors": detection_errors,
    "twelve": coco_statistics,
}
DATA: dict[str, Callable[..., Any]] = {
    "report": label_report,
    "report of listed pairs": lambda table: label_report(table, thresholds=[0.5], counting="listed_pairs"),
    "report of any positive": lambda table: label_report(table, thresholds=[0.3], hard_max=False),
    "curve": label_curve,
    "auc": label_roc_auc,
    "auc of listed pairs": lambda table: label_roc_auc(table, unlisted="leave_out"),
    "confusion": label_confusion,
    "errors": label_errors,
}
PIXELS: dict[str, Callable[..., Any]] = {
    over: lambda counts, over=over: pixel_report(counts, average_over=over)
    for over in ("declared", "observed", "ground_truth")
}


@st.composite
def label_maps(draw: Any) -> PixelCounts:
    rows = st.lists(st.integers(0, 3), min_size=4, max_size=4)
    images = draw(st.lists(st.tuples(rows, rows), max_size=6))
    maps = [LabelMap(f"i{n}", np.array([truth]), np.array([found])) for n, (truth, found) in enumerate(images)]
    return count_pixels(maps, "abc")


KINDS = [
    *((metric, name, detections()) for name, metric in BOXES.items()),
    *((metric, name, data().map(Classifications.from_data)) for name, metric in DATA.items()),
    *((metric, name, label_maps()) for name, metric in PIXELS.items()),
]


def drawn(statistic: Any, counts: Any) -> list[float | None]:
    found = statistic.of_counts(np.array(statistic.units).reshape(-1, 1), np.atleast_2d(counts))
    return [None if value != value else float(value) for value in found]


@pytest.mark.parametrize(("metric", "table"), [(m, t) for m, _, t in KINDS], ids=[name for _, name, _ in KINDS])
@settings(max_examples=20, deadline=None)
@given(choice=st.data())
def test_a_resample_is_the_metric_of_its_images(metric: Callable[..., Any], table: Any, choice: st.DataObject) -> None:
    whole = choice.draw(table)
    statistic = metric(whole)
    chosen = choice.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole)))
    # Keys are sorted as text, which is the order of the images here as long as there are at most ten.
    once, some = np.ones(len(whole)), np.array(chosen, dtype=float)
    part = metric(whole.part(np.array(chosen, dtype=np.bool_)))
    assert drawn(statistic, np.stack((once, some, once))) == [statistic.value(), part.value(), statistic.value()]
    units = np.array(statistic.units).reshape(-1, 1)[some > 0]
    found = float(statistic.of_counts(units, np.ones((1, len(units))))[0])
    assert (None if np.isnan(found) else found) == part.value()


@pytest.mark.parametrize("name", [name for name in BOXES if name != "ap as an area"])
@settings(max_examples=20, deadline=None)
@given(table=detections(), choice=st.data())
def test_an_image_drawn_twice_is_an_image_listed_twice(name: str, table: Detections, choice: st.DataObject) -> None:
    counts = choice.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    again = BOXES[name](repeated(with_distinct_scores(table), counts))
    statistic = BOXES[name](with_distinct_scores(table))
    assert drawn(statistic, np.array(counts, dtype=float)) == [again.value()]


def with_distinct_scores(table: Detections) -> Detections:
    """Equal scores of one image would part when it is listed twice."""
    rank = np.argsort(np.argsort(table.row_score, kind="stable"))
    return replace(table, row_score=(1 + rank) / (1 + rank.size))


def repeated(table: Detections, counts: list[int]) -> Detections:
    """The images listed so many times, side by side."""
    images = np.repeat(np.arange(len(table)), counts)
    truths = [(new, i) for new, image in enumerate(images) for i in np.flatnonzero(table.truth_image == image)]
    rows = [(new, i) for new, image in enumerate(images) for i in np.flatnonzero(table.row_image == image)]
    t, r = (np.array([i for _, i in some], dtype=np.int64) for some in (truths, rows))
    t_image, r_image = (np.array([new for new, _ in some], dtype=np.int64) for some in (truths, rows))
    return Detections(
        tuple(range(len(images))),
        np.arange(len(images)),
        table.labels,
        tuple(range(t.size)),
        t_image,
        table.truth_label[t],
        table.truth_area[t],
        table.truth_crowd[t],
        table.truth_ignore[t],
        table.truth_shapes.take(t),
        tuple(range(r.size)),
        np.arange(r.size),
        r_image,
        table.row_label[r],
        table.row_score[r],
        table.row_area[r],
        table.shapes.take(table.row_shape[r]),
    )


@settings(max_examples=20, deadline=None)
@given(rows=data(), choice=st.data())
@pytest.mark.parametrize("name", DATA)
def test_a_datum_drawn_twice_is_a_datum_listed_twice(name: str, rows: list[Datum], choice: st.DataObject) -> None:
    counts = choice.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    labels = sorted({label for row in rows for label in (row.groundtruth, *row.predictions)})
    copies = [row._replace(id=f"{row.id}/{n}") for row, count in zip(rows, counts, strict=True) for n in range(count)]
    again = DATA[name](Classifications.from_data(copies, labels))
    statistic = DATA[name](Classifications.from_data(rows, labels))
    assert drawn(statistic, np.array(counts, dtype=float)) == [again.value()]


@pytest.mark.parametrize("unlisted", ["rank_last", "leave_out"])
@settings(max_examples=30, deadline=None)
@given(choice=st.data())
def test_a_datum_that_is_drawn_twice_is_two_in_the_area(unlisted: Any, choice: st.DataObject) -> None:
    rows = choice.draw(data())
    counts = choice.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    several = [row._replace(id=f"{row.id}{n}") for row, times in zip(rows, counts, strict=True) for n in range(times)]
    found = drawn(label_roc_auc(Classifications.from_data(rows), unlisted=unlisted), np.array(counts, dtype=float))
    labels = Classifications.from_data(rows).labels.names
    assert found == [label_roc_auc(Classifications.from_data(several, labels), unlisted=unlisted).value()]
