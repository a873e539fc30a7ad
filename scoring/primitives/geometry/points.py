"""Points: read them, measure between them, find them in boxes."""

from __future__ import annotations

import math
from typing import Any, Literal

from scoring.primitives.geometry.boxes import to_box
from scoring.primitives.parsing.literal import notation_or_none
from scoring.registry import primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Point, Score, show_type

# More points than this in one answer are no answer.
MAX_POINTS = 10_000


def _is_coordinate(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_point(value: object) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_coordinate, value))


@primitive(topics=("places", "extraction"))
def to_points(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> list[Point]:
    """The points (x, y) of a list, or of a text that represents one; a single point is a list of one.

    Args:
        failed: What a value that is no list of points gives: the empty list, or a refusal.

    Examples:
        >>> to_points("[[0.1, 0.2], [0.3, 0.4]]"), to_points([1, 2])
        ([(0.1, 0.2), (0.3, 0.4)], [(1.0, 2.0)])

    Raises:
        Unparsed: when an item is no pair of numbers, or there are more than ten thousand.

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


@primitive(laws=("symmetric",), range=(0.0, math.inf), topics=("places",), aka=("euclidean distance", "l2 distance"))
def point_distance(prediction: Point, reference: Point, /) -> Score:
    """The Euclidean distance of two points; follow it with ``exp_decay``, or with ``scale`` and ``invert``.

    Examples:
        >>> point_distance((0, 0), (3, 4))
        5.0

    Source:
        As used in MEGA-Bench, xml_norm_point_distance.
    """
    return math.dist(prediction, reference)


@primitive(topics=("quirks",))
def within_unit_square(point: Point, /) -> Point:
    """The point itself, where both of its coordinates lie between 0 and 1.

    Examples:
        >>> within_unit_square((0.5, 1))
        (0.5, 1)

    Raises:
        Unparsed: when it lies outside.

    Source:
        As used in MEGA-Bench: coordinates are normalised to the range 0 to 1.
    """
    if not all(0 <= part <= 1 for part in point):
        raise Unparsed("the point lies outside the unit square")
    return point


@primitive(traits=("response_alone",), topics=("places",))
def in_any_box(prediction: Point, reference: object, /, *, boxes: list[Any]) -> Score:
    """1 for a point that lies in any of the boxes or on its edge, else 0; the reference is not used.

    Args:
        boxes: Boxes (x1, y1, x2, y2), each as four numbers or as a text that represents them.

    Examples:
        >>> in_any_box((0.2, 0.2), None, boxes=["(0.1, 0.1, 0.3, 0.3)"])
        1.0

    Raises:
        Unscored: when there is no box, or one of them is none.

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
