"""The rules by which COCO matches detections, and the twelve statistics it publishes, reproduced bit for bit."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from scoring.extensions.vision.arrays import Floats
from scoring.extensions.vision.detection.averages import precision_curves, recalls
from scoring.extensions.vision.detection.drawn import drawn_positives, drawn_precision
from scoring.extensions.vision.detection.matches import Matches
from scoring.extensions.vision.detection.settings import IOU_THRESHOLDS, MatchRules
from scoring.extensions.vision.draws import ImageDraws

COCO_AREAS: Mapping[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
# pycocotools overwrites a file's ignore marks with the crowd marks before matching.
COCO = MatchRules("next_free", "as_listed", "each", IOU_THRESHOLDS, 100, True, None, COCO_AREAS, ignore_marks=False)


def coco_summary(matches: Matches) -> dict[str, float]:
    """Return the twelve statistics of matched detections by name, such as `AP50` or `AR_small`; -1 for undefined ones.

    Source:
        COCO detection evaluation, metrics 1 to 12.
    """
    thresholds = matches.rules.iou_thresholds
    curves = {area: precision_curves(matches, interpolation="coco_101", area=area).precision for area in COCO_AREAS}
    values = {"AP": curves["all"], "AP50": curves["all"][thresholds.index(0.5)]}
    values["AP75"] = curves["all"][thresholds.index(0.75)]
    values |= {f"AP_{area}": precision for area, precision in curves.items() if area != "all"}
    values |= {f"AR{limit}": recalls(matches, max_detections=limit) for limit in (1, 10, 100)}
    values |= {f"AR_{area}": recalls(matches, area=area) for area in curves if area != "all"}
    return {name: _mean_of_defined(found) for name, found in values.items()}


def coco_ap(matches: Matches) -> float:
    """Return the AP of matched detections, averaged over IoU thresholds and labels; -1 if it is undefined."""
    return _mean_of_defined(precision_curves(matches, interpolation="coco_101").precision)


def drawn_coco_ap(matches: Matches, draws: ImageDraws) -> list[float]:
    """Return the result of `coco_ap` in each resample of the images (``draws``); NaN where it is undefined."""
    positives = drawn_positives(matches, draws, matches.area("all"))[:, None, :, None]
    shape = (len(draws), len(matches.rules.iou_thresholds), len(matches.labels), 101)
    curves = np.where(positives > 0, np.zeros(shape), np.nan)
    for step, (labels, envelope) in enumerate(drawn_precision(matches, draws, "coco_101")):
        curves[:, step, labels] = envelope
    found = [_mean_of_defined(np.swapaxes(values, 1, 2)) for values in curves]
    return [math.nan if value < 0 else value for value in found]


def _mean_of_defined(values: Floats) -> float:
    # NumPy's mean and this order of elements, so that the last bit equals that of pycocotools.
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if defined.size else -1.0
