"""Every metric over images says which labels no image shows, has no value where nothing counts, and an honest note."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec import structs

from scoring.extensions.vision.classification.table import Classifications, Datum
from scoring.extensions.vision.detection.sample import tiny_detections
from scoring.extensions.vision.segmentation.pixels import LabelMap, count_pixels
from scoring.extensions.vision.summary import labels_left_out
from scoring.extensions.vision.vocabulary import Vocabulary
from scoring.registry.store import registry
from scoring.statistics.intervals import interval

SHARES = {
    "detection_confusion", "detection_examples", "detection_errors", "label_report", "label_confusion",
    "label_examples", "label_errors",
}  # fmt: skip
"""Shares of things that are counted, and no means over labels."""

CLASSES = ["cat", "dog", "owl"]
ALL = sorted(
    (one.name, one.inputs[0].name) for one in registry if one.kind == "metric" and one.inputs[0].name != "Rows"
)
OVER_LABELS = [pair for pair in ALL if pair[0] not in SHARES]


def table(kind: str, names: list[str]) -> Any:
    """Two images that show a cat and a dog, with labels that are declared."""
    if kind == "Detections":
        found = tiny_detections()
        return type(found)(**{**structs.asdict(found), "labels": Vocabulary.declared(names)})
    if kind == "Classifications":
        data = [Datum("a", "cat", ["cat", "dog"], [0.9, 0.1]), Datum("b", "dog", ["cat", "dog"], [0.6, 0.4])]
        return Classifications.from_data(data, names)
    maps = [LabelMap("a", np.array([[1, 1, 0]]), np.array([[1, 0, 0]])), LabelMap("b", *[np.array([[2, 2, 1]])] * 2)]
    return count_pixels(maps, names)


def figure(name: str, data: Any) -> Any:
    found = registry.metric(name)
    assert found is not None
    return found.function(data)


def told(name: str, data: Any) -> str:
    """The line beside the figure."""
    found = figure(name, data)
    held = {"details": found.details(), "labels_in_no_image": found.labels_in_no_image}
    return labels_left_out({"metric": name, "units": 2, **held})


@pytest.mark.parametrize(("name", "kind"), OVER_LABELS)
def test_a_mean_over_labels_tells_those_that_no_image_shows(name: str, kind: str) -> None:
    assert told(name, table(kind, CLASSES)) == "1 label in no image"
    assert told(name, table(kind, CLASSES[:2])) == ""


@pytest.mark.parametrize(("name", "kind"), OVER_LABELS)
def test_its_interval_says_that_a_label_is_in_few_images(name: str, kind: str) -> None:
    found = interval(figure(name, table(kind, CLASSES)))
    assert found is not None
    assert "less" in (found.note or "")


@pytest.mark.parametrize(("name", "kind"), OVER_LABELS)
def test_the_labels_are_those_of_all_parts(name: str, kind: str) -> None:
    data = table(kind, CLASSES)
    first, second = (figure(name, data.part(np.array([place]))) for place in (0, 1))
    merged, whole = first.merge(second), figure(name, data)
    assert (merged.details(), merged.labels_in_no_image) == (whole.details(), whole.labels_in_no_image)


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_a_figure_over_no_image_has_no_value(name: str, kind: str) -> None:
    empty = table(kind, CLASSES).part(np.zeros(0, dtype=np.int64))
    assert figure(name, empty).value() is None
    assert interval(figure(name, empty)) is None
