"""The keys of tasks over a whole data set of images or labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.format import forms
from scoring.format.forms import map_of, number, one_of
from scoring.format.keys import FileKind, ValueForm, key, object_schema
from scoring.late import dataclass

DETECTION: tuple[FileKind, ...] = ("detection",)
LABELLED: tuple[FileKind, ...] = ("classification", "detection")


@dataclass(frozen=True, slots=True)
class Range:
    """A condition: from a number to a number, both included."""

    min: float | None = key(number(), "The least value.", default=None)
    max: float | None = key(number(), "The largest value.", default=None)


_CONDITION = ValueForm(
    lambda kind: {"if": {"type": "object"}, "then": object_schema(Range, kind)},
    lambda building, node: building.make(Range, node) if node.is_mapping else node.plain(),
    (("", Range),),
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which items of a data set count: conditions by attribute, for each side."""

    groundtruth: Mapping[str, Any] = key(map_of(_CONDITION), "Conditions on what is true, by attribute.", default=dict)
    predictions: Mapping[str, Any] = key(
        map_of(_CONDITION), "Conditions on what was predicted, by attribute.", default=dict
    )
    images: Mapping[str, Any] = key(map_of(_CONDITION), "Conditions on the images or data themselves.", default=dict)


@dataclass(frozen=True, slots=True)
class DataSetSettings:
    """How a data set is compared, and what is listed of it."""

    geometry: str | None = key(
        one_of("box", "polygon", "mask"),
        "The kind in which shapes are compared; by default the least detailed one of both sides.",
        kinds=DETECTION,
        default=None,
    )
    rasterise: bool = key(forms.FLAG, "Whether polygons are drawn into masks.", kinds=DETECTION, default=False)
    worst: int = key(
        forms.plain({"type": "integer", "minimum": 0}, lambda node: int(node.plain())),
        "How many of the worst items are listed.",
        default=20,
    )
    worst_iou: float = key(
        number(minimum=0, maximum=1),
        "The overlap from which a listed detection is right.",
        kinds=DETECTION,
        default=0.5,
    )
    worst_score: float = key(
        number(), "The score from which a detection counts in that list.", kinds=DETECTION, default=0.25
    )


LABELS = ValueForm(
    lambda kind: {"type": ["array", "string"], "items": {"type": "string"}},
    lambda building, node: tuple(str(item.value) for item in node.items) if node.is_list else str(node.value),
)
