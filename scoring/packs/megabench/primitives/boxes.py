"""MEGA-Bench as released: how its metrics read and compare bounding boxes."""

from __future__ import annotations

import json
import math
from numbers import Number
from typing import Any

from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.printed import listed, printed
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

# Pairs of boxes that one record may compare: about a second of work.
PAIR_LIMIT = 1_000_000


@primitive(revision=2)
def megabench_upstream_to_boxes(value: object, /) -> Any:
    """The boxes that the released code reads out of a text: all lists of four numbers; lists as they are.

    Examples:
        >>> megabench_upstream_to_boxes("(0, 0, 1, 1)"), megabench_upstream_to_boxes("[(0, 0, 1)]")
        ([(0, 0, 1, 1)], [])

    Source:
        MEGA-Bench, released code, str_to_bboxes.
    """
    if isinstance(value, (list, tuple)):
        return value
    if not isinstance(value, str):
        return []
    found = _read(value)
    if len(found) == 4 and isinstance(found[0], Number):
        found = [found]
    return [box for box in found if _is_box(box)]


@primitive
def megabench_upstream_boxes_or_text(value: object, /) -> Any:
    """A list as it is, anything else as Python prints it.

    Examples:
        >>> megabench_upstream_boxes_or_text(5), megabench_upstream_boxes_or_text([[0, 0, 1, 1]])
        ('5', [[0, 0, 1, 1]])

    Source:
        MEGA-Bench, released code, nbbox_iou_sequence, the response.
    """
    return value if isinstance(value, (list, tuple)) else printed(value)


def _read(text: str) -> Any:
    try:
        return read_literal(text)
    except (SyntaxError, ValueError):
        pass
    try:
        return json.loads(text)
    except ValueError:
        return []


def _is_box(box: Any) -> bool:
    return isinstance(box, (list, tuple)) and len(box) == 4 and all(isinstance(n, (int, float)) for n in box)


@primitive
def megabench_upstream_read_box(text: str, /) -> Any:
    """The value written in a text, which should be one box.

    Examples:
        >>> megabench_upstream_read_box("(0, 0, 1, 1)")
        (0, 0, 1, 1)

    Source:
        MEGA-Bench, released code, nbbox_iou_single.
    """
    return read_literal(text)


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_iou(prediction: Any, reference: Any, /) -> Score:
    """Overlap of two boxes; corners are not put in order, so an inverted box has an odd area.

    Examples:
        >>> megabench_upstream_iou((0, 0, 1, 1), (0, 0, 1, 0.5))
        0.5

    Source:
        MEGA-Bench, released code, nbbox_iou.
    """
    width = max(0, min(prediction[2], reference[2]) - max(prediction[0], reference[0]))
    height = max(0, min(prediction[3], reference[3]) - max(prediction[1], reference[1]))
    shared: float = width * height
    union = _area(prediction) + _area(reference) - shared
    return shared / union if union > 0 else 0.0


def _area(box: Any) -> float:
    area: float = (box[2] - box[0]) * (box[3] - box[1])
    return area


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_mean_best_iou(prediction: Any, reference: Any, /) -> Score:
    """The mean, over the predicted boxes, of the best overlap with any box of the reference; none gives 0.

    Examples:
        >>> megabench_upstream_mean_best_iou([(0, 0, 1, 1)], [(0, 0, 1, 0.5), (5, 5, 6, 6)])
        0.5

    Source:
        MEGA-Bench, released code, nbbox_iou_tuple.
    """
    _check(prediction, reference)
    prediction, reference = listed(prediction), listed(reference)
    others = [(other[0], other[1], other[2], other[3], _area(other)) for other in reference] if prediction else []
    total = sum([_best_iou(box, others) for box in prediction])
    return total / len(prediction) if prediction else 0.0


def _best_iou(box: Any, others: list[tuple[Any, Any, Any, Any, Any]]) -> Any:
    """As `megabench_upstream_iou` with each of the others, in one loop."""
    left, top, right, bottom = box[0], box[1], box[2], box[3]
    area = (right - left) * (bottom - top)
    best = 0.0
    for low_x, low_y, high_x, high_y, other_area in others:
        width = (right if right < high_x else high_x) - (left if left > low_x else low_x)
        height = (bottom if bottom < high_y else high_y) - (top if top > low_y else low_y)
        shared = width * height if width > 0 and height > 0 else 0
        union = area + other_area - shared
        if union > 0 and shared / union > best:
            best = shared / union
    return best


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_mean_iou_in_order(prediction: Any, reference: Any, /) -> Score:
    """The mean overlap of two equally long lists of boxes, pair by pair; two empty lists give NaN, as released.

    Examples:
        >>> megabench_upstream_mean_iou_in_order([(0, 0, 1, 1)], [(0, 0, 1, 0.5)])
        0.5

    Source:
        MEGA-Bench, released code, nbbox_iou_sequence.
    """
    if len(prediction) != len(reference):
        return 0.0
    if not len(prediction):
        return math.nan
    return sum(map(megabench_upstream_iou, listed(prediction), listed(reference))) / len(prediction)


def _check(prediction: Any, reference: Any) -> None:
    if len(prediction) * len(reference) > PAIR_LIMIT:
        raise Unscored(f"{len(prediction)} × {len(reference)} boxes are too many to compare")
