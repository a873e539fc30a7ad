"""The interface that the evaluator needs of a collection of shapes, and boxes, the simplest kind."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol, Self

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints

#: From least to most detailed.
Kind = Literal["box", "polygon", "mask"]
#: Number of pairs handled at a time, so that the arrays of a step stay in the CPU cache.
CHUNK = 1 << 15
#: Unions smaller than this count as no overlap (degenerate boxes).
TINY_UNION = 1e-9


class Shapes(Protocol):
    """The interface of a collection of shapes of one kind: boxes, polygons or masks."""

    kind: ClassVar[Kind]

    def __len__(self) -> int: ...

    def take(self, index: Ints) -> Self:
        """Return the shapes with the given indices."""

    def areas(self) -> Floats:
        """Return the area of each shape."""

    def overlaps(self, truth: Self, mine: Ints, theirs: Ints, crowd: Bools | None) -> Floats:
        """Return the intersection over union of pairs of shapes, `self[mine[i]]` and `truth[theirs[i]]`; if `crowd`
        marks the latter as a crowd region, the intersection over the area of the former.
        """


def over_union(common: Floats, own: Floats, other: Floats, crowd: Bools | None) -> Floats:
    """Return, for pairs of shapes, their intersection over their union, or over the first shape's area where `crowd` is
    True; 0 where the denominator is (almost) 0.

    Args:
        common: The area that the shapes of each pair share.
        own: The area of the first shape.
        other: The area of the second shape.
        crowd: Whether the second shape is a crowd region; None if none is.
    """
    union = own + other - common
    if crowd is not None:
        union = np.where(crowd, own, union)
    return np.divide(common, union, out=np.zeros(common.size), where=union >= TINY_UNION)


class Boxes(Struct, frozen=True, eq=False):
    """Upright boxes by left, top, width and height; an area is width × height, with nothing added to either (no
    `+ 1`).
    """

    kind: ClassVar[Kind] = "box"
    x: Floats
    y: Floats
    w: Floats
    h: Floats

    def __len__(self) -> int:
        return int(self.x.size)

    @classmethod
    def from_rows(cls, rows: Floats) -> Boxes:
        """Return boxes from rows of left, top, width, height.

        Examples:
            >>> Boxes.from_rows(np.array([[0, 0, 2, 3.0]])).areas().tolist()
            [6.0]
        """
        x, y, w, h = np.ascontiguousarray(np.asarray(rows, dtype=np.float64).reshape(-1, 4).T)
        return cls(x, y, w, h)

    def rows(self) -> Floats:
        """Return the boxes as rows of left, top, width, height."""
        return np.column_stack((self.x, self.y, self.w, self.h))

    def take(self, index: Ints) -> Boxes:
        """Return the boxes with the given indices."""
        return Boxes(self.x[index], self.y[index], self.w[index], self.h[index])

    def areas(self) -> Floats:
        """Return the width times the height of each box."""
        return self.w * self.h

    def overlaps(self, truth: Boxes, mine: Ints, theirs: Ints, crowd: Bools | None = None) -> Floats:
        """Return the intersection over union of pairs of boxes, `self[mine[i]]` and `truth[theirs[i]]`; 0 where the
        union is empty.

        Args:
            truth: The other boxes.
            mine: Indices of boxes in `self`, one per pair.
            theirs: Indices of boxes in `truth`, one per pair.
            crowd: Which other boxes are crowd regions: for them the area of the box in `self` replaces the union.

        Source:
            COCO API, box IoU; Valor, the same for ordinary boxes.
        """
        result = np.empty(mine.size)
        right, bottom, area = self.x + self.w, self.y + self.h, self.areas()
        truth_right, truth_bottom, truth_area = truth.x + truth.w, truth.y + truth.h, truth.areas()
        for begin in range(0, mine.size, CHUNK):
            i, j = mine[begin : begin + CHUNK], theirs[begin : begin + CHUNK]
            width = np.minimum(right[i], truth_right[j]) - np.maximum(self.x[i], truth.x[j])
            height = np.minimum(bottom[i], truth_bottom[j]) - np.maximum(self.y[i], truth.y[j])
            common = np.where((width > 0) & (height > 0), width * height, 0.0)
            crowds = None if crowd is None else crowd[j]
            result[begin : begin + CHUNK] = over_union(common, area[i], truth_area[j], crowds)
        return result
