"""The kinds of data sets of images and of labelled data, for the key `records`; their code is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.extensions.vision.spec import VisionSpec
from scoring.registry.table_kind import TableKind
from scoring.values import Type

if TYPE_CHECKING:
    from scoring.extensions.vision.data_set.comparison import Again
    from scoring.extensions.vision.data_set.evaluate import VisionResult
    from scoring.extensions.vision.data_set.table import DataSet, Images, TableMetric
    from scoring.extensions.vision.files.task import VisionTask


def _settings(spec: Any, folder: Path) -> VisionTask:
    from scoring.extensions.vision.data_set.from_spec import vision_task

    return vision_task(spec, folder)


def _sources(spec: Any, folder: Path, ground_truth: Any, predictions: Any) -> dict[str, Any]:
    from scoring.extensions.vision.data_set.from_spec import data_files

    return data_files(spec, folder, ground_truth=ground_truth, predictions=predictions)


def _read(settings: VisionTask, ground_truth: Any, predictions: Any, limit: int | None) -> DataSet:
    from scoring.extensions.vision.data_set.table import read_data_set

    return read_data_set(settings, ground_truth, predictions, limit)


def _attributes(data: DataSet) -> list[Mapping[str, Any]]:
    return list(chain.from_iterable(images.attributes for images in data.keyed.values()))


def _evaluate(
    settings: VisionTask, metrics: Mapping[str, TableMetric], data: DataSet, intervals: Any, seed: int, processes: int
) -> VisionResult:
    from scoring.extensions.vision.data_set.evaluate import How, evaluate_tables

    return evaluate_tables(settings, metrics, data, How(intervals, seed, processes))


def _story(
    settings: VisionTask, metrics: Mapping[str, TableMetric], data: DataSet, record: str | None
) -> dict[str, Any]:
    from scoring.extensions.vision.data_set.lines import explain_image

    return explain_image(settings, metrics, data.keyed, record)


def _document(story: Any) -> Any:
    from scoring.extensions.vision.documents import image_document

    return image_document(story)


def _keyed(data: DataSet) -> Mapping[str, Images]:
    return data.keyed


def _figure(text: str, metric: TableMetric, data: DataSet) -> Again:
    from scoring.extensions.vision.data_set.comparison import Again
    from scoring.extensions.vision.data_set.table import ImageMetric

    return Again(ImageMetric(text, metric), data.keyed)


def _compare(first: Any, second: Any, again: Callable[[Any], Again], draws: Any) -> dict[str, Any]:
    from scoring.extensions.vision.data_set.comparison import compare_data_sets

    return compare_data_sets(first, second, again, draws)


def _boards(runs: Sequence[Any], again: Callable[[Any], Again], draws: Any) -> list[Any]:
    from scoring.extensions.vision.data_set.comparison import data_set_boards

    return data_set_boards(runs, again, draws)


def _audit(metrics: Mapping[str, TableMetric], data: DataSet, declared: Any) -> list[Any]:
    from scoring.extensions.vision.data_set.audit import audit_images

    return audit_images(metrics, data.keyed, declared)


def _kind(reads: str) -> TableKind:
    return TableKind(
        VisionSpec,
        Type(reads),
        _settings,
        _sources,
        _read,
        _attributes,
        _evaluate,
        _story,
        _document,
        _keyed,
        _figure,
        _compare,
        _boards,
        _audit,
    )


CLASSIFICATION = _kind("Classifications")
DETECTION = _kind("Detections")
SEGMENTATION = _kind("Segmentations")
