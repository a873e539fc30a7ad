"""A data set of images or labelled data as the table that metrics read, and its metrics in the engine's interface.

Data sets are read from files, with label maps, filters and closed label lists applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.records.record_reader import place_reader
from scoring.errors import InputError
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.choose import (
    check_attributes,
    check_kept,
    check_labels,
    filter_of,
    rename_labels,
    with_labels,
)
from scoring.extensions.vision.files.classification_files import read_classification
from scoring.extensions.vision.files.detection_files import choose_detections, read_detections, tables_by_key
from scoring.extensions.vision.files.documents import Origin, name_of_source
from scoring.extensions.vision.files.faults import BrokenRecords, Fault, is_id
from scoring.extensions.vision.files.label_maps import read_label_maps
from scoring.extensions.vision.files.task import VisionTask
from scoring.extensions.vision.metrics.statistic import VisionStatistic
from scoring.extensions.vision.segmentation.pixels import LabelMap, PixelCounts
from scoring.ranges import Better
from scoring.statistics.statistic import Statistic

ImageData: TypeAlias = Detections | Classifications | PixelCounts
"""The tables that metrics of image data read."""

TableMetric: TypeAlias = Callable[[Any], Any]
"""A metric whose arguments are already set."""


class Images(Struct, frozen=True, eq=False):
    """Images, or other labelled data, with their ids and the attributes that breakdowns and clusters use."""

    data: ImageData
    ids: Sequence[Any]
    attributes: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, data: ImageData, attributes: Mapping[Any, Mapping[str, Any]]) -> Images:
        """Return the images of a data set, each with its attributes, which are looked up by its id."""
        ids = data.images if isinstance(data, Detections) else data.ids
        return cls(data, ids, [attributes[key] for key in ids])

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, name: str) -> Sequence[Any]:
        """Return the attribute of each image that `name` gives, a key or a path; None if an image lacks it or it is
        the empty string (an empty cell of CSV).
        """
        read = place_reader(name)
        found = [values[name] if name in values else read(values) for values in self.attributes]
        return [None if value == "" else value for value in found]

    def select(self, positions: Sequence[int]) -> Images:
        """Return only the images at the given positions, in the order of the positions."""
        part = self.data.part(np.array(positions, dtype=np.int64))
        return Images(part, *([values[position] for position in positions] for values in (self.ids, self.attributes)))

    def keyed(self, keys: Sequence[Any], column: str | None = None) -> Images:
        """Return the images with `keys` as their ids; raise a ValueError if `column` is not None, as images can't be
        grouped by it.
        """
        if column is not None:
            raise ValueError(f"metrics of image data are not grouped by {column}")
        return replace(self, ids=keys)


class ImageMetric(Struct, frozen=True, eq=False):
    """A metric in the form that the scoring engine calls: applied to images, it returns a statistic whose resampling
    units are the images.

    `text` is the metric's expression; `ready` contains statistics that are already computed, by the images' data.
    """

    text: str
    metric: TableMetric
    ready: Mapping[ImageData, Statistic] = field(default_factory=dict)

    @property
    def better(self) -> Better:
        """Whether higher or lower values are better, or neither, as the metric declares."""
        found: Better = getattr(self.metric, "better", "higher")
        return found

    def __call__(self, images: Images) -> Statistic:
        """Return the statistic of the given images; raise an InputError if its resampling units are not the images."""
        ready = self.ready.get(images.data)
        found: Statistic = self.metric(images.data) if ready is None else ready
        if isinstance(found, VisionStatistic):
            return found.with_metric_state(found.metric_state._replace(ids=images.ids))
        if any(key not in images.ids for key in found.keys):
            raise InputError(f"{self.text} does not say which images it counts, so it can't be drawn by cluster")
        return found


# ---- from files


class DataSet(Struct, frozen=True):
    """A data set as read from its files: the images under each label key, entries for the summary (`info`, such as the
    number of images), and the names in the spec's label map that the data lacks (`unmapped`).
    """

    keyed: dict[str, Images]
    info: dict[str, Any]
    unmapped: tuple[str, ...] = ()  # names in the label map that the data does not have
    maps: Callable[[frozenset[str]], Iterator[LabelMap]] | None = None  # reads label maps again, by their ids


def read_data_set(
    task: VisionTask, ground_truth: Origin, predictions: Origin | None = None, limit: int | None = None
) -> DataSet:
    """Return the data set in the given files, with the filters and label map of the task applied.

    Each of ground truth and predictions is a file or folder, or its content: a document, records, a data frame, or
    label maps by image name.

    Args:
        task: The settings of the data set.
        ground_truth: The true labels, objects or label maps.
        predictions: The predictions, unless the ground truth's file contains them.
        limit: The maximum number of images; all if not given.

    Raises:
        BrokenRecords: with every fault of the files and its location.
    """
    readers = {"classification": _classification, "detection": _detection, "segmentation": _segmentation}
    return readers[task.records](task, ground_truth, predictions, limit)


def _classification(task: VisionTask, ground_truth: Origin, predictions: Origin | None, limit: int | None) -> DataSet:
    # A closed list of labels is checked after the label map, so the files may contain others that the map renames.
    tables, attributes = read_classification(ground_truth, predictions)
    keyed: dict[str, Images] = {}
    where = name_of_source(ground_truth, "ground truth")
    for side in ("groundtruth", "images"):
        check_attributes(side, task.filters.get(side) or {}, list(attributes.values()), where)
    check_attributes("predictions", task.filters.get("predictions") or {}, [{"label": "", "score": 0.0}], where)
    first = None if limit is None else set(islice(attributes, limit))
    for key, table in tables.items():
        if first is not None:
            table = table.part(np.array([uid in first for uid in table.ids], dtype=np.bool_))
        for side in ("groundtruth", "images"):
            if task.filters.get(side):
                wanted = filter_of(task.filters[side])
                kept = table.part(np.array([wanted(attributes[uid]) for uid in table.ids], dtype=np.bool_))
                check_kept(side, len(table), len(kept), where)
                table = kept
        if task.filters.get("predictions"):
            table = _filter_rows(table, filter_of(task.filters["predictions"]))
        if task.label_map:
            table = rename_labels(table, task.label_map)
        if task.labels is not None:
            known = set(task.labels)
            if unknown := [name for name in table.labels.names if name not in known]:
                raise BrokenRecords([Fault(where, f"unknown label {name!r}") for name in unknown])
            table = with_labels(table, task.labels)
        keyed[key] = Images.of(table, attributes)
    size = len(attributes) if limit is None else min(limit, len(attributes))
    return DataSet(keyed, {"data": size}, _unmapped(task, tables.values()))


def _unmapped(task: VisionTask, tables: Iterable[Classifications | Detections]) -> tuple[str, ...]:
    met = {name for table in tables for name in table.labels.names}
    return tuple(name for name in task.label_map if name not in met)


def _filter_rows(table: Classifications, wanted: Callable[[Mapping[str, Any]], bool]) -> Classifications:
    names = table.labels.names
    rows = zip(table.row_label.tolist(), table.row_score.tolist(), strict=True)
    kept = np.array([wanted({"label": names[label], "score": score}) for label, score in rows], dtype=np.bool_)
    return table.with_rows(kept)


def _detection(task: VisionTask, ground_truth: Origin, predictions: Origin | None, limit: int | None) -> DataSet:
    records = choose_detections(read_detections(ground_truth, predictions), task.filters)
    attributes = {image["id"]: image for image in records.images if "id" in image and is_id(image["id"])}
    size = len(records.images)
    info = {"images": size if limit is None else min(limit, size), "geometry": "box"}
    keyed: dict[str, Images] = {}
    tables = tables_by_key(records, task.geometry, task.rasterise)
    for key, table in tables.items():
        if task.label_map:
            table = rename_labels(table, task.label_map)
        if task.labels is not None:
            check_labels(task.labels, table.labels.names, records.name)
            table = with_labels(table, task.labels)
        info["geometry"] = table.shapes.kind
        if limit is not None:
            table = table.part(np.arange(min(limit, len(table))))
        keyed[key] = Images.of(table, attributes)
    return DataSet(keyed, info, _unmapped(task, tables.values()))


def _segmentation(task: VisionTask, ground_truth: Origin, predictions: Origin | None, limit: int | None) -> DataSet:
    labels = task.labels or ()
    parts: list[PixelCounts] = []
    known: dict[str, Mapping[str, Any]] = {}
    for place, (image, attributes) in enumerate(islice(read_label_maps(ground_truth, predictions, labels), limit)):
        try:
            parts.append(PixelCounts.of_image(image, labels, place))
        except ValueError as error:
            raise BrokenRecords([Fault(name_of_source(ground_truth, "ground truth"), str(error))]) from error
        known[image.id] = attributes

    def again(wanted: frozenset[str]) -> Iterator[LabelMap]:  # their counts alone are kept
        maps = read_label_maps(ground_truth, predictions, labels, wanted)
        return (image for image, _ in islice(maps, len(wanted)))

    counts = Images.of(PixelCounts.join(parts, labels), known)
    return DataSet({"label": counts}, {"images": len(parts)}, maps=again)
