"""Reading the data set of a task spec with `records:`: its files, and the settings for reading them."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from scoring.data.file import file_of
from scoring.extensions.vision.files.documents import Origin
from scoring.extensions.vision.files.faults import BrokenRecords, Fault
from scoring.extensions.vision.files.task import Records, VisionTask
from scoring.extensions.vision.spec import VisionSpec
from scoring.format.keys import stated
from scoring.format.labels import inside, listed_labels


def data_files(
    spec: VisionSpec, folder: Path, *, ground_truth: Origin | None = None, predictions: Origin | None = None
) -> dict[str, Origin]:
    """Return the files of a data set by side, `groundtruth` and `predictions`: those given, else the ones that the spec
    names.

    If a ground truth is given, the spec's predictions belong to other data and are ignored.
    """
    truth = ground_truth if ground_truth is not None else _path_in(spec.groundtruth, folder)
    if truth is None:
        raise BrokenRecords([Fault("the spec", "names no `groundtruth`, and none was given")])
    own = None if ground_truth is not None else _path_in(spec.predictions, folder)
    found = predictions if predictions is not None else own
    return {"groundtruth": _opened(truth), **({"predictions": _opened(found)} if found is not None else {})}


def _opened(source: Origin) -> Origin:
    """Return a file as an `InputFile`, which will record how it was read, and a folder as a path."""
    is_folder = isinstance(source, str | Path) and Path(source).is_dir()
    return Path(source) if is_folder else file_of(source) or source


def vision_task(spec: VisionSpec, folder: Path) -> VisionTask:
    """Return the settings of a spec as a task; a file of labels is read."""
    return VisionTask(
        cast("Records", spec.records),
        labels=listed_labels(folder, spec.labels) if isinstance(spec.labels, str) else spec.labels,
        label_map=spec.label_map or {},
        filters={side: conditions for side, conditions in stated(spec.filters).items() if conditions},
        by=spec.by,
        **stated(spec.settings),
    )


def _path_in(name: str | None, folder: Path) -> Path | None:
    """Return the path of a file as the spec names it, not absolute, so that manifests show no path of this machine."""
    if name is None:
        return None
    inside(folder, name)
    return folder / name
