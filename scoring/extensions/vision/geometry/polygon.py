"""Polygons and their exact overlap. Several rings are parts of one object; crossing rings are filled even-odd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Bools, Floats, Ints, TooMuchWork
from scoring.extensions.vision.geometry.shapes import Boxes, Kind, over_union

#: Number of slabs times edges handled together, and the maximum number handled at all (a few seconds).
CELLS, MOST_CELLS = 1 << 20, 20_000_000
MOST_CORNERS = 5_000
"""Maximum number of corners of an outline to compare, since all edges of both outlines are tested for crossing."""


class Polygons(Struct, frozen=True, eq=False):
    """Polygons, each a tuple of rings; a ring is an n × 2 array of corners, whose last is not the first again."""

    kind: ClassVar[Kind] = "polygon"
    parts: tuple[tuple[Floats, ...], ...]

    def __len__(self) -> int:
        return len(self.parts)

    @classmethod
    def from_flat(cls, shapes: Sequence[Sequence[Sequence[float]]]) -> Polygons:
        """Return the polygons of COCO's flat rings `[x1, y1, x2, y2, …]`.

        Examples:
            >>> Polygons.from_flat([[[0, 0, 2, 0, 2, 2, 0, 2]]]).areas().tolist()
            [4.0]
        """
        return cls(tuple(tuple(map(_ring, rings)) for rings in shapes))

    def take(self, index: Ints) -> Polygons:
        """Return the polygons with the given indices."""
        return Polygons(tuple(self.parts[i] for i in np.asarray(index).tolist()))

    def areas(self) -> Floats:
        """Return the area of each polygon."""
        return np.array([_area(rings) for rings in self.parts], dtype=np.float64)

    def boxes(self) -> Boxes:
        """Return the upright box around each polygon."""
        corners = np.zeros((len(self), 4))
        for i, rings in enumerate(self.parts):
            points = np.concatenate(rings)
            corners[i, :2], corners[i, 2:] = points.min(axis=0), points.max(axis=0)
        x0, y0, x1, y1 = corners.T
        return Boxes(x0, y0, x1 - x0, y1 - y0)

    def overlaps(self, truth: Polygons, mine: Ints, theirs: Ints, crowd: Bools | None = None) -> Floats:
        """Return the intersection over union of pairs of polygons, `self[mine[i]]` and `truth[theirs[i]]`; 0 where the
        union is empty.

        If `crowd` marks a polygon of `truth` as a crowd region, the area of its partner in `self` replaces the union.
        """
        common = np.zeros(mine.size)
        for pair in np.flatnonzero(self.boxes().overlaps(truth.boxes(), mine, theirs) > 0).tolist():
            common[pair] = intersection_area(self.parts[mine[pair]], truth.parts[theirs[pair]])
        crowds = None if crowd is None else crowd[theirs]
        return over_union(common, self.areas()[mine], truth.areas()[theirs], crowds)


def intersection_area(left: Sequence[Floats], right: Sequence[Floats]) -> float:
    """Return the area that two polygons share, each given by its rings.

    The plane is cut into vertical slabs at every corner and every crossing of edges. No edges cross inside a slab,
    so the shared area in it consists of trapezoids, and a trapezoid's area is its width times its height in the middle.

    Examples:
        >>> a = [np.array([[0, 0], [2, 0], [2, 2], [0, 2.0]])]
        >>> intersection_area(a, [a[0] + 1])
        1.0

    Raises:
        TooMuchWork: when outlines have more than `MOST_CORNERS`, or cross so often that it would take minutes.
    """
    for outline in (left, right):
        check_corners(outline)
    (a0, a1, a_owner), (b0, b1, b_owner) = _edges(left), _edges(right)
    begin, end = np.concatenate((a0, b0)), np.concatenate((a1, b1))
    owner = np.concatenate((a_owner, b_owner + len(left)))
    low, high = max(a0[:, 0].min(), b0[:, 0].min()), min(a0[:, 0].max(), b0[:, 0].max())
    step = max(1, CELLS // len(begin))
    crossings = [_crossed(begin, end, first, first + step) for first in range(0, len(begin), step)]
    cuts = np.unique(np.concatenate((begin[:, 0], *crossings)))
    cuts = cuts[(cuts >= low) & (cuts <= high)]
    if cuts.size < 2:
        return 0.0
    middle = (cuts[1:] + cuts[:-1]) / 2
    # Each ring is processed separately, which takes a sixth of the time of sorting the edges.
    if middle.size * len(begin) * (6 + len(left) + len(right)) > 8 * MOST_CELLS:
        slabs = f"outlines of {len(begin):,} edges cross so often that they make {middle.size:,} slabs"
        raise TooMuchWork(f"{slabs}: simplify them, or compare them as masks")
    parts = (middle[first : first + step] for first in range(0, middle.size, step))
    height = np.concatenate([_shared_height(begin, end, owner, len(left), part) for part in parts])
    return float(np.dot(cuts[1:] - cuts[:-1], height))


def check_corners(rings: Sequence[Floats]) -> None:
    """Check that an outline, given by its rings, does not have too many corners to be compared.

    Raises:
        TooMuchWork: with the number of its corners and the maximum.
    """
    corners = sum(map(len, rings))
    if corners > MOST_CORNERS:
        raise TooMuchWork(f"an outline of {corners:,} corners: at most {MOST_CORNERS:,} are compared; simplify it")


def rotated_boxes(rows: Floats) -> Polygons:
    """Return the polygons of rotated boxes, given as rows of centre x, centre y, width, height and degrees.

    Examples:
        >>> rotated_boxes(np.array([[1, 1, 2, 2, 90.0]])).areas().round(9).tolist()
        [4.0]
    """
    cx, cy, w, h, angle = np.asarray(rows, dtype=np.float64).reshape(-1, 5).T
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    corners = []
    for across, down in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        u, v = across * w, down * h
        corners.append(np.column_stack((cx + u * cos - v * sin, cy + u * sin + v * cos)))
    return Polygons(tuple((ring,) for ring in np.stack(corners, axis=1)))


def _ring(flat: Sequence[float]) -> Floats:
    try:
        points = np.asarray(flat, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # NumPy's messages are about arrays, and differ between releases
        raise ValueError("a polygon ring is a flat list of numbers `[x1, y1, x2, y2, …]`") from None
    if points.ndim == 1:
        if points.size % 2:
            raise ValueError(f"a polygon ring has an odd number of coordinates: {points.size}")
        points = points.reshape(-1, 2)
    elif points.ndim != 2 or points.shape[1] != 2:
        raise ValueError("a polygon ring is a flat list of numbers `[x1, y1, x2, y2, …]`")
    if len(points) > 1 and (points[0] == points[-1]).all():
        points = points[:-1]
    if len(points) < 3:
        raise ValueError(f"a polygon ring has {len(points)} corners; it needs three")
    return points


def _area(rings: Sequence[Floats]) -> float:
    if len(rings) > 1:
        return intersection_area(rings, rings)
    x, y = rings[0].T
    x, y = x - x[0], y - y[0]  # near the origin, rounding errors are smallest
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def _edges(rings: Sequence[Floats]) -> tuple[Floats, Floats, Ints]:
    begin = np.concatenate(list(rings))
    end = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    owner = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    return begin, end, owner


def _crossed(begin: Floats, end: Floats, first: int, behind: int) -> Floats:
    """Return the x coordinates at which edges cross: each of those with an index from `first` up to (not including)
    `behind` with all edges of a greater index.

    Args:
        begin: The first point of each edge.
        end: The last point of each edge.
        first: The index of the first edge to look at.
        behind: The index after the last one.
    """
    i, j = np.nonzero(np.arange(first, min(behind, len(begin)))[:, None] < np.arange(len(begin))[None, :])
    i += first
    r, s = end[i] - begin[i], end[j] - begin[j]
    gap = begin[j] - begin[i]
    cross = r[:, 0] * s[:, 1] - r[:, 1] * s[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (gap[:, 0] * s[:, 1] - gap[:, 1] * s[:, 0]) / cross
        u = (gap[:, 0] * r[:, 1] - gap[:, 1] * r[:, 0]) / cross
        meets = (cross != 0) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    return np.asarray(begin[i[meets], 0] + t[meets] * r[meets, 0])


def _shared_height(begin: Floats, end: Floats, owner: Ints, lefts: int, middle: Floats) -> Floats:
    """Return, for each slab of the plane, the total length inside both polygons on the vertical line through its
    middle.

    Args:
        begin: The first point of each edge.
        end: The last point of each edge.
        owner: The number of the ring that each edge belongs to.
        lefts: The number of rings of the first polygon, which come first.
        middle: The x coordinate of each slab's middle.
    """
    x0, x1 = np.minimum(begin[:, 0], end[:, 0]), np.maximum(begin[:, 0], end[:, 0])
    active = (x0[None, :] < middle[:, None]) & (middle[:, None] < x1[None, :])
    run = end[:, 0] - begin[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(run != 0, (end[:, 1] - begin[:, 1]) / run, 0.0)
    y = begin[None, :, 1] + (middle[:, None] - begin[None, :, 0]) * slope[None, :]
    y = np.where(active, y, np.inf)
    order = np.argsort(y, axis=1, kind="stable")
    y = np.take_along_axis(y, order, axis=1)
    present = np.take_along_axis(active, order, axis=1)
    rings = int(owner.max()) + 1
    inside = np.zeros((2, *y.shape), dtype=np.bool_)
    for ring in range(rings):
        odd = np.cumsum((owner[order] == ring) & present, axis=1) % 2 == 1
        inside[int(ring >= lefts)] |= odd
    both = inside[0] & inside[1]
    y = np.where(present, y, 0.0)
    gaps = np.diff(y, axis=1, append=0.0)
    return np.asarray(np.sum(gaps, axis=1, where=both & present), dtype=np.float64)
