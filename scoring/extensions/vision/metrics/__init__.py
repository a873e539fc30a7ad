"""Data-set metrics of classification, object detection and segmentation.

These modules only declare; NumPy and the evaluators of `scoring.extensions.vision` are imported when a metric is
computed. So the tables that metrics read are declared here as types of the language; `scoring.extensions.vision` holds
the real ones.
"""

from __future__ import annotations

from typing import ClassVar

CURVE = tuple(k / 100 for k in range(5, 100, 5))
"""The score thresholds of a curve, where none are named."""


class Classifications:
    """Data with one true label and scored labels each."""

    __scoring_type__: ClassVar[str] = "Classifications"


class Detections:
    """Images with ground truths and detections."""

    __scoring_type__: ClassVar[str] = "Detections"


class PixelCounts:
    """Pixels of label maps by (true, predicted) value."""

    __scoring_type__: ClassVar[str] = "Segmentations"
