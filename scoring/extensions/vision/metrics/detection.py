"""Data-set metrics of object detection and instance segmentation. `docs/vision.md` explains the parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from scoring.extensions.vision.metrics import CURVE
from scoring.extensions.vision.metrics.statistic import MetricState, VisionStatistic, share_statistic
from scoring.registry import AtLeast, Between, Doc, primitive
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.extensions.vision.detection.matches import Matches
    from scoring.extensions.vision.detection.table import Detections
else:
    from scoring.extensions.vision.metrics import Detections

MatchingRule = Annotated[
    Literal["best_only", "next_free"],
    Doc("A detection may take only the ground truth it overlaps most, or the best one still free."),
]
TiesRule = Annotated[
    Literal["as_listed", "overlap", "overlap_any_label"],
    Doc("The order of equal scores: as listed, larger overlap first, or counting overlap with any label too."),
]
SeveralLabelsRule = Annotated[
    Literal["each", "drop_unmatched"],
    Doc("Rows of a box with several labels count each, or only near a ground truth once one is."),
]
InterpolationRule = Literal["coco_101", "tolerant_101", "floor_101", "voc_11", "area"]
WithoutTruthRule = Annotated[
    Literal["leave_out", "zero"], Doc("Leave a label without ground truth out of the means, or count it 0.")
]
UnitShare = Annotated[float, Between(0, 1)]
Overlaps = Annotated[Sequence[UnitShare], Doc("Overlaps from which a detection may be a true positive.")]
MaxDetections = Annotated[Annotated[int, AtLeast(1)] | None, Doc("How many detections of an image and label count.")]
Crowd = Annotated[bool, Doc("Take account of crowd and ignore marks of ground truths.")]
IgnoreMarks = Annotated[bool, Doc("Whether `crowd` takes account of ignore marks, or only of crowd marks.")]
MinimumScore = Annotated[float | None, Doc("Only larger scores count.")]
Area = Annotated[Sequence[float] | None, Doc("Smallest and largest area that count; what is outside is ignored.")]
ScoreThresholds = Annotated[Sequence[float], Doc("Score thresholds that a detection must reach to count.")]
PairOverlap = Annotated[UnitShare, Doc("Overlap that a pair must reach.")]
PairScore = Annotated[float, Doc("Score that a detection must reach.")]
PairingRule = Annotated[
    Literal["at_threshold", "before_threshold"], Doc("The thresholds hold before pairing, or only afterwards.")
]

IOUS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def _matched(
    table: Detections,
    matching: MatchingRule,
    ties: TiesRule,
    several_labels: SeveralLabelsRule,
    iou_thresholds: Overlaps,
    max_detections: MaxDetections,
    crowd: Crowd,
    minimum_score: MinimumScore,
    area: Area = None,
    ignore_marks: IgnoreMarks = True,
) -> MetricState:
    """Return the state of a metric with the detections of a table matched under the given rules, see `MatchRules`."""
    from scoring.extensions.vision.detection.matches import match_once
    from scoring.extensions.vision.detection.settings import MatchRules

    ious, areas = tuple(iou_thresholds), {"all": tuple(map(float, (-math.inf, math.inf) if area is None else area))}
    rules = MatchRules(matching, ties, several_labels, ious, max_detections, crowd, minimum_score, areas, ignore_marks)
    return MetricState(table.images, table.order, match_once(table, rules))


@primitive(better="higher", uses=("numpy",), revision=2, topics=("places",), aka=("object detection ap",))
def detection_ap(
    table: Detections,
    /,
    *,
    matching: MatchingRule = "next_free",
    ties: TiesRule = "as_listed",
    several_labels: SeveralLabelsRule = "each",
    iou_thresholds: Overlaps = IOUS,
    max_detections: MaxDetections = 100,
    crowd: Crowd = True,
    minimum_score: MinimumScore = None,
    area: Area = None,
    ignore_marks: IgnoreMarks = True,
    interpolation: InterpolationRule = "coco_101",
    without_truth: WithoutTruthRule = "leave_out",
    curves: bool = False,
) -> Statistic:
    """Return the average precision by label and by IoU threshold; the headline is the mean over both.

    Args:
        interpolation: The recall points at which the precision-recall curve is read.
        curves: Whether to return the interpolated curves, too, with the score at each point.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> round(detection_ap(tiny_detections(), iou_thresholds=[0.5]).value(), 3)
        0.752

    Source:
        COCO detection evaluation; PASCAL VOC challenge; Valor metrics document, average precision.
    """
    from scoring.extensions.vision.detection.drawn import drawn_ap
    from scoring.extensions.vision.detection.influence import influences_on_precision
    from scoring.extensions.vision.detection.report import ap_table, mean_ap

    def moves(matches: Matches, images: int) -> Any:
        labels = matches.observed if without_truth == "zero" else matches.positives[matches.area("all")] > 0
        return influences_on_precision(matches, images, labels)

    return VisionStatistic(
        _matched(
            table,
            matching,
            ties,
            several_labels,
            iou_thresholds,
            max_detections,
            crowd,
            minimum_score,
            area,
            ignore_marks,
        ),
        lambda matches: mean_ap(matches, interpolation, without_truth),
        lambda matches: ap_table(matches, interpolation, without_truth, curves),
        lambda matches, draws: drawn_ap(matches, draws, interpolation, without_truth),
        moves=None if interpolation == "voc_11" else moves,  # eleven points of recall are too few for a derivative
    )


@primitive(better="higher", uses=("numpy",), topics=("places",), aka=("average recall",))
def detection_ar(
    table: Detections,
    /,
    *,
    matching: MatchingRule = "next_free",
    ties: TiesRule = "as_listed",
    several_labels: SeveralLabelsRule = "each",
    iou_thresholds: Overlaps = IOUS,
    max_detections: MaxDetections = 100,
    crowd: Crowd = True,
    minimum_score: MinimumScore = None,
    area: Area = None,
    ignore_marks: IgnoreMarks = True,
    score_thresholds: ScoreThresholds = (0.0,),
    without_truth: WithoutTruthRule = "leave_out",
) -> Statistic:
    """Return the average recall per label and score threshold: the mean of recall over IoU thresholds.

    The headline averages over labels and score thresholds.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> detection_ar(tiny_detections(), iou_thresholds=[0.5]).value()
        0.75

    Source:
        Valor metrics document, average recall; COCO detection evaluation.
    """
    from scoring.extensions.vision.arrays import some
    from scoring.extensions.vision.detection.drawn import drawn_ar
    from scoring.extensions.vision.detection.report import ar_table, mean_ar

    steps = some(score_thresholds)
    return VisionStatistic(
        _matched(
            table,
            matching,
            ties,
            several_labels,
            iou_thresholds,
            max_detections,
            crowd,
            minimum_score,
            area,
            ignore_marks,
        ),
        lambda matches: mean_ar(matches, steps, without_truth),
        lambda matches: ar_table(matches, steps, without_truth),
        lambda matches, draws: drawn_ar(matches, draws, steps, without_truth),
    )


@primitive(better="neither", uses=("numpy",), topics=("places",))
def detection_counts(
    table: Detections,
    /,
    *,
    matching: MatchingRule = "best_only",
    ties: TiesRule = "overlap",
    several_labels: SeveralLabelsRule = "each",
    iou_thresholds: Overlaps = (0.5,),
    max_detections: MaxDetections = None,
    crowd: Crowd = False,
    minimum_score: MinimumScore = 1e-9,
    score_thresholds: ScoreThresholds = CURVE,
    undefined: float = 0.0,
) -> Statistic:
    """Return counts, precision, recall and F1 of each label at IoU and score thresholds.

    The headline is the largest mean F1 over the labels at the first IoU threshold. The table is also known as
    PrecisionRecallCurve.

    Args:
        undefined: The value of a ratio whose denominator is 0.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> detection_counts(tiny_detections(), score_thresholds=[0.5]).details()["curves"][0]["labels"]["cat"]["tp"]
        [2]

    Source:
        Valor metrics document, precision-recall curves, detection tasks.
    """
    from scoring.extensions.vision.arrays import some
    from scoring.extensions.vision.detection.drawn import best_f1_of_resampled_detections
    from scoring.extensions.vision.detection.report import best_f1, count_tables

    steps = some(score_thresholds)
    return VisionStatistic(
        _matched(table, matching, ties, several_labels, iou_thresholds, max_detections, crowd, minimum_score),
        lambda matches: best_f1(matches, steps),
        lambda matches: count_tables(matches, steps, undefined),
        lambda matches, draws: best_f1_of_resampled_detections(matches, draws, steps),
    )


@primitive(better="neither", uses=("numpy",), topics=("places",), aka=("object confusion matrix",))
def detection_confusion(
    table: Detections,
    /,
    *,
    iou_threshold: PairOverlap = 0.5,
    score_threshold: PairScore = 0.0,
    pairing: PairingRule = "at_threshold",
    max_examples: Annotated[int, AtLeast(0)] = 1,
) -> Statistic:
    """Return the confusion matrix of objects, with missed objects, detections of nothing, and example ids.

    The headline is the share of pairs with equal labels among all pairs and items without a partner.

    Args:
        max_examples: The maximum number of examples per cell.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> detection_confusion(tiny_detections(), max_examples=0).details()["unmatched_predictions"]
        {'cat': {'count': 1}}

    Source:
        Valor, confusion matrix of object detection.
    """
    from scoring.extensions.vision.detection.confusion import count_detection_confusion

    found = count_detection_confusion(
        table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing=pairing, max_examples=max_examples
    )
    return share_statistic(MetricState(table.images, table.order, found, found.right))


@primitive(better="neither", uses=("numpy",), topics=("places",))
def detection_examples(
    table: Detections,
    /,
    *,
    iou_threshold: PairOverlap = 0.5,
    score_threshold: PairScore = 0.0,
    pairing: PairingRule = "at_threshold",
    limit: Annotated[int, AtLeast(1)] | None = None,
    offset: Annotated[int, AtLeast(0)] = 0,
) -> Statistic:
    """Return the objects and detections of each image that are found, wrong and missed, by their ids.

    A pair of different labels is a wrong detection and a missed object. Images with neither objects nor detections are
    not shown. The headline is the share of right pairs among all pairs and items without a partner.

    Args:
        limit: The maximum number of images to show; all if not given.
        offset: The number of images to skip before.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> detection_examples(tiny_detections()).details()["data"][0]["true_positives"]
        [['t1', 'd1'], ['t2', 'd2']]

    Source:
        Valor, Examples of object detection.
    """
    from scoring.extensions.vision.cells import ItemExamples
    from scoring.extensions.vision.detection.confusion import confusion_of, examples_by_place, pair_up

    found = pair_up(table, iou_threshold=iou_threshold, score_threshold=score_threshold, pairing=pairing)
    right = confusion_of(table, found, 0).right
    examples = ItemExamples(examples_by_place(table, found), limit, offset, right)
    return share_statistic(MetricState(table.images, table.order, examples, right))


@primitive(better="neither", uses=("numpy",), topics=("places",))
def detection_errors(
    table: Detections,
    /,
    *,
    matching: MatchingRule = "next_free",
    iou_threshold: UnitShare = 0.5,
    score_thresholds: ScoreThresholds = CURVE,
    max_examples: Annotated[int, AtLeast(0)] = 1,
) -> Statistic:
    """Return hallucinations, misclassifications and misses of each label, with examples.

    The headline is the share of hallucinations among false positives at the first score threshold. The table is also
    known as DetailedPrecisionRecallCurve.

    Args:
        iou_threshold: The least overlap at which a detection is attributed to an object.
        max_examples: The maximum number of examples per kind, label and threshold.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> detection_errors(tiny_detections(), score_thresholds=[0.5]).value()
        1.0

    Source:
        Valor metrics document, DetailedPrecisionRecallCurve, object detection tasks.
    """
    from scoring.extensions.vision.arrays import some
    from scoring.extensions.vision.detection.detailed import detailed_detections

    found = detailed_detections(
        table,
        matching=matching,
        iou_threshold=iou_threshold,
        score_thresholds=some(score_thresholds),
        max_examples=max_examples,
    )
    return share_statistic(MetricState(table.images, table.order, found, found.headline))
