"""A tiny detection data set for examples in documentation."""

from __future__ import annotations

import numpy as np

from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.geometry.shapes import Boxes
from scoring.extensions.vision.vocabulary import Vocabulary


def tiny_detections() -> Detections:
    """Return two images: two cats and two dogs, of which three are found, and one detection of nothing.

    Examples:
        >>> len(tiny_detections())
        2
    """
    truths = Boxes.from_rows(np.array([[0, 0, 10, 10], [50, 50, 20, 20], [0, 0, 30, 30], [60, 0, 9, 9.0]]))
    found = Boxes.from_rows(np.array([[0, 0, 10, 9], [51, 50, 20, 20], [0, 0, 29, 30], [80, 80, 9, 9.0]]))
    image = np.array([0, 0, 1, 1], dtype=np.int64)
    nothing = np.zeros(4, dtype=np.bool_)
    return Detections(
        ("one", "two"),
        np.arange(2),
        Vocabulary.declared(["cat", "dog"]),
        ("t1", "t2", "t3", "t4"),
        image,
        np.array([0, 0, 1, 1]),
        truths.areas(),
        nothing,
        nothing,
        truths,
        ("d1", "d2", "d3", "d4"),
        np.arange(4),
        image,
        np.array([0, 0, 1, 0]),
        np.array([0.9, 0.8, 0.7, 0.6]),
        found.areas(),
        found,
    )
