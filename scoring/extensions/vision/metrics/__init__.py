"""Data-set metrics of classification, object detection and segmentation.

These modules only declare metrics; NumPy and the evaluators of `scoring.extensions.vision` are imported when a metric
is computed. So the tables that metrics read are declared here as types of the language, without content; the real
classes are in `scoring.extensions.vision`.
"""

from __future__ import annotations

from typing import ClassVar

CURVE = tuple(k / 100 for k in range(5, 100, 5))
"""The default score thresholds of a curve."""


class Classifications:
    """The type of a table of classified data: each datum has one true label and predicted labels with scores."""

    __scoring_type__: ClassVar[str] = "Classifications"


class Detections:
    """The type of a table of images with ground truths and detections."""

    __scoring_type__: ClassVar[str] = "Detections"


class PixelCounts:
    """The type of a table of numbers of pixels, by image and by (true, predicted) value of label maps."""

    __scoring_type__: ClassVar[str] = "Segmentations"
