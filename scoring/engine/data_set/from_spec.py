"""A task spec with `records:` becomes a run over its data set: the bridge between the compiler and the evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from scoring.data.sets.documents import Source, file_of
from scoring.data.sets.faults import BrokenRecords, Fault
from scoring.data.sets.task import VisionTask, inside, listed_labels
from scoring.engine.data_set.evaluate import How, VisionResult, evaluate_task
from scoring.engine.data_set.table import TableMetric
from scoring.format.data_set_keys import DataSetSettings, Filters
from scoring.format.keys import stated
from scoring.format.model import Intervals


class SpecLike(Protocol):
    """What is read of a task spec."""

    @property
    def records(self) -> Any:
        """classification, detection or segmentation."""

    @property
    def groundtruth(self) -> str | None:
        """The file or folder of what is true."""

    @property
    def predictions(self) -> str | None:
        """The file or folder of predictions."""

    @property
    def labels(self) -> Sequence[str] | str | None:
        """The labels, or the file that lists them."""

    @property
    def label_map(self) -> Mapping[str, str]:
        """From labels in the data to labels that are evaluated."""

    @property
    def filters(self) -> Filters:
        """What counts."""

    @property
    def settings(self) -> DataSetSettings:
        """How the data are compared, and what is listed of them."""

    @property
    def by(self) -> Sequence[str]:
        """Attributes by which results are broken down."""

    @property
    def intervals(self) -> Intervals:
        """How confidence intervals are made."""


class BoundMetric(Protocol):
    """A compiled data-set metric."""

    @property
    def text(self) -> str:
        """Its canonical text."""

    def __call__(self, table: Any, /) -> Any:
        """The statistic of a table."""


def evaluate_spec(
    spec: SpecLike,
    metrics: Sequence[BoundMetric],
    folder: Path,
    *,
    ground_truth: Source | None = None,
    predictions: Source | None = None,
    how: How | None = None,
) -> VisionResult:
    """Score the data set that a spec names, or another one.

    Args:
        spec: The task spec.
        metrics: Its compiled metrics.
        folder: The spec's folder; files that the spec names must lie below it.
        ground_truth: Ground truth in place of the spec's: a file, a folder, or a table in memory.
        predictions: Predictions in place of the spec's.
        how: Intervals, seed, processes and limit; the spec's intervals where left out.

    Raises:
        BrokenRecords: when the data set can't be scored.
        InputError: when a file can't be read.
    """
    files = data_files(spec, folder, ground_truth=ground_truth, predictions=predictions)
    bound: dict[str, TableMetric] = {metric.text: metric for metric in metrics}
    how = how or How(spec.intervals)
    return evaluate_task(vision_task(spec, folder), bound, files["groundtruth"], files.get("predictions"), how)


def data_files(
    spec: SpecLike, folder: Path, *, ground_truth: Source | None = None, predictions: Source | None = None
) -> dict[str, Source]:
    """The two sides of a data set: those given, else those that the spec names; folders are paths.

    Args:
        spec: The task spec.
        folder: The spec's folder.
        ground_truth: In place of the spec's; the spec's predictions are then of other data and left aside.
        predictions: In place of the spec's.
    """
    truth = ground_truth if ground_truth is not None else _named(spec.groundtruth, folder)
    if truth is None:
        raise BrokenRecords([Fault("the spec", "names no `groundtruth`, and none was given")])
    own = None if ground_truth is not None else _named(spec.predictions, folder)
    found = predictions if predictions is not None else own
    return {"groundtruth": _opened(truth), **({"predictions": _opened(found)} if found is not None else {})}


def _opened(source: Source) -> Source:
    """A file as an `InputFile`, which will know how it was read."""
    is_folder = isinstance(source, str | Path) and Path(source).is_dir()
    return Path(source) if is_folder else file_of(source) or source


def vision_task(spec: SpecLike, folder: Path) -> VisionTask:
    """The settings of a spec, with a file of labels read.

    Args:
        spec: The task spec.
        folder: The spec's folder.
    """
    labels = spec.labels
    if isinstance(labels, str):
        labels = listed_labels(folder, labels)
    return VisionTask(
        spec.records,
        labels=labels,
        label_map=spec.label_map or {},
        filters={side: conditions for side, conditions in stated(spec.filters).items() if conditions},
        by=spec.by,
        **stated(spec.settings),
    )


def _named(name: str | None, folder: Path) -> Path | None:
    return None if name is None else inside(folder, name)
