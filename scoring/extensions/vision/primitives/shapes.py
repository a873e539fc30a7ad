"""Shapes of objects in images: their overlap, their areas, and conversion between kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from scoring.registry import AtLeast, Doc, primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score, show_type

if TYPE_CHECKING:
    from scoring.extensions.vision.geometry.shapes import Shapes

# The time for the overlap of two polygons grows with the square of their number of corners.
MAX_CORNERS = 1_000

Geometry = Annotated[
    Literal["box", "polygon", "mask"] | None,
    Doc("The kind of shape to convert to; by default its own, and of two the less detailed one."),
]
Size = Annotated[
    Annotated[Sequence[int], AtLeast(1)] | None,
    Doc("Height and width of the image that polygons are drawn into where masks are needed."),
]


@primitive(uses=("numpy",), topics=("places",), aka=("mask iou", "polygon iou"))
def shape_iou(prediction: Any, reference: Any, /, *, geometry: Geometry = None, size: Size = None) -> Score:
    """Return the intersection over union of two shapes; 0 if the union is empty.

    A shape is written as in a detection data set: a mapping with `bbox` (left, top, width, height), `rbox` (centre x,
    centre y, width, height, degrees), `segmentation` (rings of coordinates, or a run-length code) or `mask` (rows
    of 0 and 1); or just the rings or the run-length code. Two kinds are compared as the less detailed one: a mask
    becomes the convex hull of its pixels' upper left corners or their extent, a polygon its envelope.

    Examples:
        >>> shape_iou({"bbox": [0, 0, 2, 2]}, {"bbox": [1, 0, 2, 2]})
        0.3333333333333333
        >>> shape_iou([[0, 0, 2, 0, 2, 2]], {"mask": [[1, 1], [1, 1]]}, geometry="box")
        1.0

    Raises:
            Unparsed: when the prediction is not a shape.
            Unscored: when the reference is not a shape, or the two can't be compared.

    Source:
        COCO API; Valor metrics document, intersection over union and conversion between geometric annotations.
    """
    one, other = _shapes(prediction, reference, geometry=geometry, size=size)
    zero = np.zeros(1, dtype=np.int64)
    try:
        return min(1.0, float(one.overlaps(other, zero, zero, None)[0]))
    except ValueError as error:
        raise Unscored(str(error)) from None


@primitive(uses=("numpy",), topics=("places",))
def shape_area(value: Any, /, *, geometry: Geometry = None, size: Size = None) -> float:
    """Return the area of a shape: width times height, the area inside its outline, or its number of pixels.

    See `shape_iou` for the forms of shapes.

    Examples:
        >>> shape_area({"bbox": [0, 0, 2, 3]}), shape_area([[0, 0, 2, 0, 2, 2]]), shape_area({"mask": [[1, 1], [0, 1]]})
        (6.0, 2.0, 3.0)

    Raises:
            Unparsed: when the value is not a shape.

    Source:
        COCO API, area; Valor, geometric annotations.
    """
    return float(_shapes(value, geometry=geometry, size=size)[0].areas()[0])


@primitive(uses=("numpy",), topics=("places",))
def shape_as(value: Any, /, *, geometry: Literal["box", "polygon", "mask"], size: Size = None) -> Any:
    """Return a shape as another kind, as a mapping in the form of a detection data set.

    See `shape_iou` for the forms of shapes and their conversion. A shape can't become more detailed, except that
    polygons are drawn as masks if a size is given.

    Args:
        geometry: The desired kind.

    Examples:
        >>> shape_as([[0, 0, 2, 0, 2, 2]], geometry="box"), shape_as({"mask": [[0, 1], [0, 1]]}, geometry="box")
        ({'bbox': [0.0, 0.0, 2.0, 2.0]}, {'bbox': [1.0, 0.0, 1.0, 2.0]})
        >>> shape_as([[0, 0, 2, 0, 2, 2, 0, 2]], geometry="mask", size=[2, 3])
        {'segmentation': {'size': [2, 3], 'counts': '042'}}

    Raises:
            Unparsed: when the value is not a shape, or can't be converted to that kind.

    Source:
        COCO API; Valor metrics document, conversion between geometric annotations.
    """
    from scoring.extensions.vision.geometry.polygon import Polygons
    from scoring.extensions.vision.geometry.rle import Masks, compress

    (found,) = _shapes(value, geometry=geometry, size=size)
    if isinstance(found, Masks):
        sides = [int(found.heights[0]), int(found.widths[0])]
        return {"segmentation": {"size": sides, "counts": compress(found.counts(0))}}
    if isinstance(found, Polygons):
        return {"segmentation": [[float(number) for number in ring.ravel()] for ring in found.parts[0]]}
    return {"bbox": [float(number) for number in found.rows()[0]]}  # type: ignore[attr-defined]  # boxes are left


def _refused(side: str, problem: str) -> Exception:
    return Unparsed(problem) if side == "prediction" else Unscored(f"the {side}: {problem}")


def _record(value: Any) -> Mapping[str, Any]:
    """Return a shape, in any form that `shape_iou` accepts, as a record of a data set, with `bbox`, `rbox` or
    `segmentation`; raise a ValueError if it is not a shape or has too many corners.
    """
    if isinstance(value, list | tuple) or (isinstance(value, Mapping) and {"size", "counts"} <= set(value)):
        value = {"segmentation": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"no shape: {show_type(value)}")
    if "mask" in value:
        return {"segmentation": _run_lengths(value["mask"])}
    if not {"bbox", "rbox", "segmentation"} & set(value):
        raise ValueError("a shape has `bbox`, `rbox`, `segmentation` or `mask`")
    rings = value.get("segmentation")
    rings = rings if isinstance(rings, list | tuple) else []
    if sum(len(ring) for ring in rings if isinstance(ring, list | tuple)) > 2 * MAX_CORNERS:
        raise ValueError(f"an outline of more than {MAX_CORNERS:,} corners")
    return value


def _run_lengths(rows: Any) -> dict[str, Any]:
    from scoring.extensions.vision.geometry.rle import Masks

    try:
        pixels = np.array(rows)
        if pixels.dtype.kind not in "bi" or ((pixels != 0) & (pixels != 1)).any():
            raise ValueError("it holds other values")
        masks = Masks.from_bitmaps([pixels.astype(np.bool_)])
    except (ValueError, OverflowError) as error:
        raise ValueError(f"a mask is rows of 0 and 1: {error}") from None
    return {"size": list(pixels.shape), "counts": masks.counts(0)}


def _shapes(*values: Any, geometry: Any, size: Sequence[int] | None) -> list[Shapes]:
    """Return the shapes of a prediction and, if given, of a reference, converted to one kind.

    Args:
        values: The prediction, and the reference if there is one.
        geometry: The kind to convert to; None for the less detailed of both.
        size: Height and width of the image; if given, polygons may be drawn as masks.

    Raises:
        Unparsed: when the prediction is not a shape.
        Unscored: when the reference is not a shape, or the size is not two numbers.
    """
    from scoring.extensions.vision.files.faults import Faults
    from scoring.extensions.vision.files.shapes import read_shapes

    one = np.zeros(1, dtype=np.int64)
    sides: list[Any] = []
    for value, name in zip(values, ("prediction", "reference"), strict=False):
        try:
            sides.append(([_record(value)], one, [name]))
        except ValueError as error:
            raise _refused(name, str(error)) from None
    if size is not None and len(size) != 2:
        raise Unscored(f"a size is height and width, not {list(size)}")
    faults = Faults()
    sides += [([], one[:0], "nothing")] * (2 - len(sides))
    sizes = [(None, None) if size is None else (size[0], size[1])]
    found = read_shapes(sides[0], sides[1], sizes, geometry, size is not None, faults)
    for fault in faults:
        raise _refused(fault.where.partition("[")[0], fault.message)
    return list(found[: len(values)])
