"""MEGA-Bench as released: points and boxes written as tags, and sequences of points."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from scoring.packs.megabench.primitives.boxes import megabench_upstream_iou
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.values import Score


def _tagged(text: str, tag: str) -> list[str]:
    """What stands between an opening tag and the next closing one of its line."""
    if len(text) <= _SHORT or text.count(f"<{tag}>") <= _FEW:
        return _FIND[tag](text)
    # A pattern would look through the rest of a line from every tag that is not closed.
    opening, closing = f"<{tag}>", f"</{tag}>"
    parts = [part for line in text.split("\n") for part in line.split(closing)[:-1]]
    return [part.partition(opening)[2] for part in parts if opening in part]


_FIND = {tag: re.compile(f"<{tag}>(.*?)</{tag}>").findall for tag in ("box", "point")}
_SHORT, _FEW = 120, 20


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        return ()


def _tagged_boxes(value: object) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if not isinstance(value, str):
        return []
    return [box for box in map(_numbers, _tagged(value, "box")) if len(box) == 4]


def _mean_best_iou(prediction: object, reference: object) -> float:
    boxes = _tagged_boxes(prediction)
    if len(boxes) == 4 and all(map(_is_number, boxes)):
        boxes = [boxes]
    targets = _tagged_boxes(reference)
    if not boxes:
        return 0.0
    return math.fsum(max([0.0, *(megabench_upstream_iou(box, target) for target in targets)]) for box in boxes) / len(
        boxes
    )


@primitive
def megabench_upstream_tagged_boxes_iou(prediction: object, reference: object, /) -> Score:
    """Mean best overlap of the boxes written as ``<box>x1, y1, x2, y2</box>``; none gives 0.

    Examples:
        >>> megabench_upstream_tagged_boxes_iou("<box>0, 0, 1, 1</box>", "<box>0, 0, 1, 0.5</box>")
        0.5

    Source:
        MEGA-Bench, released code, xml_nbbox_iou_single.
    """
    return zero_on_error(_mean_best_iou, prediction, reference)


def _tagged_point(value: object) -> tuple[Any, ...]:
    if isinstance(value, str):
        found = _tagged(value, "point")
        return _numbers(found[0]) if len(found) == 1 else ()
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _nearness(prediction: object, reference: object) -> float:
    point = _tagged_point(prediction)
    if len(point) != 2 or not (0 <= point[0] <= 1 and 0 <= point[1] <= 1):
        return 0.0
    wanted = _tagged_point(reference)
    if len(wanted) != 2 or not (0 <= wanted[0] <= 1 and 0 <= wanted[1] <= 1):
        return 0.0
    return max(0.0, 1 - math.dist(point, wanted))


@primitive
def megabench_upstream_tagged_point_nearness(prediction: object, reference: object, /) -> Score:
    """1 minus the distance of two ``<point>x, y</point>`` of the unit square; anything else is 0.

    Examples:
        >>> megabench_upstream_tagged_point_nearness("<point>0.5, 0.5</point>", "<point>0.5, 0.75</point>")
        0.75

    Source:
        MEGA-Bench, released code, xml_norm_point_distance.
    """
    return zero_on_error(_nearness, prediction, reference)


def _first_box(value: object) -> Any:
    found: Any = read_literal(value) if isinstance(value, str) else value
    if isinstance(found, (list, tuple)) and len(found) == 4 and all(map(_is_number, found)):
        found = [found]
    boxes = [box for box in found if isinstance(box, (list, tuple)) and len(box) == 4 and all(map(_is_number, box))]
    return boxes[0]


def _in_any_box(prediction: object, boxes: Any) -> float:
    if not boxes:
        raise ValueError("no boxes")
    targets = [_first_box(box) for box in boxes]
    point = _tagged_point(prediction)
    if len(point) != 2:
        return 0.0
    x, y = point
    return float(any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in targets))


@primitive(traits=("response_alone",))
def megabench_upstream_tagged_point_in_boxes(prediction: object, reference: object, /, *, boxes: object) -> Score:
    """1 when the one ``<point>x, y</point>`` lies in or on the edge of any box, else 0.

    Args:
        boxes: The boxes, each a text such as ``"(0.1, 0.2, 0.3, 0.4)"``; the reference is not used.

    Examples:
        >>> megabench_upstream_tagged_point_in_boxes("<point>0.2, 0.2</point>", None, boxes=["(0.1, 0.1, 0.3, 0.3)"])
        1.0

    Source:
        MEGA-Bench, released code, xml_norm_point_in_bbox.
    """
    return zero_on_error(_in_any_box, prediction, boxes)


def _coordinates(value: object) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    if not isinstance(value, str):
        return []
    try:
        found = read_literal(value, exact=True)
    except SyntaxError:
        try:
            found = json.loads(value)
        except ValueError:
            return []
    return [pair for pair in found if isinstance(pair, (list, tuple)) and len(pair) == 2 and all(map(_is_number, pair))]


def _point_sequences(prediction: object, reference: object) -> float:
    import numpy as np

    points, targets = np.array(_coordinates(prediction)), np.array(_coordinates(reference))
    if points.shape != targets.shape:
        return 0.0
    with np.errstate(all="ignore"):  # infinite coordinates: the released code gets a NaN, or a warning
        distances = np.linalg.norm(points - targets, axis=1)
        return float(np.mean(np.exp(-10 * distances / math.sqrt(2))))


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
def megabench_upstream_point_sequences(prediction: object, reference: object, /) -> Score:
    """Mean of exp(-10 d / √2) over the distances d of two sequences of points; another length gives 0.

    Infinite coordinates give NaN, as released.

    Examples:
        >>> megabench_upstream_point_sequences("[[0.1, 0.2]]", [[0.1, 0.2]])
        1.0

    Source:
        MEGA-Bench, released code, sequence_coords_similarity.
    """
    return zero_on_error(_point_sequences, prediction, reference)
