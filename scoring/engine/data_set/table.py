"""A data set of images as the table of its metrics, and its metrics as the road asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from scoring.compiler.record import reader
from scoring.data.rows.row import InputError
from scoring.metrics.vision.statistic import VisionStatistic
from scoring.statistics.statistic import Statistic
from scoring.vision.classification.table import Classifications
from scoring.vision.detection.table import Detections
from scoring.vision.segmentation.pixels import PixelCounts

ImageData: TypeAlias = Detections | Classifications | PixelCounts
"""What a metric of image data reads."""

TableMetric: TypeAlias = Callable[[Any], Any]
"""A metric with its arguments bound."""


@dataclass(frozen=True, eq=False)
class Images:
    """Images, or other data with labels, with what breakdowns and clusters read of them.

    Args:
        data: Their ground truths and predictions.
        ids: The id of each.
        attributes: What the files say of each beside its labels.
    """

    data: ImageData
    ids: Sequence[Any]
    attributes: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, data: ImageData, attributes: Mapping[Any, Mapping[str, Any]]) -> Images:
        """A table with attributes by id."""
        ids = data.images if isinstance(data, Detections) else data.ids
        return cls(data, ids, [attributes[key] for key in ids])

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, name: str) -> Sequence[Any]:
        """An attribute of each by its key or a JMESPath, None where it has none; an empty cell of CSV is none."""
        read = reader(name)
        found = [values[name] if name in values else read(values) for values in self.attributes]
        return [None if value == "" else value for value in found]

    def select(self, places: Sequence[int]) -> Images:
        """Some of them, in that order."""
        part = self.data.part(np.array(places, dtype=np.int64))
        return Images(part, *([values[place] for place in places] for values in (self.ids, self.attributes)))

    def keyed(self, keys: Sequence[Any], column: str | None = None) -> Images:
        """The same images under other ids; no metric of image data is keyed by a column."""
        if column is not None:
            raise ValueError(f"metrics of image data are not grouped by {column}")
        return replace(self, ids=keys)


@dataclass(frozen=True, eq=False)
class ImageMetric:
    """A metric as the road calls it: with images, whose ids become the keys of its units.

    Args:
        text: Its canonical text.
        metric: It takes the data.
        ready: Statistics that are known already, because other processes made them.
    """

    text: str
    metric: TableMetric
    ready: Mapping[ImageData, Statistic] = field(default_factory=dict)

    def __call__(self, images: Images) -> Statistic:
        """The statistic of some images."""
        ready = self.ready.get(images.data)
        found: Statistic = self.metric(images.data) if ready is None else ready
        if isinstance(found, VisionStatistic):
            return found.with_held(found.held._replace(ids=images.ids))
        if any(key not in images.ids for key in found.keys):
            raise InputError(f"{self.text} does not say which images it counts, so it can't be drawn by cluster")
        return found
