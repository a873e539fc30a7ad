"""Images and labelled data for the metrics of data sets, drawn where an interval has a hard time; figures.py has cases.

Few objects an image and images without any, a class that is rare, boxes that are almost perfect, detections of nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.geometry.shapes import Boxes
from scoring.extensions.vision.segmentation.pixels import PixelCounts
from scoring.extensions.vision.vocabulary import Vocabulary

CLASSES = ("cat", "dog", "owl")
COMMON = (0.55, 0.4, 0.05)
CELL = 100.0


def _names(first: str, size: int) -> tuple[str, ...]:
    return tuple(f"{first}{place}" for place in range(size))


def boxes(found: float, off: float, shares: tuple[float, ...] = COMMON) -> Callable[[Any, int], Detections]:
    """Images with some two objects each, a quarter with none.

    Args:
        found: The share of the objects that a detection of the right label lies over; a tenth of them of another label.
        off: How far its sides lie beside those of the object, in widths.
        shares: How common each label is.
    """

    def draw(source: Any, n: int) -> Detections:
        many = np.where(source.random(n) < 0.25, 0, 1 + source.poisson(1.5, n))
        image = np.repeat(np.arange(n), many)
        label = source.choice(len(shares), image.size, p=shares)
        # Each object has a cell of its own, so none hides another.
        cells = np.arange(image.size) - np.repeat(np.cumsum(many) - many, many)
        sides = source.uniform(10.0, 60.0, (image.size, 2))
        truth = np.column_stack((cells * CELL, np.zeros(image.size), sides))
        seen = source.random(image.size) < found
        confused = source.random(image.size) < 0.1 * (1.0 - found) * 4.0
        given = np.where(confused, source.choice(len(shares), image.size, p=shares), label)
        ends = np.column_stack((truth[:, :2], truth[:, :2] + sides))
        ends += np.tile(sides, 2) * source.normal(0.0, off, ends.shape)
        moved = np.column_stack((ends[:, :2], np.maximum(ends[:, 2:] - ends[:, :2], 1.0)))
        stray = np.repeat(np.arange(n), source.poisson(1.0 - found, n))
        nowhere = np.column_stack((np.full(stray.size, 5000.0), np.zeros(stray.size), np.full((stray.size, 2), 20.0)))
        row_image, row_label = (
            np.concatenate((image[seen], stray)),
            np.concatenate((given[seen], source.choice(len(shares), stray.size, p=shares))),
        )
        score = np.concatenate((source.beta(5.0, 2.0, int(seen.sum())), source.beta(2.0, 3.0, stray.size)))
        order = np.argsort(row_image, kind="stable")
        truths, rows = Boxes.from_rows(truth), Boxes.from_rows(np.concatenate((moved[seen], nowhere))[order])
        plain = np.zeros(image.size, dtype=np.bool_)
        return Detections(
            _names("i", n), np.arange(n), Vocabulary.declared(CLASSES[: len(shares)]),
            _names("t", image.size), image, label, truths.areas(), plain, plain, truths,
            _names("d", len(rows)), np.arange(len(rows)), row_image[order], row_label[order], score[order],
            rows.areas(), rows,
        )  # fmt: skip

    return draw


def labels(right: float, shares: tuple[float, ...] = COMMON) -> Callable[[Any, int], Classifications]:
    """Data of which every label has a score, and the right one mostly the highest."""

    def draw(source: Any, n: int) -> Classifications:
        size = len(shares)
        truth = source.choice(size, n, p=shares)
        # The share that is right where noise of a Gumbel distribution is added to how sure an answer is.
        sure = np.log(right * (size - 1) / (1.0 - right))
        weights = np.exp(source.gumbel(size=(n, size)) + sure * (truth[:, None] == np.arange(size)))
        scores = weights / weights.sum(axis=1, keepdims=True)
        return Classifications(
            _names("i", n), np.arange(n), truth, np.repeat(np.arange(n), size), np.tile(np.arange(size), n),
            scores.ravel(), Vocabulary.declared(CLASSES[:size]),
        )  # fmt: skip

    return draw


def pixels(right: float, rare: float) -> Callable[[Any, int], PixelCounts]:
    """Label maps of 400 pixels: a common label everywhere, another in half of the images, a rare one in few.

    Args:
        right: The mean share of the pixels of a label that are found; it differs from image to image.
        rare: The share of the images that show the rare label.
    """

    def draw(source: Any, n: int) -> PixelCounts:
        size, shown = 4, source.random((n, 3)) < (1.0, 0.5, rare)
        area = np.floor(source.uniform(20.0, 130.0, (n, 3))) * shown
        true = np.column_stack((400.0 - area.sum(axis=1), area)).astype(np.int64)
        kept = source.binomial(true, source.beta(8.0 * right, 8.0 * (1.0 - right), (n, size)))
        counts = np.zeros((n, size, size), dtype=np.int64)
        counts[:, np.arange(size), np.arange(size)] = kept
        # What is missed is taken for background, and what is missed of it for one of the others.
        counts[:, 1:, 0] = (true - kept)[:, 1:]
        counts[np.arange(n), 0, 1 + source.choice(3, n, p=(0.6, 0.35, 0.05))] += (true - kept)[:, 0]
        image, cell = np.nonzero(counts.reshape(n, -1))
        return PixelCounts(CLASSES, _names("i", n), np.arange(n), image, cell, counts.reshape(n, -1)[image, cell])

    return draw
