"""The validated settings of a task over a whole data set of images or labelled data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from scoring.extensions.vision.files.choose import filter_of
from scoring.extensions.vision.geometry.shapes import Kind

Records = Literal["classification", "detection", "segmentation"]
SIDES = ("groundtruth", "predictions", "images")


class VisionTask(Struct, frozen=True):
    """The settings of a spec with `kind: task` and `records:`, that is, of a task over a whole data set of images.

    Args:
        records: The kind of the records.
        labels: Labels in order; for segmentation the names of the values 1, 2, …
        label_map: Maps labels in the data to labels that are evaluated.
        filters: Conditions for `groundtruth`, `predictions` and `images`.
        by: Attributes by which results are broken down.
        geometry: The kind of shape to compare; by default the least detailed kind present on either side.
        rasterise: Whether polygons are drawn into masks where masks are compared.
        worst: The number of worst images to list.
        worst_iou: The overlap from which a detection matches an object in that list.
        worst_score: The score from which a detection counts in that list.
        pictures: The folder of the image files, for pages.
    """

    records: Records
    labels: Sequence[str] | None = None
    label_map: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by: Sequence[str] = ()
    geometry: Kind | None = None
    rasterise: bool = False
    worst: int = 20
    worst_iou: float = 0.5
    worst_score: float = 0.25
    pictures: Path | None = None

    def __post_init__(self) -> None:
        unknown = set(self.filters) - set(SIDES)
        if unknown:
            raise ValueError(f"filters are for {', '.join(SIDES)}, not {', '.join(sorted(unknown))}")
        if self.records == "segmentation" and self.labels is None:
            raise ValueError("segmentation needs `labels`: the names of the values 1, 2, …")
        if self.records == "segmentation" and (self.label_map or self.filters):
            raise ValueError("label maps and filters are for classification and detection")
        for conditions in self.filters.values():
            filter_of(conditions)  # raises for an invalid condition before a file is read
