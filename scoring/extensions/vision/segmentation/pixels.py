"""The confusion matrix of pixels of each image, the only data kept of streamed images, and figures computed from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scoring.extensions.vision.arrays import Bools, Floats, Ints, f1_score, mean_or_nan, nan_to_none, positions, ratio
from scoring.extensions.vision.draws import ImageDraws

Labels = NDArray[np.integer[Any]]
#: The labels that the mean IoU averages: all that are declared, those with a pixel on either side,
#: or those with a true pixel.
AverageOver = Literal["declared", "observed", "ground_truth"]


class LabelMap(NamedTuple):
    """One image: its id, and two integer arrays of its pixels' true and predicted values; 0 is background, i + 1 is
    label i.
    """

    id: str
    groundtruth: Labels
    prediction: Labels


class PixelCounts(Struct, frozen=True, eq=False, dict=True):
    """The number of pixels of each image by true and predicted value; 0 is background, and only nonzero counts are
    stored: `pixels`, with the index of the image (`cell_image`) and `cell`, the true value × (labels + 1) + the
    predicted value.

    The counts of any part of the images, and of any resample, can be computed from these.
    """

    labels: tuple[str, ...]
    ids: tuple[str, ...]
    order: Ints  # position of each image in the whole data set
    cell_image: Ints  # index into the ids
    cell: Ints  # true value × (labels + 1) + predicted value
    pixels: Ints

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def empty(cls, labels: Sequence[str]) -> PixelCounts:
        """Return counts without any image; raise a ValueError if a label is repeated."""
        if len(set(labels)) != len(labels):
            raise ValueError("a label is declared twice")
        nothing = np.zeros(0, dtype=np.int64)
        return cls(tuple(labels), (), nothing, nothing, nothing, nothing)

    @classmethod
    def of_image(cls, image: LabelMap, labels: Sequence[str], place: int = 0) -> PixelCounts:
        """Return the counts of one image, whose place in the data set is `place`; raise a ValueError if its maps are
        malformed.
        """
        truth, found = check_label_map(image, len(labels))
        size = len(labels) + 1
        counts = np.bincount(truth * size + found)
        cells = np.flatnonzero(counts)
        return cls(tuple(labels), (image.id,), np.array([place]), np.zeros_like(cells), cells, counts[cells])

    @classmethod
    def join(cls, parts: Sequence[PixelCounts], labels: Sequence[str]) -> PixelCounts:
        """Return the counts of several parts of a data set together; raise a ValueError if their labels differ from
        `labels`.
        """
        parts = (cls.empty(labels), *parts)
        if any(part.labels != tuple(labels) for part in parts):
            raise ValueError("pixel counts over different labels cannot be merged")
        begins = np.cumsum([0, *map(len, parts)]).tolist()
        return cls(
            tuple(labels),
            tuple(chain.from_iterable(part.ids for part in parts)),
            np.concatenate([part.order for part in parts]),
            np.concatenate([part.cell_image + begin for part, begin in zip(parts, begins, strict=False)]),
            np.concatenate([part.cell for part in parts]),
            np.concatenate([part.pixels for part in parts]),
        )

    def merge(self, other: PixelCounts) -> PixelCounts:
        """Return the counts of two parts of a data set together."""
        return self.join((self, other), self.labels)

    def part(self, images: Ints | Bools) -> PixelCounts:
        """Return the counts of only the chosen images, given by positions or a mask."""
        chosen, place = positions(images, len(self))
        kept = place[self.cell_image] >= 0
        ids = tuple(self.ids[i] for i in chosen.tolist())
        cells = place[self.cell_image[kept]], self.cell[kept], self.pixels[kept]
        return PixelCounts(self.labels, ids, self.order[chosen], *cells)

    def each(self) -> tuple[Ints, Ints, Ints]:
        """Return three arrays, images × labels: the number of pixels that are predicted correctly, that truly have the
        label, and that are predicted to have it.
        """
        size = len(self.labels) + 1
        true, found = np.divmod(self.cell, size)

        def of(values: Ints, chosen: Bools) -> Ints:
            sums = np.zeros((len(self), size), dtype=np.int64)
            np.add.at(sums, (self.cell_image[chosen], values[chosen]), self.pixels[chosen])
            return sums[:, 1:]

        every = np.ones(true.size, dtype=np.bool_)
        return of(true, true == found), of(true, every), of(found, every)

    @property
    def cost(self) -> int:
        """The approximate number of values that one resample reads."""
        return 3 * len(self.labels) * (1 + len(self))

    def images_of_labels(self) -> list[int]:
        """Return, for each label, the number of images that truly show it."""
        _, truth, _ = self.each()
        found: list[int] = np.count_nonzero(truth, axis=0).tolist()
        return found

    @cached_property
    def matrix(self) -> Ints:
        """The number of pixels of all images, true values (rows) × predicted values (columns), background first."""
        size = len(self.labels) + 1
        sums = np.zeros(size * size, dtype=np.int64)
        np.add.at(sums, self.cell, self.pixels)
        return sums.reshape(size, size)

    @property
    def tp(self) -> Ints:
        """The number of pixels of each label that are predicted correctly."""
        return np.diagonal(self.matrix)[1:]

    @property
    def truth(self) -> Ints:
        """The number of true pixels of each label."""
        return np.asarray(self.matrix.sum(axis=1)[1:])

    @property
    def found(self) -> Ints:
        """The number of predicted pixels of each label."""
        return np.asarray(self.matrix.sum(axis=0)[1:])

    def intersection_over_union(self) -> Floats:
        """Return the IoU of every pair of a true and a predicted label; 0 where neither has a pixel."""
        common = self.matrix[1:, 1:]
        return ratio(common, self.truth[:, None] + self.found[None, :] - common)

    def mean_iou(self, over: AverageOver) -> float:
        """Return the IoU averaged over the labels that `over` selects; without any it is NaN, or 0 if `over` is
        "declared".
        """
        return float(mean_ious(self.tp[None], self.truth[None], self.found[None], over)[0])

    def accuracy(self) -> float:
        """Return the share of all pixels, background included, that have the right value; NaN without pixels."""
        pixels = int(self.matrix.sum())
        return int(np.trace(self.matrix)) / pixels if pixels else math.nan

    def per_label(self) -> dict[str, dict[str, Any]]:
        """Return precision, recall, F1, IoU and pixel counts of each label; 0 where undefined."""
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
        """Return, as plain data, the IoU of every pair of a true and a predicted label; the share of each label's true
        pixels that are predicted as background; and the share of its predicted pixels that truly are background.
        """
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
        """Return all figures, with the mean over the labels that `over` selects, and the counts as plain data; a mean
        IoU or accuracy that is undefined is None.
        """
        return {
            "labels": self.per_label(),
            "mean_iou": nan_to_none(self.mean_iou(over)),
            "accuracy": nan_to_none(self.accuracy()),
            "images": len(self),
            "pixels": int(self.matrix.sum()),
            **self.confusion(),
            "pixel_counts": self.matrix.tolist(),
        }


def check_label_map(image: LabelMap, labels: int) -> tuple[Ints, Ints]:
    """Return the true and the predicted values of an image as flat arrays.

    Args:
        image: The image.
        labels: The number of labels, which is the largest value allowed.

    Raises:
        ValueError: when a map is not two-dimensional, has values that are not allowed, or the two differ in size.
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


def mean_ious(common: Ints | Floats, truth: Ints | Floats, found: Ints | Floats, over: AverageOver) -> list[float]:
    """Return the mean IoU of each image or resample, from arrays with a row for each and a column per label.

    Without a label to average, a mean is NaN, or 0 if `over` is "declared".

    Args:
        common: The pixels predicted correctly.
        truth: The pixels that truly have the label.
        found: The pixels predicted to have it.
        over: The labels to average: all ("declared"), those with a true or predicted pixel ("observed"), or those with
            a true one ("ground_truth").
    """
    chosen = {
        "declared": np.ones(truth.shape, dtype=np.bool_),
        "observed": (truth > 0) | (found > 0),
        "ground_truth": truth > 0,
    }[over]
    rows = zip(ratio(common, truth + found - common), chosen, strict=True)
    means = [mean_or_nan(values[kept].tolist()) for values, kept in rows]
    return np.nan_to_num(means).tolist() if over == "declared" else means


def drawn_mean_iou(counts: PixelCounts, draws: ImageDraws, over: AverageOver) -> list[float]:
    """Return, for each resample, the IoU averaged over the labels that `over` selects, as in `mean_ious`."""
    where = np.searchsorted(draws.positions, counts.order)
    common, truth, found = (draws.counts[:, where] @ part.astype(np.float64) for part in counts.each())
    return mean_ious(common, truth, found, over)


def count_pixels(images: Iterable[LabelMap], labels: Sequence[str]) -> PixelCounts:
    """Return the pixel counts of images, which are read one after another.

    Examples:
        >>> a = np.array([[0, 1]])
        >>> count_pixels([LabelMap("one", a, a)], ["road"]).accuracy()
        1.0

    Source:
        Valor metrics document, semantic segmentation metrics.
    """
    parts = [PixelCounts.of_image(image, labels, place) for place, image in enumerate(images)]
    return PixelCounts.join(parts, labels)
