"""Data-set metric of semantic segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scoring.extensions.vision.metrics.statistic import MetricState, VisionStatistic
from scoring.registry import primitive
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.extensions.vision.segmentation.pixels import PixelCounts
else:
    from scoring.extensions.vision.metrics import PixelCounts


@primitive(uses=("numpy",), better="higher", revision=2, topics=("places",), aka=("mean iou", "segmentation"))
def pixel_report(
    counts: PixelCounts, /, *, average_over: Literal["declared", "observed", "ground_truth"] = "observed"
) -> Statistic:
    """Return IoU, precision, recall, F1 and accuracy in pixels, and the confusion matrix; the headline is the mean IoU.

    Args:
        average_over: The labels that the mean averages: all declared, those with a pixel on either side, or those
            with a true pixel.

    Examples:
        >>> import numpy as np
        >>> from scoring.extensions.vision.segmentation.pixels import LabelMap, count_pixels
        >>> image = LabelMap("a", np.array([[1, 1, 0]]), np.array([[1, 0, 0]]))
        >>> pixel_report(count_pixels([image], ["road"])).value()
        0.5

    Source:
        Valor metrics document, semantic segmentation metrics.
    """
    from scoring.extensions.vision.segmentation.pixels import drawn_mean_iou

    return VisionStatistic(
        MetricState(counts.ids, counts.order, counts),
        lambda pixels: pixels.mean_iou(average_over),
        lambda pixels: pixels.result(average_over),
        lambda pixels, draws: drawn_mean_iou(pixels, draws, average_over),
    )
