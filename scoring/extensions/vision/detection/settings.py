"""The rules of detection matching as parameters; published rules are named settings of them, in their packs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scoring.extensions.vision.arrays import BadSetting

#: `best_only`: a detection may only take the ground truth it overlaps most. `next_free`: it takes the best free one.
Matching = Literal["best_only", "next_free"]
#: Order of equal scores: as listed; larger overlap with the own label first; likewise, and where the own label
#: is nowhere near, the overlap with any label.
Ties = Literal["as_listed", "overlap", "overlap_any_label"]
#: A box with several labels: each row on its own, or rows without a ground truth of their label near are left out
#: once another row of the box has one.
SeveralLabels = Literal["each", "drop_unmatched"]

IOU_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
NO_LIMIT = float("inf")


@dataclass(frozen=True)
class MatchRules:
    """How detections and ground truths are matched."""

    matching: Matching = "best_only"
    ties: Ties = "overlap"
    several_labels: SeveralLabels = "each"
    iou_thresholds: tuple[float, ...] = IOU_THRESHOLDS
    max_detections: int | None = None
    crowd: bool = False  # heed crowd marks
    minimum_score: float | None = None  # a true positive has a larger score
    areas: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: {"all": (-NO_LIMIT, NO_LIMIT)})
    ignore_marks: bool = True  # with crowd marks, heed ignore marks, too

    def __post_init__(self) -> None:
        if not 0 < len(self.iou_thresholds) <= 64:
            raise BadSetting(f"between 1 and 64 IoU thresholds are possible, not {len(self.iou_thresholds)}")
        if any(not 0 < threshold <= 1 for threshold in self.iou_thresholds):
            raise BadSetting(f"IoU thresholds lie in (0, 1]: {list(self.iou_thresholds)}")
        for limits in self.areas.values():
            if len(limits) != 2 or limits[0] > limits[1]:
                raise BadSetting(f"an area is the least and the greatest that count, not {list(limits)}")
