"""Semantic segmentation data sets: two folders of PNG or NumPy label maps, or JSON Lines with run-length masks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.data.sets.faults import BrokenRecords, Fault, located
from scoring.data.sets.json_text import read_json_lines
from scoring.data.sets.png import read_png
from scoring.vision.geometry.rle import Masks
from scoring.vision.segmentation.pixels import LabelMap, Labels

SUFFIXES = (".png", ".npy")


def read_label_maps(
    ground_truth: Path, predictions: Path | None, labels: Sequence[str]
) -> Iterator[tuple[LabelMap, dict[str, Any]]]:
    """Stream the images of a segmentation data set with their attributes, one in memory at a time.

    Args:
        ground_truth: A folder of label maps, or a JSON Lines file.
        predictions: The same of the predictions; files of the same name belong together.
        labels: Names of the values 1, 2, …; 0 is background.
    """
    if ground_truth.is_dir():
        if predictions is None:
            raise BrokenRecords([Fault(str(ground_truth), "a folder of predictions is needed too")])
        for image in _folders(ground_truth, predictions):
            yield image, {}
        return
    yield from _lines(ground_truth, predictions, labels)


def _folders(ground_truth: Path, predictions: Path) -> Iterator[LabelMap]:
    truths, found = _maps(ground_truth), _maps(predictions)
    missing = [Fault(str(truths[n]), "missing image: no prediction of this name") for n in truths.keys() - found]
    missing += [Fault(str(found[n]), "unknown image: no ground truth of this name") for n in found.keys() - truths]
    if missing:
        raise BrokenRecords(sorted(missing, key=str))
    for name in sorted(truths):
        yield LabelMap(name, _read(truths[name]), _read(found[name]))


def _maps(folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix.lower() in SUFFIXES:
            if path.stem in files:
                raise BrokenRecords([Fault(str(path), f"duplicate image {path.stem!r}")])
            files[path.stem] = path
    if not files:
        raise BrokenRecords([Fault(str(folder), "holds no .png or .npy file")])
    return files


def _read(path: Path) -> Labels:
    with located(str(path)):
        if path.suffix.lower() == ".png":
            return read_png(path.read_bytes())
        values = np.load(path, allow_pickle=False)
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iub":
            raise ValueError("a label map is one array of whole numbers")
        return values.astype(np.int64)


def _lines(
    ground_truth: Path, predictions: Path | None, labels: Sequence[str]
) -> Iterator[tuple[LabelMap, dict[str, Any]]]:
    """Two files must list the images in the same order, so that neither has to be held."""
    others = read_json_lines(predictions) if predictions is not None else None
    seen: set[str] = set()
    for where, line in read_json_lines(ground_truth):
        _check_line(where, line, seen)
        found_where, found = (where, line) if others is None else next(others, (where, None))
        if found is None or str(found.get("id")) != str(line["id"]):
            raise BrokenRecords([Fault(found_where, f"missing image: the prediction of {line['id']!r} belongs here")])
        size = (line.get("height"), line.get("width"))
        with located(where):
            truth = _label_map(line.get("groundtruth"), size, labels)
        with located(found_where):
            prediction = _label_map(found.get("prediction"), size, labels)
        attributes = {k: v for k, v in line.items() if k not in ("id", "groundtruth", "prediction")}
        yield LabelMap(str(line["id"]), truth, prediction), attributes
    for where, line in others or ():
        raise BrokenRecords([Fault(where, f"unknown image {line.get('id')!r}")])


def _check_line(where: str, line: Any, seen: set[str]) -> None:
    if not isinstance(line, Mapping) or "id" not in line:
        raise BrokenRecords([Fault(where, "a line is an object with an id")])
    if str(line["id"]) in seen:
        raise BrokenRecords([Fault(where, f"duplicate id {line['id']!r}")])
    seen.add(str(line["id"]))


def _label_map(value: Any, size: tuple[Any, Any], labels: Sequence[str]) -> Labels:
    """Rows of numbers, or a COCO run-length mask for each label."""
    if isinstance(value, list):
        even = bool(value) and all(isinstance(row, list) and len(row) == len(value[0]) for row in value)
        if not even or any(type(pixel) is not int for row in value for pixel in row):
            raise ValueError("a label map is a list of rows of equal length, of whole numbers")
        return np.array(value, dtype=np.int64)
    if not isinstance(value, Mapping):
        raise ValueError("a label map is a list of rows, or a map of labels to run-length masks")
    if not all(type(side) is int and side > 0 for side in size):
        raise ValueError("`height` and `width` of the image are missing")
    result = np.zeros(size, dtype=np.int64)
    for label, mask in value.items():
        if label not in labels:
            raise ValueError(f"unknown label {label!r}")
        if not isinstance(mask, Mapping) or tuple(mask.get("size", ())) != size:
            raise ValueError(f"the mask of {label!r} is not of {size[0]} × {size[1]} pixels")
        pixels = Masks.from_counts([size], [mask["counts"]]).bitmap(0)
        if (result[pixels] != 0).any():
            raise ValueError(f"the mask of {label!r} overlaps another label's")
        result[pixels] = labels.index(label) + 1
    return result
