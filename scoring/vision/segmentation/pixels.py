"""The confusion matrix of pixels, the only thing kept while images stream by, and the metrics read from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.vision.arrays import Floats, Ints, f1_score, plain, ratio

Labels = NDArray[np.integer[Any]]
#: Which labels the mean IoU averages: all that are declared (valor-lite 0.39), those with a pixel on either side,
#: or those with a true pixel (Valor's older service).
AverageOver = Literal["declared", "observed", "ground_truth"]


class LabelMap(NamedTuple):
    """One image: its id and two arrays of whole numbers; 0 is background, i + 1 is label i."""

    id: str
    groundtruth: Labels
    prediction: Labels


@dataclass(frozen=True, eq=False)
class PixelCounts:
    """Pixels by (true, predicted) value, background first; parts of a data set add up."""

    labels: tuple[str, ...]
    matrix: Ints
    images: int

    @classmethod
    def empty(cls, labels: Sequence[str]) -> PixelCounts:
        """No image yet.

        Args:
            labels: Names of the values 1, 2, …
        """
        if len(set(labels)) != len(labels):
            raise ValueError("a label is declared twice")
        size = len(labels) + 1
        return cls(tuple(labels), np.zeros((size, size), dtype=np.int64), 0)

    def add(self, image: LabelMap) -> PixelCounts:
        """The counts with one image more.

        Args:
            image: The image; only its counts are kept.
        """
        truth, found = check_label_map(image, len(self.labels))
        size = len(self.labels) + 1
        cells = np.bincount(truth * size + found, minlength=size * size).reshape(size, size)
        return PixelCounts(self.labels, self.matrix + cells, self.images + 1)

    def merge(self, other: PixelCounts) -> PixelCounts:
        """The counts of two disjoint parts of a data set together.

        Args:
            other: Counts of other images with the same labels.
        """
        if self.labels != other.labels:
            raise ValueError("pixel counts over different labels cannot be merged")
        return PixelCounts(self.labels, self.matrix + other.matrix, self.images + other.images)

    @property
    def tp(self) -> Ints:
        """Pixels of each label found as such."""
        return np.diagonal(self.matrix)[1:]

    @property
    def truth(self) -> Ints:
        """True pixels of each label."""
        return np.asarray(self.matrix.sum(axis=1)[1:])

    @property
    def found(self) -> Ints:
        """Predicted pixels of each label."""
        return np.asarray(self.matrix.sum(axis=0)[1:])

    def intersection_over_union(self) -> Floats:
        """IoU of every pair of a true and a predicted label; 0 where neither has a pixel."""
        common = self.matrix[1:, 1:]
        return ratio(common, self.truth[:, None] + self.found[None, :] - common)

    def mean_iou(self, over: AverageOver) -> float:
        """Mean IoU; NaN when there is no label to average.

        Args:
            over: Which labels are averaged.
        """
        chosen = {
            "declared": np.ones(len(self.labels), dtype=np.bool_),
            "observed": (self.truth > 0) | (self.found > 0),
            "ground_truth": self.truth > 0,
        }[over]
        values = np.diagonal(self.intersection_over_union())[chosen].tolist()
        return math.fsum(values) / len(values) if values else math.nan

    def accuracy(self) -> float:
        """Share of all pixels, background included, that have the right value; NaN without pixels."""
        pixels = int(self.matrix.sum())
        return int(np.trace(self.matrix)) / pixels if pixels else math.nan

    def per_label(self) -> dict[str, dict[str, Any]]:
        """Precision, recall, F1, IoU and pixel counts of each label; 0 where undefined."""
        precision, recall = ratio(self.tp, self.found), ratio(self.tp, self.truth)
        columns = {
            "precision": precision,
            "recall": recall,
            "f1": f1_score(precision, recall),
            "iou": np.diagonal(self.intersection_over_union()),
        }
        counts = {"true_pixels": self.truth, "predicted_pixels": self.found, "common_pixels": self.tp}
        return {
            label: {name: float(values[i]) for name, values in columns.items()}
            | {name: int(values[i]) for name, values in counts.items()}
            for i, label in enumerate(self.labels)
        }

    def confusion(self) -> dict[str, Any]:
        """IoU of every pair of labels, and the share of each label's pixels that is background on the other side."""
        iou = self.intersection_over_union()
        lost = ratio(self.matrix[1:, 0], self.truth)
        invented = ratio(self.matrix[0, 1:], self.found)
        return {
            "confusion_matrix": {
                true: {found: {"iou": float(iou[i, j])} for j, found in enumerate(self.labels)}
                for i, true in enumerate(self.labels)
            },
            "unmatched_predictions": {label: {"ratio": float(invented[i])} for i, label in enumerate(self.labels)},
            "unmatched_ground_truths": {label: {"ratio": float(lost[i])} for i, label in enumerate(self.labels)},
        }

    def result(self, over: AverageOver) -> dict[str, Any]:
        """All metrics as plain data; null where undefined.

        Args:
            over: Which labels the mean IoU averages.
        """
        return {
            "labels": self.per_label(),
            "mean_iou": plain(self.mean_iou(over)),
            "accuracy": plain(self.accuracy()),
            "images": self.images,
            "pixels": int(self.matrix.sum()),
            **self.confusion(),
            "pixel_counts": self.matrix.tolist(),
        }


def check_label_map(image: LabelMap, labels: int) -> tuple[Ints, Ints]:
    """The two sides of an image as flat columns, or a ValueError that says what is wrong with it.

    Args:
        image: The image.
        labels: How many labels are declared.
    """
    columns = []
    for side, values in (("ground truth", image.groundtruth), ("prediction", image.prediction)):
        if values.ndim != 2 or values.size == 0:
            raise ValueError(f"the {side} of {image.id} is not a two-dimensional map: shape {values.shape}")
        if values.dtype.kind not in "iu":
            raise ValueError(f"the {side} of {image.id} holds {values.dtype} values, not whole numbers")
        low, high = int(values.min()), int(values.max())
        if low < 0 or high > labels:
            wrong = low if low < 0 else high
            raise ValueError(f"the {side} of {image.id} holds the value {wrong}; {labels} labels are declared")
        columns.append(values.astype(np.int64, copy=False).ravel())
    if image.groundtruth.shape != image.prediction.shape:
        (a, b), (c, d) = image.groundtruth.shape, image.prediction.shape
        raise ValueError(f"the prediction of {image.id} is {c} × {d} pixels, the ground truth {a} × {b}")
    return columns[0], columns[1]


def count_pixels(images: Iterable[LabelMap], labels: Sequence[str]) -> PixelCounts:
    """Stream over images and count their pixels.

    Args:
        images: Images, one in memory at a time.
        labels: Names of the values 1, 2, …

    Examples:
        >>> a = np.array([[0, 1]])
        >>> count_pixels([LabelMap("one", a, a)], ["road"]).accuracy()
        1.0

    Source:
        Valor metrics document, semantic segmentation metrics.
    """
    counts = PixelCounts.empty(labels)
    for image in images:
        counts = counts.add(image)
    return counts


def image_iou(image: LabelMap, labels: Sequence[str]) -> float:
    """Mean IoU of one image over the labels it shows, to find the worst images; NaN if it shows none.

    Args:
        image: The image.
        labels: Names of the values 1, 2, …
    """
    return PixelCounts.empty(labels).add(image).mean_iou("observed")
