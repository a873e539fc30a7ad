"""Drawing polygons into masks, pixel for pixel like the COCO API."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from scoring.extensions.vision.arrays import Bools, Floats, Ints
from scoring.extensions.vision.geometry.polygon import Polygons
from scoring.extensions.vision.geometry.rle import Masks

#: Larger images and coordinates are rejected, since drawing takes memory in proportion to them.
MAX_PIXELS, MAX_COORDINATE = 1 << 28, 1e6
#: COCO traces the outline on a grid that is finer than the pixels by this factor.
FINER = 5


def rasterise(polygons: Polygons, sizes: Sequence[tuple[int, int]]) -> Masks:
    """Return each polygon drawn as a mask into an image of the given height and width, with the union of its rings.

    Source:
        COCO API, polygons to run-length codes: outline traced at five times the resolution, column by column.
    """
    for rings, (height, width) in zip(polygons.parts, sizes, strict=True):
        if not 0 < height * width <= MAX_PIXELS:
            raise ValueError(f"cannot draw into an image of {height} × {width} pixels")
        if any(np.abs(ring).max() > MAX_COORDINATE for ring in rings):
            raise ValueError(f"cannot draw a polygon with a coordinate beyond {MAX_COORDINATE:g}")
    # Only one bitmap is in memory at a time: all of a data set would take a byte for each pixel and polygon.
    bitmaps = (
        reduce(np.logical_or, (_filled(ring, height, width) for ring in rings))
        for rings, (height, width) in zip(polygons.parts, sizes, strict=True)
    )
    return Masks.from_bitmaps(bitmaps)


def _filled(ring: Floats, height: int, width: int) -> Bools:
    flips = np.bincount(_toggles(ring, height, width), minlength=height * width + 1)[: height * width]
    return np.asarray((np.cumsum(flips) % 2 == 1).reshape(width, height).T, dtype=np.bool_)


def _toggles(ring: Floats, height: int, width: int) -> Ints:
    """Return the pixels, counted column by column, at which the drawn ring's inside begins or ends."""
    u, v = _outline(np.trunc(FINER * ring + 0.5).astype(np.int64))
    step = np.flatnonzero(u[1:] != u[:-1])
    column = (np.where(u[step + 1] < u[step], u[step + 1], u[step + 1] - 1) + 0.5) / FINER - 0.5
    row = np.ceil(np.clip((np.minimum(v[step + 1], v[step]) + 0.5) / FINER - 0.5, 0, height))
    kept = (np.floor(column) == column) & (column >= 0) & (column <= width - 1)
    return np.asarray(column[kept] * height + row[kept], dtype=np.int64)


def _outline(corners: Ints) -> tuple[Ints, Ints]:
    """Return the x and y coordinates of the points on a closed outline on the grid of five times the resolution, in
    unit steps along the longer side of each edge.
    """
    parts: tuple[list[Ints], list[Ints]] = ([], [])
    for start, end in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(), strict=True):
        along = int(abs(end[1] - start[1]) > abs(end[0] - start[0]))
        across = 1 - along
        low, high = sorted((start, end), key=lambda corner: corner[along])
        length = high[along] - low[along]
        t = np.arange(length + 1)
        if low is end:
            t = t[::-1]
        slope = (high[across] - low[across]) / max(length, 1)
        parts[along].append(t + low[along])
        parts[across].append(np.trunc(low[across] + slope * t + 0.5).astype(np.int64))
    return np.concatenate(parts[0]), np.concatenate(parts[1])
