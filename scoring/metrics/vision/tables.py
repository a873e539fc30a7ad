"""The tables that vision metrics read, as types of the language; `scoring.vision` holds the real ones."""

from __future__ import annotations

from typing import ClassVar


class Classifications:
    """Data with one true label and scored labels each."""

    __scoring_type__: ClassVar[str] = "Classifications"


class Detections:
    """Images with ground truths and detections."""

    __scoring_type__: ClassVar[str] = "Detections"


class PixelCounts:
    """Pixels of label maps by (true, predicted) value."""

    __scoring_type__: ClassVar[str] = "Segmentations"
