"""Auditing the metrics of an image data set: laws that any metric must satisfy, tested on the data set's ground truth.

The ground truth as the prediction must be perfect, no predictions at all must score nothing, and the answers to other
images, one answer for all, and all answers at once must not pass for correct; renaming the labels must not change the
figure. Whether the order of the images or listing them twice changes a figure is reported, too: rules that break ties
of scores by order may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from scoring.extensions.audit.verdict import NOTHING_DECLARED, TOLERANCE, Audit, Broken, Declared, same_figure
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.data_set.table import ImageData, Images, TableMetric
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.metrics.statistic import VisionStatistic
from scoring.extensions.vision.segmentation.pixels import PixelCounts

MUST = ("reference", "empty", "others", "constant", "stuffing", "labels")
OPTIONAL = ("order", "twice")
CELLS = 5_000_000
"""Maximum number of label scores to list; for larger data only the true label of each datum is listed."""
BOXES = 200_000
"""Maximum number of boxes when every image is answered with those of all images."""


def audit_images(
    metrics: Mapping[str, TableMetric], keyed: Mapping[str, Images], declared: Mapping[str, Declared] | None = None
) -> list[Audit]:
    """Test the laws that any metric must satisfy (such as: no predictions score 0) on the data's ground truth, and
    return one Audit with the outcomes per metric and label key.

    Args:
        metrics: The metrics by their expressions in the spec.
        keyed: The images by label key (the field that has the labels).
        declared: The exceptions and additional laws that the spec declares, by metric expression.
    """
    rules = declared or {}
    return [
        _audit(f"{key}/{text}" if len(keyed) > 1 else text, metric, images.data, rules.get(text, NOTHING_DECLARED))
        for key, images in keyed.items()
        for text, metric in metrics.items()
    ]


def _audit(name: str, metric: TableMetric, data: ImageData, declared: Declared) -> Audit:
    verdicts = {law: declared.verdict(law) for law in (*MUST, *OPTIONAL)}
    must = (*MUST, *(law for law in OPTIONAL if law in declared.must))
    for law, tried, found, holds, other in _tries(name, metric, data) if len(data) else ():
        result = "nothing" if found is None else f"{found:.4f}"
        instead = f" instead of {other:.4f}" if other is not None and law in (*OPTIONAL, "labels") else ""
        verdicts[law].note(None if holds else Broken(tried, None, f"{result}{instead}", found, other))
    return Audit(name, verdicts, must)


def _tries(
    name: str, metric: TableMetric, data: ImageData
) -> Iterator[tuple[str, str, float | None, bool, float | None]]:
    """Yield a tuple for each law that can be tested: the law's name, a description of the input, the metric's value for
    this input, True if the law holds, and the value to compare with. `name` is the metric's expression.
    """
    perfect = metric(answered(data)).value()
    if perfect is not None:  # undefined, for example, for a share of errors if there are none
        yield "reference", "the ground truth", perfect, same_figure(perfect, 1.0), 1.0
    nothing = metric(without_answers(data)).value()
    yield "empty", "no predictions", nothing, nothing is None or abs(nothing) <= TOLERANCE, perfect
    wrong = (
        ("others", "the answers to other images", of_other_images(data)),
        ("constant", "one answer for all", of_one_image(data)),
        ("stuffing", "the answers to all images for each", of_all_images(data)),
    )
    for law, tried, table in wrong:
        if table is not None and perfect is not None:
            found = metric(table).value()
            yield law, tried, found, found is None or found < perfect - TOLERANCE, perfect
    labels = data.labels if isinstance(data, PixelCounts) else data.labels.names
    # A metric whose arguments name a label changes with the labels' names.
    if len(labels) >= 2 and not any(f'"{label}"' in name for label in labels):
        mixed = data if isinstance(data, PixelCounts) else _one_third_wrong(data)
        before, after = metric(mixed).value(), metric(exchange_label_names(mixed)).value()
        yield "labels", "the labels under one another's names", after, same_figure(after, before), before
    statistic = metric(data)
    value = statistic.value()
    if value is None:
        return
    order = np.arange(len(data))
    backwards = metric(replace(data.part(order[::-1]), order=order)).value()
    yield "order", "the images in the opposite order", backwards, same_figure(backwards, value), value
    if isinstance(statistic, VisionStatistic):
        units = np.asarray(statistic.units, dtype=np.float64)
        twice = float(statistic.of_counts(units, np.full((1, len(units)), 2.0))[0])
        yield "twice", "every image twice", twice, same_figure(twice, value), value


def answered(data: ImageData) -> ImageData:
    """Return the data with the ground truth in place of the predictions, all with score 1."""
    if isinstance(data, Detections):
        return _boxes(data, data.truth_image)
    if isinstance(data, PixelCounts):
        return _pixels(data, 1)
    return _labels(data, data.truth)


def without_answers(data: ImageData) -> ImageData:
    """Return the data without any prediction; in label maps every pixel is predicted as background."""
    if isinstance(data, Detections):
        return data.keep(None, np.zeros(data.row_image.size, dtype=np.bool_))
    if isinstance(data, PixelCounts):
        return _pixels(data, 0)
    nothing = np.zeros(0, dtype=np.int64)
    return replace(data, row_datum=nothing, row_label=nothing, row_score=np.zeros(0))


def of_other_images(data: ImageData) -> ImageData | None:
    """Return the data with the ground truth of the previous image as the prediction for each image.

    Return None if this changes nothing, and for label maps, of which only pixel counts are kept.
    """
    if isinstance(data, Detections):
        moved = (data.truth_image + 1) % len(data)
        return None if len(data) < 2 or not moved.size else _boxes(data, moved)
    if isinstance(data, PixelCounts):
        return None
    moved = np.roll(data.truth, 1)
    return None if np.array_equal(moved, data.truth) else _labels(data, moved)


def of_one_image(data: ImageData) -> ImageData | None:
    """Return the data with the same prediction for every image: the most common label, the boxes of one image, or in
    label maps one label for all pixels. Return None if at most one image has objects, or one label occurs.
    """
    if isinstance(data, PixelCounts):
        size = len(data.labels) + 1
        return replace(data, cell=data.cell // size * size + 1)
    if isinstance(data, Detections):
        if len(data) < 2 or len(np.unique(data.truth_image)) < 2:
            return None
        one = np.flatnonzero(data.truth_image == data.truth_image[0])
        return _boxes(data, np.repeat(np.arange(len(data)), len(one)), np.tile(one, len(data)))
    labels, counts = np.unique(data.truth, return_counts=True)
    return None if len(labels) < 2 else _labels(data, np.full(len(data), labels[counts.argmax()]))


def of_all_images(data: ImageData) -> ImageData | None:
    """Return the data with the ground truths of all images predicted for every image, or all labels for every datum.

    Return None for label maps, if all images have the same ground truth, or if there would be too many predictions.
    """
    if isinstance(data, PixelCounts):
        return None
    if isinstance(data, Detections):
        size = len(data.truth_ids)
        if len(np.unique(data.truth_image)) < 2 or size * len(data) > BOXES:
            return None
        image, truths = np.repeat(np.arange(len(data)), size), np.tile(np.arange(size), len(data))
        # Rules for equal scores may prefer larger overlaps, so wrong answers get the higher score.
        scores = np.where(data.truth_image[truths] == image, 0.5, 1.0)
        return replace(_boxes(data, image, truths), row_score=scores)
    found = _labels(data, data.truth)
    enough = len(data.labels) > 1 and len(found.row_score) > len(data)
    return replace(found, row_score=np.ones(len(found.row_score))) if enough else None


def exchange_label_names(data: ImageData) -> ImageData:
    """Return the data with each label replaced by another, the same way in ground truth and predictions."""
    if isinstance(data, PixelCounts):
        size = len(data.labels) + 1
        other = np.concatenate([[0], np.arange(size - 1, 0, -1)])
        return replace(data, cell=other[data.cell // size] * size + other[data.cell % size])
    other = np.arange(len(data.labels))[::-1]
    if isinstance(data, Detections):
        return replace(data, truth_label=other[data.truth_label], row_label=other[data.row_label])
    return replace(data, truth=other[data.truth], row_label=other[data.row_label])


def _one_third_wrong(data: Detections | Classifications) -> ImageData:
    """Return the data with its ground truth as the prediction, but a wrong label (the next one) in the first third."""
    size = len(data.labels)
    truth = data.truth_label if isinstance(data, Detections) else data.truth
    wrong = np.where(np.arange(len(truth)) * 3 < len(truth), (truth + 1) % size, truth)
    return (
        replace(_boxes(data, data.truth_image), row_label=wrong)
        if isinstance(data, Detections)
        else _labels(data, wrong)
    )


def _boxes(table: Detections, image: Any, truths: Any = None) -> Detections:
    """Return the table with ground truths as its only detections, each with score 1.

    Args:
        table: The data.
        image: The index of the image on which each detection is placed.
        truths: The indices of the ground truths; None for all.
    """
    size = len(table.truth_ids)
    at = np.arange(size) if truths is None else truths
    return replace(
        table,
        ids=tuple(range(len(at))) if truths is not None else table.truth_ids,
        row_shape=np.arange(len(at)),
        row_image=image,
        row_label=table.truth_label[at],
        row_score=np.ones(len(at)),
        row_area=table.truth_area[at],
        shapes=table.truth_shapes if truths is None else table.truth_shapes.take(at),
    )


def _labels(table: Classifications, truth: Any) -> Classifications:
    """Return the table with new predictions: score 1 for each datum's label in `truth`, and score 0 for all its other
    labels, which are left out if the table would exceed `CELLS` rows.
    """
    size, width = len(table), len(table.labels)
    if size * width > CELLS:
        return replace(table, row_datum=np.arange(size), row_label=truth, row_score=np.ones(size))
    label = np.tile(np.arange(width), size)
    datum = np.repeat(np.arange(size), width)
    return replace(table, row_datum=datum, row_label=label, row_score=(label == truth[datum]).astype(np.float64))


def _pixels(counts: PixelCounts, right: int) -> PixelCounts:
    """Return the counts with every pixel predicted as its true label (`right` = 1) or as background (0)."""
    size = len(counts.labels) + 1
    true = counts.cell // size
    return replace(counts, cell=true * size + true * right)
