"""A task over a whole data set: files in, metrics, breakdowns, worst items and plots out, all plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from scoring.data.sets.choose import (
    filter_of,
    keep_class_labels,
    keep_labels,
    relabel_classifications,
    relabel_detections,
)
from scoring.data.sets.classification_files import read_classification
from scoring.data.sets.detection_files import choose_detections, read_detections
from scoring.data.sets.detection_lines import tables_by_key
from scoring.data.sets.documents import Source, name_of_source
from scoring.data.sets.faults import BrokenRecords, Fault
from scoring.data.sets.label_maps import read_label_maps
from scoring.data.sets.task import VisionTask
from scoring.engine.data_set.worst import worst_classifications, worst_images
from scoring.vision.arrays import plain
from scoring.vision.classification.table import Classifications
from scoring.vision.plot.of_details import plots_of
from scoring.vision.segmentation.pixels import PixelCounts


class Finding(Protocol):
    """What a metric returns: a headline and tables."""

    def value(self) -> float | None:
        """The headline."""

    def details(self) -> dict[str, Any]:
        """The tables."""


Metric = Callable[[Any], Finding]
Attributes = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class VisionResult:
    """What a task found. `data` is ready for JSON, `plots` holds SVG by file name."""

    data: dict[str, Any]
    plots: dict[str, str]


def evaluate_task(
    task: VisionTask, metrics: Mapping[str, Metric], ground_truth: Source, predictions: Source | None = None
) -> VisionResult:
    """Score the predictions of a data set.

    Args:
        task: What the records are and which of them count.
        metrics: Metrics by the text that shows them; each takes the table of the task's records.
        ground_truth: The ground-truth file or folder, or what it would hold: a document, records, a data frame,
            label maps by the names of their images.
        predictions: The predictions likewise, if they are not in the first.
    """
    readers = {"classification": _classification, "detection": _detection, "segmentation": _segmentation}
    return readers[task.records](task, metrics, ground_truth, predictions)


def _classification(
    task: VisionTask, metrics: Mapping[str, Metric], ground_truth: Source, predictions: Source | None
) -> VisionResult:
    # A closed list of labels stands after the label map, so the files may hold others that it renames.
    files = read_classification(ground_truth, predictions)
    keyed: dict[str, tuple[Any, Attributes, list[dict[str, Any]]]] = {}
    for key, table in files.tables.items():
        for side in ("groundtruth", "images"):
            if task.filters.get(side):
                wanted = filter_of(task.filters[side])
                table = table.part(np.array([wanted(files.attributes[uid]) for uid in table.ids], dtype=np.bool_))
        if task.filters.get("predictions"):
            table = _filter_rows(table, filter_of(task.filters["predictions"]))
        if task.label_map:
            table = relabel_classifications(table, task.label_map)
        if task.labels is not None:
            _check_known(table.labels.names, task.labels, name_of_source(ground_truth, "ground truth"))
            table = keep_class_labels(table, task.labels)
        attributes = [files.attributes[uid] for uid in table.ids]
        keyed[key] = table, attributes, worst_classifications(table, task.worst)
    return _result(task, metrics, keyed, {"data": len(files.attributes)})


def _filter_rows(table: Classifications, wanted: Callable[[Mapping[str, Any]], bool]) -> Classifications:
    names = table.labels.names
    rows = zip(table.row_label.tolist(), table.row_score.tolist(), strict=True)
    kept = np.array([wanted({"label": names[label], "score": score}) for label, score in rows], dtype=np.bool_)
    return replace(
        table, row_datum=table.row_datum[kept], row_label=table.row_label[kept], row_score=table.row_score[kept]
    )


def _check_known(names: Sequence[str], labels: Sequence[str], where: str) -> None:
    unknown = [name for name in names if name not in set(labels)]
    if unknown:
        raise BrokenRecords([Fault(where, f"unknown label {name!r}") for name in unknown])


def _detection(
    task: VisionTask, metrics: Mapping[str, Metric], ground_truth: Source, predictions: Source | None
) -> VisionResult:
    keyed: dict[str, tuple[Any, Attributes, list[dict[str, Any]]]] = {}
    records = choose_detections(read_detections(ground_truth, predictions), task.filters)
    attributes = {image["id"]: image for image in records.images if "id" in image}
    info = {"images": len(records.images), "geometry": "box"}
    for key, table in tables_by_key(records, task.geometry, task.rasterise).items():
        if task.label_map:
            table = relabel_detections(table, task.label_map)
        if task.labels is not None:
            table = keep_labels(table, task.labels)
        info["geometry"] = table.shapes.kind
        worst = worst_images(table, task.worst, task.worst_iou, task.worst_score)
        keyed[key] = table, [attributes[image] for image in table.images], worst
    return _result(task, metrics, keyed, info)


def _segmentation(
    task: VisionTask, metrics: Mapping[str, Metric], ground_truth: Source, predictions: Source | None
) -> VisionResult:
    labels = task.labels or ()
    counts = PixelCounts.empty(labels)
    groups: dict[str, dict[str, PixelCounts]] = {name: {} for name in task.by}
    worst: list[tuple[float, str]] = []
    for image, attributes in read_label_maps(ground_truth, predictions, labels):
        try:
            one = PixelCounts.empty(labels).add(image)
        except ValueError as error:
            raise BrokenRecords([Fault(name_of_source(ground_truth, "ground truth"), str(error))]) from error
        counts = counts.merge(one)
        for name in task.by:
            for value in group_names(attributes.get(name)):
                groups[name][value] = groups[name].get(value, PixelCounts.empty(labels)).merge(one)
        iou = one.mean_iou("observed")
        if iou == iou:
            worst = sorted([*worst, (iou, image.id)])[: task.worst]
    data = {
        "records": task.records,
        "images": counts.images,
        "keys": {
            "label": {
                "metrics": _values(metrics, counts),
                "by": {
                    name: {value: _values(metrics, part) for value, part in sorted(parts.items())}
                    for name, parts in groups.items()
                },
                "worst": [{"id": uid, "mean_iou": plain(iou)} for iou, uid in worst],
            }
        },
    }
    return VisionResult(data, _plots(data))


def _result(
    task: VisionTask,
    metrics: Mapping[str, Metric],
    keyed: Mapping[str, tuple[Any, Attributes, list[dict[str, Any]]]],
    info: Mapping[str, Any],
) -> VisionResult:
    data: dict[str, Any] = {"records": task.records, **info, "keys": {}}
    for key, (table, attributes, worst) in keyed.items():
        by = {name: dict(_groups(metrics, table, attributes, name)) for name in task.by}
        data["keys"][key] = {"metrics": _values(metrics, table), "by": by, "worst": worst}
    return VisionResult(data, _plots(data))


def _groups(
    metrics: Mapping[str, Metric], table: Any, attributes: Attributes, name: str
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The metrics of each group; an item whose value is a list counts in each of its groups."""
    members: dict[str, list[int]] = {}
    for place, values in enumerate(attributes):
        for value in group_names(values.get(name)):
            members.setdefault(value, []).append(place)
    for value in sorted(members):
        yield value, _values(metrics, table.part(np.array(members[value], dtype=np.int64)))


def group_names(value: Any) -> list[str]:
    """The groups an attribute's value belongs to.

    Args:
        value: A value, a list of values, or nothing.

    Examples:
        >>> group_names(["night", "rain"]), group_names(None), group_names(3)
        (['night', 'rain'], ['(none)'], ['3'])
    """
    if value is None or value == "" or value == []:
        return ["(none)"]
    return list(dict.fromkeys(map(str, value))) if isinstance(value, list | tuple) else [str(value)]


def _values(metrics: Mapping[str, Metric], table: Any) -> list[dict[str, Any]]:
    found = []
    for text, metric in metrics.items():
        statistic = metric(table)
        found.append({"metric": text, "value": statistic.value(), "details": statistic.details()})
    return found


def _plots(data: Mapping[str, Any]) -> dict[str, str]:
    """Plots of the whole data set by file name."""
    plots: dict[str, str] = {}
    for key, part in data["keys"].items():
        for number, metric in enumerate(part["metrics"], start=1):
            for name, text in plots_of(metric["details"]).items():
                plots[f"{_file_name(key)}_{number}_{name}.svg"] = text
    return plots


def _file_name(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in text)[:40] or "label"
