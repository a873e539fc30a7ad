"""Reading the shapes of annotations and results: boxes, rotated boxes, polygons and run-length masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from scoring.extensions.vision.arrays import Bools, Ints, TooMuchWork
from scoring.extensions.vision.files.faults import Faults, Where, at, is_finite
from scoring.extensions.vision.files.map_files import check_pixels
from scoring.extensions.vision.geometry.convert import KINDS, convert_shapes, least_detailed
from scoring.extensions.vision.geometry.polygon import Polygons, check_corners, rotated_boxes
from scoring.extensions.vision.geometry.raster import rasterise as draw
from scoring.extensions.vision.geometry.rle import Masks
from scoring.extensions.vision.geometry.shapes import Boxes, Kind, Shapes
from scoring.values import Record, show_value

#: Records, the index of each one's image, and the records' locations.
Side = tuple[Sequence[Record], Ints, Where]
Sizes = Sequence[tuple[int | None, int | None]]

FARTHEST = 1e150
"""Larger coordinates are rejected: areas between them would overflow a float, so that overlaps have no value."""


def read_shapes(
    truth: Side, results: Side, sizes: Sizes, geometry: Kind | None, rasterise: bool, faults: Faults
) -> tuple[Shapes, Shapes]:
    """Return the shapes of ground truths and of detections, all converted to one kind; faults are added to `faults`.

    For boxes, a stated `bbox` is preferred to one computed from another shape.

    Args:
        truth: The records of the ground truths.
        results: The records of the detections.
        sizes: The height and width of each image, None where unknown.
        geometry: The kind to convert to; None for the least detailed that occurs.
        rasterise: Whether polygons may be drawn as masks.
        faults: The list to which malformed shapes are added.
    """
    kinds = {_kind(record) for side in (truth, results) for record in side[0]}
    kind = geometry or (least_detailed(*kinds) if kinds else "box")
    if rasterise and geometry is None and kinds and "box" not in kinds:
        kind = "mask"
    sides = [_shapes(side, kind, sizes, rasterise, faults) for side in (truth, results)]
    return sides[0], sides[1]


def _kind(record: Record) -> Kind:
    """Return the most detailed kind of shape that a record has; an empty outline next to a box is disregarded."""
    outline = record.get("segmentation")
    if not outline and ("bbox" in record or "rbox" in record or "segmentation" not in record):
        return "polygon" if "rbox" in record else "box"
    return "mask" if isinstance(outline, Mapping) else "polygon"


#: The kinds that can be compared as each kind; polygons also as masks, if they are drawn.
_FIT: dict[Kind, tuple[Kind, ...]] = {"box": KINDS, "polygon": ("polygon", "mask"), "mask": ("mask",)}


def _shapes(side: Side, kind: Kind, sizes: Sizes, rasterise: bool, faults: Faults) -> Shapes:
    if kind == "box":
        return _boxes(side, sizes, faults)
    kinds = list(map(_kind, side[0]))
    fit = (*_FIT[kind], "polygon") if rasterise else _FIT[kind]
    for place, own in enumerate(kinds):
        if own not in fit:
            drawn = "; `rasterise: true` draws polygons" if own == "polygon" else ""
            faults.add(at(side[2], place), f"a {own} cannot be compared as a {kind}{drawn}")
    if kind == "polygon" or len(faults):
        return _compared(side, sizes, faults) if not len(faults) else Polygons(())
    outlined = np.array([own == "polygon" for own in kinds], dtype=np.bool_)
    masks, polygons = _chosen(side, ~outlined), _chosen(side, outlined)
    both = _masks(masks, sizes, faults)
    if outlined.any():
        both = both.join(_drawn(_polygons(polygons, sizes, faults), polygons, sizes, faults))
    return both.take(np.argsort(np.argsort(outlined, kind="stable"))) if not len(faults) else both


def _chosen(side: Side, wanted: Bools) -> Side:
    """Return the records of a side (ground truths or detections) that the mask `wanted` chooses."""
    records, images, where = side
    positions = np.flatnonzero(wanted).tolist()
    return (
        [records[position] for position in positions],
        images[wanted],
        [at(where, position) for position in positions],
    )


def _drawn(shapes: Polygons, side: Side, sizes: Sizes, faults: Faults) -> Masks:
    wanted = [sizes[place] for place in side[1].tolist()]
    if any(height is None or width is None for height, width in wanted):
        faults.add(at(side[2]), "an image without height and width cannot hold a mask")
    if not len(faults):
        try:
            for height, width in set(wanted):
                check_pixels("cannot draw into an image", int(height or 0), int(width or 0))
            return draw(shapes, [(int(height or 0), int(width or 0)) for height, width in wanted])
        except ValueError as error:
            faults.add(at(side[2]), str(error))
    return Masks.from_bitmaps(())


def _boxes(side: Side, sizes: Sizes, faults: Faults) -> Boxes:
    """Return the box of each record of a side; for a record without one, the envelope of its outline or the extent of
    its pixels.
    """
    records, _, where = side
    boxes = [record.get("bbox") for record in records]
    flat = [box for box in boxes if isinstance(box, list | tuple) and len(box) == 4]
    if len(flat) == len(boxes):
        numbers = list(chain.from_iterable(flat))
        if set(map(type, numbers)) <= {float, int}:
            rows = _floats(numbers).reshape(-1, 4)
            if (np.abs(rows) <= FARTHEST).all() and (rows[:, 2:] >= 0).all():
                return Boxes.from_rows(rows)
    found = np.zeros((len(records), 4))
    kinds = np.array([_kind(record) if box is None else "box" for record, box in zip(records, boxes, strict=True)])
    for kind, read in (("polygon", _polygons), ("mask", _masks)):
        chosen = kinds == kind
        shapes = read(_chosen(side, chosen), sizes, faults)
        if not len(faults):
            found[chosen] = shapes.boxes().rows()
    for number in np.flatnonzero(kinds == "box").tolist():
        message = _box_fault(boxes[number])
        if message:
            faults.add(at(where, number), message)
        else:
            found[number] = boxes[number]
    return Boxes.from_rows(found)


def _floats(numbers: Sequence[float]) -> Any:
    """Return numbers as an array; those too large for a float become infinite."""
    try:
        return np.array(numbers, dtype=np.float64)
    except OverflowError:
        return np.array([value if is_finite(value) else np.inf for value in numbers], dtype=np.float64)


def _box_fault(box: Any) -> str | None:
    if box is None:
        return "`bbox` is missing"
    if not isinstance(box, list | tuple) or len(box) != 4:
        return f"a box is [left, top, width, height], not {box!r:.100}"
    if not all(map(is_finite, box)):
        return f"a box holds a value that is not a finite number: {box!r:.100}"
    if box[2] < 0 or box[3] < 0:
        return f"a box with negative size: {box!r:.100}"
    if max(map(abs, box)) > FARTHEST:
        return f"a box that reaches beyond {FARTHEST:g}: {box!r:.100}"
    return None


def _polygons(side: Side, sizes: Sizes, faults: Faults) -> Polygons:
    """Return the outline of each record of a side: its polygon, its rotated box, or the hull of its mask."""
    records, _, where = side
    parts = []
    for number, record in enumerate(records):
        try:
            parts.append(_checked(_polygon(record, side, number, sizes)))
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            faults.add(at(where, number), f"not a polygon: {error}")
    return Polygons(tuple(parts))


def _checked(rings: Sequence[Any]) -> Any:
    for ring in rings:
        if not np.isfinite(ring).all():
            raise ValueError("a coordinate is not a finite number")
        if (np.abs(ring) > FARTHEST).any():
            raise ValueError(f"a coordinate is beyond {FARTHEST:g}")
    return rings


def _compared(side: Side, sizes: Sizes, faults: Faults) -> Polygons:
    """Return the outline of each record of a side, adding a fault for one with too many corners to be compared."""
    found = _polygons(side, sizes, faults)
    for number, rings in enumerate(found.parts if not len(faults) else ()):
        try:
            check_corners(rings)
        except TooMuchWork as error:
            faults.add(at(side[2], number), f"{error}, or draw both sides as masks (`rasterise: true`)")
    return found


def _polygon(record: Record, side: Side, number: int, sizes: Sizes) -> Any:
    if not record.get("segmentation") and "rbox" in record:
        row = record["rbox"]
        if not isinstance(row, list | tuple) or len(row) != 5 or not all(map(is_finite, row)) or min(row[2:4]) < 0:
            raise ValueError(f"a rotated box is [x, y, width, height, angle], not {row!r:.100}")
        return rotated_boxes(np.array([row], dtype=np.float64)).parts[0]
    outline = record["segmentation"]
    if isinstance(outline, Mapping):
        faults = Faults()
        masks = _masks(([record], side[1][number : number + 1], side[2]), sizes, faults)
        if len(faults):
            raise ValueError("; ".join(fault.message for fault in faults))
        hull = convert_shapes(masks, "polygon")
        assert isinstance(hull, Polygons)
        return hull.parts[0]
    if not outline:
        raise ValueError("it has no ring")
    if not isinstance(outline, list | tuple) or not all(isinstance(ring, list | tuple) for ring in outline):
        raise ValueError(f"it is a list of rings `[[x1, y1, x2, y2, …], …]`, not {show_value(outline)}")
    return Polygons.from_flat([outline]).parts[0]


def _masks(side: Side, sizes: Sizes, faults: Faults) -> Masks:
    records, images, where = side
    shapes: list[tuple[int, int]] = []
    counts: list[Sequence[int] | str] = []
    for number, (record, image) in enumerate(zip(records, images.tolist(), strict=True)):
        outline = record["segmentation"]
        try:
            shape, code = _mask_size(outline.get("size"), sizes[image]), run_lengths(outline.get("counts"))
        except ValueError as error:
            faults.add(at(where, number), str(error))
            continue
        shapes.append(shape)
        counts.append(code)
    try:
        return Masks.from_counts(shapes, counts)
    except ValueError:  # some are invalid; find out which
        for number, (shape, count) in enumerate(zip(shapes, counts, strict=True)):
            try:
                Masks.from_counts([shape], [count])
            except ValueError as error:
                faults.add(at(where, number), str(error))
    return Masks.from_bitmaps(())


def _mask_size(shape: Any, size: tuple[int | None, int | None]) -> tuple[int, int]:
    if not isinstance(shape, list | tuple) or len(shape) != 2 or any(type(side) is not int for side in shape):
        raise ValueError(f"a run-length mask has a size [height, width], not {shape!r}")
    if None not in size and tuple(shape) != size:
        raise ValueError(f"a mask of {shape[0]} × {shape[1]} pixels in an image of {size[0]} × {size[1]}")
    return shape[0], shape[1]


def run_lengths(code: Any) -> Sequence[int] | str:
    """Return the counts of a run-length mask, as a list of integers or as the compressed string of annotation files.

    Bytes are decoded.

    Raises:
        ValueError: for anything else.

    Examples:
        >>> run_lengths([0, 4, 16]), run_lengths(b"04@")
        ([0, 4, 16], '04@')
    """
    if isinstance(code, bytes):
        return code.decode("latin-1")  # non-ASCII bytes are rejected later, with other invalid characters
    if isinstance(code, str) or (isinstance(code, list) and all(type(count) is int for count in code)):
        return code
    raise ValueError("the counts of a run-length mask are a list of whole numbers or a compressed text")
