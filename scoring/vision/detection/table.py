"""The table of a detection data set: images, ground truths and detections as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints, positions
from scoring.vision.geometry.shapes import Shapes
from scoring.vision.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Detections:
    """Ground truths and detections of a set of images.

    A detection with several labels is one shape and several rows; `row_shape` tells which rows share a shape.
    """

    images: tuple[Any, ...]  # ids
    order: Ints  # place of each image in the whole data set
    labels: Vocabulary
    truth_ids: tuple[Any, ...]
    truth_image: Ints
    truth_label: Ints
    truth_area: Floats
    truth_crowd: Bools
    truth_ignore: Bools
    truth_shapes: Shapes
    ids: tuple[Any, ...]  # of the detected shapes
    row_shape: Ints
    row_image: Ints
    row_label: Ints
    row_score: Floats
    row_area: Floats
    shapes: Shapes

    def __len__(self) -> int:
        return len(self.images)

    def part(self, images: Ints | Bools) -> Detections:
        """Some of the images, keeping labels and places, so that parts can be scored apart and merged."""
        chosen, place = positions(images, len(self))
        truths = np.flatnonzero(place[self.truth_image] >= 0)
        rows = np.flatnonzero(place[self.row_image] >= 0)
        shapes, row_shape = np.unique(self.row_shape[rows], return_inverse=True)
        return Detections(
            tuple(self.images[i] for i in chosen.tolist()),
            self.order[chosen],
            self.labels,
            tuple(self.truth_ids[i] for i in truths.tolist()),
            place[self.truth_image[truths]],
            self.truth_label[truths],
            self.truth_area[truths],
            self.truth_crowd[truths],
            self.truth_ignore[truths],
            self.truth_shapes.take(truths),
            tuple(self.ids[i] for i in shapes.tolist()),
            row_shape.astype(np.int64),
            place[self.row_image[rows]],
            self.row_label[rows],
            self.row_score[rows],
            self.row_area[rows],
            self.shapes.take(shapes),
        )

    def keep(self, truths: Bools | None = None, rows: Bools | None = None) -> Detections:
        """The same images with some of the ground truths and detection rows."""
        t = np.flatnonzero(np.ones(len(self.truth_ids), dtype=np.bool_) if truths is None else truths)
        r = np.flatnonzero(np.ones(self.row_image.size, dtype=np.bool_) if rows is None else rows)
        return Detections(
            self.images,
            self.order,
            self.labels,
            tuple(self.truth_ids[i] for i in t.tolist()),
            self.truth_image[t],
            self.truth_label[t],
            self.truth_area[t],
            self.truth_crowd[t],
            self.truth_ignore[t],
            self.truth_shapes.take(t),
            self.ids,
            self.row_shape[r],
            self.row_image[r],
            self.row_label[r],
            self.row_score[r],
            self.row_area[r],
            self.shapes,
        )
