"""The data-set metric of the COCO evaluation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scoring.extensions.vision.metrics.statistic import MetricState, VisionStatistic
from scoring.registry import primitive
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.extensions.vision.detection.matches import Matches
    from scoring.extensions.vision.detection.table import Detections
else:
    from scoring.extensions.vision.metrics import Detections


@primitive(
    uses=("numpy",), better="higher", revision=2, topics=("places",), aka=("coco map", "coco evaluation", "pycocotools")
)
def coco_statistics(table: Detections, /) -> Statistic:
    """Return the twelve statistics of the COCO evaluation, bit for bit those of pycocotools; the headline is AP.

    Examples:
        >>> from scoring.extensions.vision.detection.sample import tiny_detections
        >>> coco_statistics(tiny_detections()).details()["AR1"]
        0.475

    Source:
        COCO detection evaluation, metrics 1 to 12.
    """
    from scoring.extensions.vision.detection.influence import influences_on_precision
    from scoring.extensions.vision.detection.matches import match_once
    from scoring.packs.coco.summary import COCO, coco_ap, coco_summary, drawn_coco_ap

    def ap(matches: Matches) -> float:
        value = coco_ap(matches)
        return math.nan if value < 0 else value

    def tables(matches: Matches) -> dict[str, Any]:
        return dict(coco_summary(matches))

    def moves(matches: Matches, images: int) -> Any:
        return influences_on_precision(matches, images, matches.positives[matches.area("all")] > 0)

    state = MetricState(table.images, table.order, match_once(table, COCO))
    return VisionStatistic(state, ap, tables, drawn_coco_ap, moves=moves)
