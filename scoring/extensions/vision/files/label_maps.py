"""Reading segmentation data sets: folders of PNG or NumPy label maps, rows with run-length masks, or arrays."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scoring.data.file import InputFile
from scoring.data.normalize import plain_value
from scoring.data.nulls import without_nulls
from scoring.data.streams import read_whole
from scoring.extensions.vision.files.documents import Origin, name_of_source, read_placed_records
from scoring.extensions.vision.files.faults import BrokenRecords, Fault, located
from scoring.extensions.vision.files.map_files import NOT_A_MAP, check_pixels, read_npy, read_png
from scoring.extensions.vision.files.shapes import run_lengths
from scoring.extensions.vision.geometry.rle import Masks
from scoring.extensions.vision.segmentation.pixels import LabelMap, Labels

SUFFIXES = (".png", ".npy")


def read_label_maps(
    ground_truth: Origin, predictions: Origin | None, labels: Sequence[str], wanted: Container[str] | None = None
) -> Iterator[tuple[LabelMap, dict[str, Any]]]:
    """Yield each image of a segmentation data set with its attributes; only one is in memory at a time.

    Args:
        ground_truth: A folder of label maps, a mapping of names to arrays, or rows with an `id` and the map as
            `groundtruth`: in a file of any format, or in memory, where the map may be an array.
        predictions: The predicted maps, in one of these forms; files with equal names belong together. None if the rows
            of the ground truth contain them as `prediction`.
        labels: Names of the values 1, 2, …; 0 is background.
        wanted: The ids of the images to yield; the maps of others are not decoded. None for all.

    Raises:
        BrokenRecords: at the first fault, with its location.
        InputError: when a file can't be read.
    """
    is_folder = isinstance(ground_truth, str | Path) and Path(ground_truth).is_dir()
    if not isinstance(ground_truth, Mapping) and not is_folder:
        yield from _lines(ground_truth, predictions, labels, wanted)
        return
    if predictions is None:
        raise BrokenRecords(
            [Fault(name_of_source(ground_truth, "ground truth"), "a folder of predictions is needed too")]
        )
    truths, found = _maps(ground_truth, "ground truth"), _maps(predictions, "predictions")
    missing = [Fault(truths[n].where, "missing image: no prediction of this name") for n in truths.keys() - found]
    missing += [Fault(found[n].where, "unknown image: no ground truth of this name") for n in found.keys() - truths]
    if missing:
        raise BrokenRecords(sorted(missing, key=str))
    for name in sorted(truths if wanted is None else filter(wanted.__contains__, truths)):
        yield LabelMap(name, truths[name].read(), found[name].read()), {}


class _Map(NamedTuple):
    """A label map whose file is read only when it is needed."""

    where: str
    source: Any

    def read(self) -> Labels:
        with located(self.where):
            if not isinstance(self.source, Path):
                return _whole_numbers(self.source)
            with InputFile(str(self.source), kind="file").open() as stream:
                is_array = self.source.suffix.lower() == ".npy"
                return read_npy(stream) if is_array else read_png(read_whole(stream, str(self.source)))


def _maps(source: Origin, name: str) -> dict[str, _Map]:
    if isinstance(source, Mapping):
        return {str(key): _Map(f"{name}: {key}", labels) for key, labels in source.items()}
    if not isinstance(source, str | Path):
        raise BrokenRecords([Fault(name, "no folder of label maps, and the other side is one")])
    return {stem: _Map(str(path), path) for stem, path in _files(Path(source)).items()}


def _files(folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix.lower() in SUFFIXES and (path.is_file() or not path.exists()):
            if path.stem in files:
                raise BrokenRecords([Fault(str(path), f"duplicate image {path.stem!r}")])
            files[path.stem] = path
    if not files:
        raise BrokenRecords([Fault(str(folder), "holds no .png or .npy file")])
    return files


def _whole_numbers(values: Any) -> Labels:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iub" or values.ndim != 2:
        raise ValueError(NOT_A_MAP)
    return values.astype(np.int64)


def _records(source: Origin, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records of a source, each preceded by its location; NumPy arrays in a list in memory stay arrays."""
    if not isinstance(source, list | tuple | Iterator):
        yield from read_placed_records(source, name)
        return
    for number, record in enumerate(source):
        if not isinstance(record, Mapping):
            raise BrokenRecords([Fault(f"{name}[{number}]", "a record is an object with an id")])
        maps = {key: value for key, value in record.items() if isinstance(value, np.ndarray)}
        with located(f"{name}[{number}]"):
            rest = without_nulls({key: plain_value(value) for key, value in record.items() if key not in maps})
            yield f"{name}[{number}]", {**rest, **maps}


def _lines(
    ground_truth: Origin, predictions: Origin | None, labels: Sequence[str], wanted: Container[str] | None
) -> Iterator[tuple[LabelMap, dict[str, Any]]]:
    """Yield the images of rows with their attributes; if predictions have their own source, it must list the images in
    the same order, so that neither source is kept in memory.
    """
    others = _records(predictions, "predictions") if predictions is not None else None
    seen: set[str] = set()
    for where, line in _records(ground_truth, "ground truth"):
        _check_line(where, line, seen)
        found_where, found = (where, line) if others is None else next(others, (where, None))
        if found is None or str(found.get("id")) != str(line["id"]):
            raise BrokenRecords([Fault(found_where, f"missing image: the prediction of {line['id']!r} belongs here")])
        if wanted is not None and str(line["id"]) not in wanted:
            continue
        size = (line.get("height"), line.get("width"))
        with located(where):
            truth = _label_map(line.get("groundtruth"), size, labels)
        with located(found_where):
            prediction = _label_map(found.get("prediction"), size, labels)
        attributes = {k: v for k, v in line.items() if k not in ("id", "groundtruth", "prediction")}
        yield LabelMap(str(line["id"]), truth, prediction), attributes
    for where, line in others or ():
        raise BrokenRecords([Fault(where, f"unknown image {line.get('id')!r}")])


def _check_line(where: str, line: Mapping[str, Any], seen: set[str]) -> None:
    if "id" not in line:
        raise BrokenRecords([Fault(where, "`id` is missing")])
    if str(line["id"]) in seen:
        raise BrokenRecords([Fault(where, f"duplicate id {line['id']!r}")])
    seen.add(str(line["id"]))


def _label_map(value: Any, size: tuple[Any, Any], labels: Sequence[str]) -> Labels:
    """Return an array of label numbers from rows of numbers, an array, or a mapping of each label to its run-length
    mask; raise a ValueError for anything else.

    Args:
        value: The label map as read.
        size: The height and width of the image, needed for masks.
        labels: The names of the values 1, 2, …
    """
    if isinstance(value, np.ndarray):
        return _whole_numbers(value)
    if isinstance(value, list):
        even = bool(value) and all(isinstance(row, list) and len(row) == len(value[0]) for row in value)
        if not even or any(type(pixel) is not int for row in value for pixel in row):
            raise ValueError("a label map is a list of rows of equal length, of whole numbers")
        try:
            return np.array(value, dtype=np.int64)
        except OverflowError:
            raise ValueError("the pixel values of a label map have 64 bits at most") from None
    if not isinstance(value, Mapping):
        raise ValueError("a label map is a list of rows, or a map of labels to run-length masks")
    if not all(type(side) is int and side > 0 for side in size):
        raise ValueError("`height` and `width` of the image are missing")
    check_pixels("an image", *size)
    result = np.zeros(size, dtype=np.int64)
    for label, mask in value.items():
        if label not in labels:
            raise ValueError(f"unknown label {label!r}")
        if not isinstance(mask, Mapping) or mask.get("size") not in (size, list(size)):
            raise ValueError(f"the mask of {label!r} is not of {size[0]} × {size[1]} pixels")
        if "counts" not in mask:
            raise ValueError(f"the mask of {label!r} has no `counts`")
        pixels = Masks.from_counts([size], [run_lengths(mask["counts"])]).bitmap(0)
        if (result[pixels] != 0).any():
            raise ValueError(f"the mask of {label!r} overlaps another label's")
        result[pixels] = labels.index(label) + 1
    return result
