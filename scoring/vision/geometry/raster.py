"""Polygons to masks, pixel for pixel as the COCO API draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.vision.arrays import Bools, Floats, Ints
from scoring.vision.geometry.polygon import Polygons
from scoring.vision.geometry.rle import Masks

#: Larger images and coordinates are refused: drawing takes memory in proportion to them.
MAX_PIXELS, MAX_COORDINATE = 1 << 28, 1e6
#: COCO walks the outline on a grid this much finer than the pixels.
FINER = 5


def rasterise(polygons: Polygons, sizes: Sequence[tuple[int, int]]) -> Masks:
    """Draw each polygon into an image; several rings are united.

    Source:
        COCO API, polygons to run-length codes: outline walked at five times the resolution, column by column.
    """
    for rings, (height, width) in zip(polygons.parts, sizes, strict=True):
        if not 0 < height * width <= MAX_PIXELS:
            raise ValueError(f"cannot draw into an image of {height} × {width} pixels")
        if any(np.abs(ring).max() > MAX_COORDINATE for ring in rings):
            raise ValueError(f"cannot draw a polygon with a coordinate beyond {MAX_COORDINATE:g}")
    # One bitmap is in memory at a time: those of a data set together would be a byte for each pixel and polygon.
    bitmaps = (
        _united([_filled(ring, height, width) for ring in rings])
        for rings, (height, width) in zip(polygons.parts, sizes, strict=True)
    )
    return Masks.from_bitmaps(bitmaps)


def _united(bitmaps: list[Bools]) -> Bools:
    result = bitmaps[0]
    for bitmap in bitmaps[1:]:
        result = result | bitmap
    return result


def _filled(ring: Floats, height: int, width: int) -> Bools:
    toggles = np.sort(_toggles(ring, height, width))
    flips = np.bincount(toggles, minlength=height * width + 1)[: height * width]
    return np.asarray((np.cumsum(flips) % 2 == 1).reshape(width, height).T, dtype=np.bool_)


def _toggles(ring: Floats, height: int, width: int) -> Ints:
    """Pixels, counted column by column, at which inside and outside change."""
    u, v = _outline(np.trunc(FINER * ring + 0.5).astype(np.int64))
    step = np.flatnonzero(u[1:] != u[:-1])
    column = (np.where(u[step + 1] < u[step], u[step + 1], u[step + 1] - 1) + 0.5) / FINER - 0.5
    row = np.ceil(np.clip((np.minimum(v[step + 1], v[step]) + 0.5) / FINER - 0.5, 0, height))
    kept = (np.floor(column) == column) & (column >= 0) & (column <= width - 1)
    return np.asarray(column[kept] * height + row[kept], dtype=np.int64)


def _outline(corners: Ints) -> tuple[Ints, Ints]:
    """Points of the closed outline on the finer grid, one step at a time along the longer side of each edge."""
    us: list[Ints] = []
    vs: list[Ints] = []
    for (xs, ys), (xe, ye) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(), strict=True):
        dx, dy = abs(xe - xs), abs(ye - ys)
        steps = np.arange(max(dx, dy) + 1)
        if dx >= dy:
            backwards = xs > xe
            (x0, y0), (_, y1) = ((xe, ye), (xs, ys)) if backwards else ((xs, ys), (xe, ye))
            t = dx - steps if backwards else steps
            us.append(t + x0)
            vs.append(np.trunc(y0 + (y1 - y0) / max(dx, 1) * t + 0.5).astype(np.int64))
        else:
            backwards = ys > ye
            (x0, y0), (x1, _) = ((xe, ye), (xs, ys)) if backwards else ((xs, ys), (xe, ye))
            t = dy - steps if backwards else steps
            vs.append(t + y0)
            us.append(np.trunc(x0 + (x1 - x0) / dy * t + 0.5).astype(np.int64))
    return np.concatenate(us), np.concatenate(vs)
