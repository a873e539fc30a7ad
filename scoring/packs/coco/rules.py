"""The rules by which COCO matches detections."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.vision.detection.settings import IOU_THRESHOLDS, MatchRules

COCO_AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
# pycocotools overwrites the ignore mark of a file with the crowd mark before it matches.
COCO = MatchRules("next_free", "as_listed", "each", IOU_THRESHOLDS, 100, True, None, COCO_AREAS, ignore_marks=False)
