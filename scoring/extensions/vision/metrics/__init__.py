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
    """Data that each have one true label and scored predicted labels."""

    __scoring_type__: ClassVar[str] = "Classifications"


class Detections:
    """Images with ground truths and detections."""

    __scoring_type__: ClassVar[str] = "Detections"


class PixelCounts:
    """Pixels of label maps by (true, predicted) value."""

    __scoring_type__: ClassVar[str] = "Segmentations"
