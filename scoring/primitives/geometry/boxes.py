"""Bounding boxes: read them, compare two."""

from __future__ import annotations

import math
from typing import Any, Literal

from scoring.primitives.parsing.literal import notation_or_none
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import Box, Score, show_type

# More boxes than this in one answer are no answer; comparing them all would take seconds.
MAX_BOXES = 1000


@primitive(topics=("places", "extraction"), aka=("bounding boxes",))
def to_boxes(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> list[Box]:
    """The boxes (x1, y1, x2, y2) of a list, or of a text that represents one; a single box is a list of one.

    What is not four finite numbers is left out, unless nothing else is there.

    Args:
        failed: What a value without any list gives: the empty list, or a refusal.

    Examples:
        >>> to_boxes("[(0, 0, 1, 1)]"), to_boxes([0, 0, 1, 1])
        ([(0.0, 0.0, 1.0, 1.0)], [(0.0, 0.0, 1.0, 1.0)])

    Raises:
        Unparsed: when there is no list, or more than a thousand boxes.

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
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e15 and math.isfinite(value)


@primitive(topics=("places", "extraction"), aka=("bounding box",))
def to_box(value: Any, /) -> Box:
    """The one box (x1, y1, x2, y2) that a value is, or that a text represents.

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
def iou(prediction: Box, reference: Box, /) -> Score:
    """Intersection over union of two boxes; a box whose corners are not in order has no area.

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
    return min(1.0, shared / union) if shared > 0 and union > 0 else 0.0


def _area(box: Box) -> float:
    width, height = box[2] - box[0], box[3] - box[1]
    return width * height if width > 0 and height > 0 else 0.0
