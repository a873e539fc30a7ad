"""The keys of tasks over data sets of images and of labelled data, in addition to those of all tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.format.forms import FLAG, TEXT, map_of, number_form, one_of, plain_form, section
from scoring.format.keys import FileKind, SpecPart, ValueForm, key, object_schema
from scoring.format.model import TaskSpec
from scoring.format.sections import LABELS

DETECTION: tuple[FileKind, ...] = ("detection",)
LABELLED: tuple[FileKind, ...] = ("classification", "detection")


class Range(SpecPart, frozen=True):
    """A condition on an attribute of a record: that it is a number from `min` to `max`, both included."""

    min: float | None = key(number_form(), "The least value.", moves="value", default=None)
    max: float | None = key(number_form(), "The largest value.", moves="value", default=None)


_CONDITION = ValueForm(
    lambda kind: {"if": {"type": "object"}, "then": object_schema(Range, kind)},
    lambda building, node: building.make(Range, node) if node.is_mapping else node.plain(),
    (("", Range),),
)


class Filters(SpecPart, frozen=True):
    """The section `filters` of a spec: conditions on attributes, which decide what items of a data set count."""

    groundtruth: Mapping[str, Any] = key(
        map_of(_CONDITION), "Conditions on what is true, by attribute.", moves="value", default=dict
    )
    predictions: Mapping[str, Any] = key(
        map_of(_CONDITION), "Conditions on what was predicted, by attribute.", moves="value", default=dict
    )
    images: Mapping[str, Any] = key(
        map_of(_CONDITION), "Conditions on the images or data themselves.", moves="value", default=dict
    )


class DataSetSettings(SpecPart, frozen=True):
    """The section `settings` of a spec: how predictions are compared with ground truths, and how many worst items are
    listed; `VisionTask` describes each key.
    """

    geometry: str | None = key(
        one_of("box", "polygon", "mask"),
        "The kind in which shapes are compared; by default the least detailed one of both sides.",
        moves="value",
        kinds=DETECTION,
        default=None,
    )
    rasterise: bool = key(FLAG, "Whether polygons are drawn into masks.", moves="value", kinds=DETECTION, default=False)
    worst: int = key(
        plain_form({"type": "integer", "minimum": 0}, lambda node: int(node.plain())),
        "How many of the worst items are listed.",
        moves="nothing",
        default=20,
    )
    worst_iou: float = key(
        number_form(minimum=0, maximum=1),
        "The overlap from which a listed detection is right.",
        moves="value",
        kinds=DETECTION,
        default=0.5,
    )
    worst_score: float = key(
        number_form(),
        "The score from which a detection counts in that list.",
        moves="value",
        kinds=DETECTION,
        default=0.25,
    )
    pictures: str | None = key(
        TEXT,
        "A folder below the spec's with the image files, which pages show: `file_name` of each image names its own.",
        moves="nothing",
        kinds=("detection", "segmentation"),
        default=None,
    )


class VisionSpec(TaskSpec, frozen=True, kw_only=True):
    """The spec of a task over a whole data set of images or of labelled data."""

    labels: tuple[str, ...] | str | None = key(
        LABELS,
        "The labels, in order, or a file that lists them; in a segmentation they name the values from 1 on.",
        moves="compiled",
        required=("segmentation",),
        default=None,
    )
    label_map: Mapping[str, str] = key(
        map_of(TEXT),
        "From labels in the data to labels that are evaluated.",
        moves="value",
        kinds=LABELLED,
        default=dict,
    )
    filters: Filters = key(
        section(Filters), "Which ground truths and predictions count.", moves="inside", kinds=LABELLED, default=Filters
    )
    settings: DataSetSettings = key(
        section(DataSetSettings),
        "How the data are compared, and what is listed about them.",
        moves="inside",
        default=DataSetSettings,
    )
