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
from scoring.format.labels import existing, inside, listed_labels


def data_files(
    spec: VisionSpec, folder: Path, *, ground_truth: Origin | None = None, predictions: Origin | None = None
) -> dict[str, Origin]:
    """Return the files of a data set under the keys `groundtruth` and, if there are any predictions, `predictions`: the
    given files or, by default, those that the spec names, relative to `folder`.

    If a ground truth is given, the spec's predictions belong to other data and are ignored.
    """
    truth = ground_truth if ground_truth is not None else _file_in(spec.groundtruth, folder, "groundtruth")
    if truth is None:
        raise BrokenRecords([Fault("the spec", "names no `groundtruth`, and none was given")])
    own = None if ground_truth is not None else _file_in(spec.predictions, folder, "predictions")
    found = predictions if predictions is not None else own
    return {"groundtruth": _opened(truth), **({"predictions": _opened(found)} if found is not None else {})}


def _opened(source: Origin) -> Origin:
    """Return a Path for the path of a folder, an `InputFile` for the path of a file, and data in memory unchanged."""
    is_folder = isinstance(source, str | Path) and Path(source).is_dir()
    return Path(source) if is_folder else file_of(source) or source


def vision_task(spec: VisionSpec, folder: Path) -> VisionTask:
    """Return the settings in a spec as a `VisionTask`; labels that the spec lists in a file below `folder` are read."""
    return VisionTask(
        cast("Records", spec.records),
        labels=listed_labels(folder, spec.labels) if isinstance(spec.labels, str) else spec.labels,
        label_map=spec.label_map or {},
        filters={side: conditions for side, conditions in stated(spec.filters).items() if conditions},
        by=spec.by,
        **{**stated(spec.settings), "pictures": _pictures_in(spec.settings.pictures, folder)},
    )


def _file_in(name: str | None, folder: Path, key: str) -> Path | None:
    """Return the path of the data that the spec's `key` names below `folder`; None if `name` is None."""
    if name is None:
        return None
    existing(folder, name, key)
    return folder / name  # not made absolute, so that manifests contain no path of this machine


def _pictures_in(name: str | None, folder: Path) -> Path | None:
    """Return the path of the folder of image files below `folder`; None if `name` is None.

    It need not exist: scores don't depend on it, and a page says of each picture why it is not shown.
    """
    if name is None:
        return None
    inside(folder, name, "settings.pictures")
    return folder / name
