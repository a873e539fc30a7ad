"""Boxes and points that a model writes between tags."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

from scoring.primitives.geometry.boxes import MAX_BOXES, to_boxes
from scoring.primitives.geometry.points import to_points
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import Box, Point

_LONGEST = 100_000
_BOX = re.compile(r"<box>([^<]{0,200})</box>")
_POINT = re.compile(r"<point>([^<]{0,200})</point>")


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
    """The boxes written as ``<box>x1, y1, x2, y2</box>`` in a text; a list of boxes stays what it is.

    Args:
        failed: What a value without any box gives: the empty list, or a refusal.

    Examples:
        >>> tagged_boxes("here: <box>0, 0, 0.5, 1</box>")
        [(0.0, 0.0, 0.5, 1.0)]

    Raises:
        Unparsed: when there is no box.

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
    """The one point written as ``<point>x, y</point>`` in a text; a pair of numbers stays what it is.

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
