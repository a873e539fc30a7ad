"""Primitives that read boxes and points, also between tags, compare two of them, and test whether points are in
boxes."""

from __future__ import annotations

import math
from typing import Any, Literal

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.literal import notation_or_none
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Box, Point, Score, show_type

# Answers with more boxes than this are refused; comparing them all would take seconds.
MAX_BOXES = 1000


@primitive(topics=("places", "extraction"), aka=("bounding boxes",))
def to_boxes(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> list[Box]:
    """Read the boxes (x1, y1, x2, y2) of a list, or of a string that represents one; a single box makes a list of one.

    Items that are not four finite numbers are left out, but a list without any box is refused.

    Args:
        failed: The result for a value without boxes: the empty list (empty), or a refusal (refuse).

    Examples:
        >>> to_boxes("[(0, 0, 1, 1)]"), to_boxes([0, 0, 1, 1])
        ([(0.0, 0.0, 1.0, 1.0)], [(0.0, 0.0, 1.0, 1.0)])

    Raises:
        Unparsed: when there are more than a thousand boxes or, unless `failed` is empty, none.

    Source:
        As used in MEGA-Bench metrics README, Bounding boxes.
    """
    found = notation_or_none(value) if isinstance(value, str) else value
    if not isinstance(found, (list, tuple)):
        if failed == "empty":
            return []
        raise Unparsed(f"not a list of boxes: {show_type(value)}")
    if _is_box(found):
        found = [found]
    boxes: list[Box] = [tuple(map(float, box)) for box in found if _is_box(box)]  # type: ignore[misc]  # four each
    if found and not boxes and failed == "refuse":
        raise Unparsed("none of the items is a box")
    if len(boxes) > MAX_BOXES:
        raise Unparsed(f"{len(boxes)} boxes are more than {MAX_BOXES}")
    return boxes


def _is_box(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 4 and all(map(_is_coordinate, value))


def _is_coordinate(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


@primitive(topics=("places", "extraction"), aka=("bounding box",))
def to_box(value: Any, /) -> Box:
    """Read the single box (x1, y1, x2, y2) that a value is, or that a string represents.

    Examples:
        >>> to_box("(0, 0, 1, 1)")
        (0.0, 0.0, 1.0, 1.0)

    Raises:
        Unparsed: when there is no box, or more than one.
    """
    boxes = to_boxes(value)
    if len(boxes) != 1:
        raise Unparsed(f"one box was wanted, not {len(boxes)}")
    return boxes[0]


@primitive(
    laws=("symmetric", "bounded"),
    topics=("places",),
    aka=("intersection over union", "bounding box overlap", "box iou"),
)
def iou(prediction: Box, reference: Box, /, *, over: Literal["union", "hull"] = "union") -> Score:
    """Compute the intersection over union of two boxes; a box whose corners are not in order has no area.

    Args:
        over: What divides the area of the intersection: that of the union, or that of the hull, the smallest box that
            holds both.

    Examples:
        >>> iou((0, 0, 1, 1), (0, 0, 1, 0.5)), iou((0, 0, 1, 1), (2, 2, 3, 3))
        (0.5, 0.0)

    Source:
        Jaccard 1901, as used in the PASCAL VOC challenge (Everingham et al. 2010).
    """
    width = min(prediction[2], reference[2]) - max(prediction[0], reference[0])
    height = min(prediction[3], reference[3]) - max(prediction[1], reference[1])
    shared = width * height if width > 0 and height > 0 else 0.0
    union = _area(prediction) + _area(reference) - shared
    if over == "hull" and shared > 0:
        (left, top, right, bottom), (x1, y1, x2, y2) = prediction, reference
        union = (max(right, x2) - min(left, x1)) * (max(bottom, y2) - min(top, y1))
    return min(1.0, shared / union) if shared > 0 and union > 0 else 0.0


def _area(box: Box) -> float:
    width, height = box[2] - box[0], box[3] - box[1]
    return width * height if width > 0 and height > 0 else 0.0


# Answers with more points than this are refused.
MAX_POINTS = 10_000


def _is_point(value: object) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_finite, value))


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


@primitive(topics=("places", "extraction"))
def to_points(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> list[Point]:
    """Read the points (x, y) of a list, or of a string that represents one; a single point makes a list of one.

    Args:
        failed: The result for a value that is not a list of points: the empty list (empty), or a refusal (refuse).

    Examples:
        >>> to_points("[[0.1, 0.2], [0.3, 0.4]]"), to_points([1, 2])
        ([(0.1, 0.2), (0.3, 0.4)], [(1.0, 2.0)])

    Raises:
        Unparsed: when an item is not a pair of numbers, or there are more than ten thousand, unless `failed` is empty.

    Source:
        As used in MEGA-Bench, sequence_coords_similarity.
    """
    found = notation_or_none(value) if isinstance(value, str) else value
    if _is_point(found):
        found = [found]
    if isinstance(found, (list, tuple)) and len(found) <= MAX_POINTS and all(map(_is_point, found)):
        return [(float(x), float(y)) for x, y in found]
    if failed == "empty":
        return []
    raise Unparsed(f"not a list of points: {show_type(value)}")


@primitive(
    better="lower",
    laws=("symmetric",),
    range=(0.0, math.inf),
    topics=("places",),
    aka=("euclidean distance", "l2 distance"),
)
def point_distance(prediction: Point, reference: Point, /) -> Score:
    """Compute the Euclidean distance of two points; add ``exp_decay``, or ``scale`` and ``invert``, to get a score.

    Examples:
        >>> point_distance((0, 0), (3, 4))
        5.0

    Source:
        As used in MEGA-Bench, xml_norm_point_distance.
    """
    return math.dist(prediction, reference)


@primitive(traits=("response_alone",), topics=("places",))
def in_any_box(prediction: Point, reference: object, /, *, boxes: list[Any]) -> Score:
    """Return 1 for a point inside any of the boxes or on an edge, else 0; the reference is not used.

    Args:
        boxes: Boxes (x1, y1, x2, y2), each as four numbers or as a string that represents them.

    Examples:
        >>> in_any_box((0.2, 0.2), None, boxes=["(0.1, 0.1, 0.3, 0.3)"])
        1.0

    Raises:
        Unscored: when there is no box, or one of the values is not a box.

    Source:
        As used in MEGA-Bench, xml_norm_point_in_bbox.
    """
    if not boxes:
        raise Unscored("there is no box to look in")
    try:
        targets = [to_box(box) for box in boxes]
    except Unparsed as error:
        raise Unscored(f"the row's boxes: {error}") from None
    x, y = prediction
    return float(any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in targets))


_LONGEST = 100_000
_BOX = lazy_pattern(r"<box>([^<]{0,200})</box>")
_POINT = lazy_pattern(r"<point>([^<]{0,200})</point>")


def _numbers(text: str, count: int) -> tuple[float, ...] | None:
    parts = text.strip().strip("()[]").split(",")
    if len(parts) != count:
        return None
    try:
        numbers = tuple(float(part) for part in parts)
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


@primitive(topics=("places", "extraction"))
def tagged_boxes(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> list[Box]:
    """Extract the boxes written as ``<box>x1, y1, x2, y2</box>`` in a text; a list of boxes is read as it is.

    Args:
        failed: The result for a value without boxes: the empty list (empty), or a refusal (refuse).

    Examples:
        >>> tagged_boxes("here: <box>0, 0, 0.5, 1</box>")
        [(0.0, 0.0, 0.5, 1.0)]

    Raises:
        Unparsed: when there is no box, unless `failed` is empty.

    Source:
        MEGA-Bench, xml_nbbox_iou_single.
    """
    if not isinstance(value, str):
        return to_boxes(value, failed=failed)
    written = [_numbers(found, 4) for found in _BOX.findall(value[:_LONGEST])[:MAX_BOXES]]
    boxes: list[Box] = [box for box in written if box is not None]  # type: ignore[misc]  # four numbers each
    if not boxes and failed == "refuse":
        raise Unparsed("there is no <box>…</box> of four numbers")
    return boxes


@primitive(topics=("places", "extraction"))
def tagged_point(value: Any, /) -> Point:
    """Extract the single point written as ``<point>x, y</point>`` in a text; a pair of numbers is read as it is.

    Examples:
        >>> tagged_point("I tap <point>0.5, 0.25</point>")
        (0.5, 0.25)

    Raises:
        Unparsed: when there is no point, or more than one.

    Source:
        MEGA-Bench, xml_norm_point_distance.
    """
    if isinstance(value, str):
        found = _POINT.findall(value[:_LONGEST])
        numbers = _numbers(found[0], 2) if len(found) == 1 else None
        points = [] if numbers is None else [(numbers[0], numbers[1])]
    else:
        points = to_points(value, failed="empty")
    if len(points) != 1:
        raise Unparsed("one <point>…</point> of two numbers was wanted")
    return points[0]
