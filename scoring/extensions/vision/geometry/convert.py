"""Conversion to less detailed kinds of shape: mask → polygon → box."""

from __future__ import annotations

import numpy as np

from scoring.extensions.vision.arrays import Floats, Ints
from scoring.extensions.vision.geometry.polygon import Polygons
from scoring.extensions.vision.geometry.rle import Masks
from scoring.extensions.vision.geometry.shapes import Kind, Shapes

#: From least to most detailed.
KINDS: tuple[Kind, ...] = ("box", "polygon", "mask")


def least_detailed(*kinds: Kind) -> Kind:
    """Return the least detailed of the given kinds of shape (box, polygon, mask), to which all others can be converted.

    Examples:
        >>> least_detailed("mask", "polygon")
        'polygon'

    Source:
        Valor metrics document, note on conversion between geometric annotations.
    """
    return min(kinds, key=KINDS.index)


def convert_shapes(shapes: Shapes, kind: Kind) -> Shapes:
    """Return the shapes converted to the given kind, which must not be more detailed than theirs."""
    if shapes.kind == kind:
        return shapes
    if KINDS.index(kind) > KINDS.index(shapes.kind):
        raise ValueError(f"a {shapes.kind} does not determine its {kind}")
    if isinstance(shapes, Masks):
        return shapes.boxes() if kind == "box" else hulls(shapes)
    assert isinstance(shapes, Polygons)
    return shapes.boxes()


def hulls(masks: Masks) -> Polygons:
    """Return, for each mask, the convex hull of the upper left corners of its pixels; x counts columns, y rows.

    Source:
        Valor's older service, raster to polygon.
    """
    return Polygons(tuple((_hull(_extremes(masks, index)),) for index in range(len(masks))))


def _extremes(masks: Masks, index: int) -> Ints:
    """Return the pixels of the mask with this index that can be corners of its convex hull: both ends of each run, and
    within a run the ends of columns.
    """
    runs = slice(int(masks.first[index]), int(masks.first[index + 1]))
    height = int(masks.heights[index])
    starts, lasts = masks.starts[runs], masks.ends[runs] - 1
    columns = [np.empty((0, 2), dtype=np.int64)]
    for start, last in zip(starts.tolist(), lasts.tolist(), strict=True):
        # A run over several columns reaches the bottom of one and the top of the next.
        left, right = start // height, last // height
        corners = [(left, start % height), (right, last % height)]
        if right > left:
            corners += [(left, height - 1), (right, 0)]
        if right > left + 1:
            corners += [(left + 1, 0), (right - 1, height - 1)]
        columns.append(np.array(corners, dtype=np.int64))
    return np.unique(np.concatenate(columns), axis=0)


def _hull(points: Ints) -> Floats:
    """Return the corners of the convex hull of sorted points, by the monotone chain algorithm; fewer than three points
    are returned unchanged, and (0, 0) for none.
    """
    ordered = [(x, y) for x, y in points.tolist()]
    if len(ordered) < 3:
        return np.array(ordered or [(0, 0)], dtype=np.float64)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1], dtype=np.float64)


def _chain(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    chain: list[tuple[int, int]] = []
    for x, y in points:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain
