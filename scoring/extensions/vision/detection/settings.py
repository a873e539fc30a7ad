"""The rules of detection matching as parameters; packs name the published rules as settings of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from scoring.extensions.vision.arrays import BadSetting

#: `best_only`: a detection may only take the ground truth it overlaps most. `next_free`: it takes the best free one.
Matching = Literal["best_only", "next_free"]
#: Order of equal scores: as listed; larger overlap with the own label first; or likewise, but with any label for
#: detections that overlap no ground truth of their own label.
Ties = Literal["as_listed", "overlap", "overlap_any_label"]
#: A box with several labels: each row is independent, or rows without a ground truth of their label nearby are left
#: out if another row of the box has one.
SeveralLabels = Literal["each", "drop_unmatched"]

IOU_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
NO_LIMIT = float("inf")


class MatchRules(Struct, frozen=True):
    """The rules for matching detections and ground truths; raises BadSetting for IoU thresholds or areas out of range.

    Args:
        matching: Whether a detection may only match the ground truth that it overlaps most ("best_only"), or, if that
            is taken, the next best ("next_free").
        ties: The order of detections with equal scores: as listed, or by the largest overlap with a ground truth of the
            same label or, for "overlap_any_label", if there is none, of any label.
        several_labels: Whether each label of a detection is independent ("each"), or labels without an overlapping
            ground truth are left out if another label of the detection has one ("drop_unmatched").
        iou_thresholds: The thresholds at which detections are matched.
        max_detections: The number of detections per image and label that count; None for all.
        crowd: Whether ground truths marked as crowd regions match any number of detections, which are then ignored.
        minimum_score: The score that a true positive must exceed.
        areas: The least and the greatest area that count, by the name of the range.
        ignore_marks: Whether, with `crowd`, ground truths that are marked to be ignored are ignored.
    """

    matching: Matching = "best_only"
    ties: Ties = "overlap"
    several_labels: SeveralLabels = "each"
    iou_thresholds: tuple[float, ...] = IOU_THRESHOLDS
    max_detections: int | None = None
    crowd: bool = False  # respect crowd marks
    minimum_score: float | None = None  # a true positive must have a higher score
    areas: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: {"all": (-NO_LIMIT, NO_LIMIT)})
    ignore_marks: bool = True  # if crowd marks are respected, respect ignore marks, too

    def __post_init__(self) -> None:
        if not 0 < len(self.iou_thresholds) <= 64:
            raise BadSetting(f"between 1 and 64 IoU thresholds are possible, not {len(self.iou_thresholds)}")
        if any(not 0 < threshold <= 1 for threshold in self.iou_thresholds):
            raise BadSetting(f"IoU thresholds must be in (0, 1]: {list(self.iou_thresholds)}")
        for limits in self.areas.values():
            if len(limits) != 2 or limits[0] > limits[1]:
                raise BadSetting(f"an area is the least and the greatest that count, not {list(limits)}")
