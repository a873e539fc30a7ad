"""The table of a detection data set: images, ground truths and detections as columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.extensions.vision.arrays import Bools, Floats, Ints, positions
from scoring.extensions.vision.geometry.shapes import Shapes
from scoring.extensions.vision.vocabulary import Vocabulary


class Detections(Struct, frozen=True, eq=False, weakref=True):
    """Ground truths and detections of a set of images, as columns; a row is a detection with one of its labels.

    A detection with several labels is one shape and several rows; `row_shape` is the index of each row's shape. `order`
    has the position of each image in the whole data set.
    """

    images: tuple[Any, ...]  # ids
    order: Ints  # position of each image in the whole data set
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
        """Return the table of the chosen images, which keep their places in the whole data set, so that parts can be
        scored separately and merged.

        Args:
            images: Positions of the images in this table, in the desired order, or a mask.
        """
        chosen, place = positions(images, len(self))
        kept = self.keep(place[self.truth_image] >= 0, place[self.row_image] >= 0)
        shapes, row_shape = np.unique(kept.row_shape, return_inverse=True)
        return replace(
            kept,
            images=tuple(self.images[i] for i in chosen.tolist()),
            order=self.order[chosen],
            truth_image=place[kept.truth_image],
            row_image=place[kept.row_image],
            ids=tuple(self.ids[i] for i in shapes.tolist()),
            row_shape=row_shape.astype(np.int64),
            shapes=self.shapes.take(shapes),
        )

    def keep(self, truths: Bools | None, rows: Bools) -> Detections:
        """Return the table with all images and shapes, but only the ground truths (None: all) and detection rows that
        the two masks choose.
        """
        t = np.arange(len(self.truth_ids)) if truths is None else np.flatnonzero(truths)
        columns: dict[str, Any] = {}
        for name in ("image", "label", "area", "crowd", "ignore"):
            columns[f"truth_{name}"] = getattr(self, f"truth_{name}")[t]
        for name in ("shape", "image", "label", "score", "area"):
            columns[f"row_{name}"] = getattr(self, f"row_{name}")[rows]
        ids = tuple(self.truth_ids[i] for i in t.tolist())
        return replace(self, truth_ids=ids, truth_shapes=self.truth_shapes.take(t), **columns)
