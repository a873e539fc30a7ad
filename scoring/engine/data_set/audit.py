"""Attack the metrics of a data set of images: what must hold of any of them, tried on its own ground truth.

The ground truth as the prediction must be perfect, no predictions at all must score nothing, and the right answers to
other images must not pass for right. Whether the order of the images and images that are listed twice change a
figure is told, too: rules that take equal scores as they are listed may depend on the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.engine.audit.laws import TOLERANCE, Audit, Broken, Verdict
from scoring.engine.data_set.table import ImageData, Images, TableMetric
from scoring.metrics.vision.statistic import VisionStatistic
from scoring.vision.classification.table import Classifications
from scoring.vision.detection.table import Detections
from scoring.vision.segmentation.pixels import PixelCounts

MUST = ("reference", "empty", "others")
TOLD = ("order", "twice")
CELLS = 5_000_000
"""So many scores of labels are listed at most; beyond it only the true label of each datum is."""


def audit_images(metrics: Mapping[str, TableMetric], keyed: Mapping[str, Images]) -> list[Audit]:
    """Try every law on every metric under every label key.

    Args:
        metrics: The metrics by their text.
        keyed: The images under each label key.
    """
    return [
        _audit(f"{key}/{text}" if len(keyed) > 1 else text, metric, images.data)
        for key, images in keyed.items()
        for text, metric in metrics.items()
    ]


def _audit(name: str, metric: TableMetric, data: ImageData) -> Audit:
    verdicts = {law: Verdict(law) for law in (*MUST, *TOLD)}
    if not len(data):
        return Audit(name, verdicts, MUST)
    perfect = metric(answered(data)).value()
    if perfect is not None:  # a share of errors is undefined where there are none
        _note(verdicts["reference"], "the ground truth", perfect, abs(perfect - 1.0) <= TOLERANCE)
    nothing = metric(without_answers(data)).value()
    _note(verdicts["empty"], "no predictions", nothing, nothing is None or abs(nothing) <= TOLERANCE)
    shifted = of_other_images(data)
    if shifted is not None and perfect is not None:
        found = metric(shifted).value()
        _note(verdicts["others"], "the answers to other images", found, found is None or found < perfect - TOLERANCE)
    _unchanged(metric, data, verdicts)
    return Audit(name, verdicts, MUST)


def _unchanged(metric: TableMetric, data: ImageData, verdicts: Mapping[str, Verdict]) -> None:
    statistic = metric(data)
    value = statistic.value()
    if value is None:
        return
    order = np.arange(len(data))
    backwards = metric(replace(data.part(order[::-1]), order=order)).value()
    same = backwards is not None and abs(backwards - value) <= TOLERANCE
    _note(verdicts["order"], "the images in the opposite order", backwards, same, value)
    if isinstance(statistic, VisionStatistic):
        units = np.asarray(statistic.units, dtype=np.float64)
        twice = float(statistic.of_counts(units, np.full((1, len(units)), 2.0))[0])
        _note(verdicts["twice"], "every image twice", twice, abs(twice - value) <= TOLERANCE, value)


def _note(verdict: Verdict, tried: str, found: float | None, holds: bool, instead: float | None = None) -> None:
    verdict.tried += 1
    if not holds:
        told = "nothing" if found is None else f"{found:.4f}"
        verdict.broken.append(Broken(tried, None, told if instead is None else f"{told} instead of {instead:.4f}"))


def answered(data: ImageData) -> ImageData:
    """The data with the ground truth as the prediction, each with a score of 1."""
    if isinstance(data, Detections):
        return _boxes(data, data.truth_image)
    if isinstance(data, PixelCounts):
        return _pixels(data, 1)
    return _labels(data, data.truth)


def without_answers(data: ImageData) -> ImageData:
    """The data without any prediction; of label maps, all background."""
    if isinstance(data, Detections):
        return data.keep(None, np.zeros(data.row_image.size, dtype=np.bool_))
    if isinstance(data, PixelCounts):
        return _pixels(data, 0)
    nothing = np.zeros(0, dtype=np.int64)
    return replace(data, row_datum=nothing, row_label=nothing, row_score=np.zeros(0))


def of_other_images(data: ImageData) -> ImageData | None:
    """The data in which each image is answered with the ground truth of the one before it.

    None where that changes nothing, or where the pixels that it takes are not kept.
    """
    if isinstance(data, Detections):
        moved = (data.truth_image + 1) % len(data)
        return None if len(data) < 2 or not moved.size else _boxes(data, moved)
    if isinstance(data, PixelCounts):
        return None
    moved = np.roll(data.truth, 1)
    return None if np.array_equal(moved, data.truth) else _labels(data, moved)


def _boxes(table: Detections, image: Any) -> Detections:
    size = len(table.truth_ids)
    return replace(
        table,
        ids=table.truth_ids,
        row_shape=np.arange(size),
        row_image=image,
        row_label=table.truth_label,
        row_score=np.ones(size),
        row_area=table.truth_area,
        shapes=table.truth_shapes,
    )


def _labels(table: Classifications, truth: Any) -> Classifications:
    """Every datum with these labels at score 1 and, where they are not too many, all others at 0."""
    size, width = len(table), len(table.labels)
    if size * width > CELLS:
        return replace(table, row_datum=np.arange(size), row_label=truth, row_score=np.ones(size))
    label = np.tile(np.arange(width), size)
    datum = np.repeat(np.arange(size), width)
    return replace(table, row_datum=datum, row_label=label, row_score=(label == truth[datum]).astype(np.float64))


def _pixels(counts: PixelCounts, right: int) -> PixelCounts:
    """Every pixel predicted as what it is, or as background."""
    size = len(counts.labels) + 1
    true = counts.cell // size
    return replace(counts, cell=true * size + true * right)
