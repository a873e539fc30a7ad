"""The figures of a data set from parts of its images, looked at in several processes: the same bits as in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import add
from typing import Any, TypeAlias

import numpy as np

from scoring.engine.data_set.table import ImageMetric, Images, TableMetric
from scoring.engine.road.pool import halves, in_processes
from scoring.metrics.vision.statistic import Held, VisionStatistic
from scoring.statistics.statistic import Statistic
from scoring.vision.arrays import Ints

Answer: TypeAlias = "tuple[list[int], list[Held | None]]"
"""The images that were lost, and what each metric knows of the others."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The images that can be scored, the metrics that know them already, and the images that killed their process."""

    images: Images
    metrics: list[ImageMetric]
    lost: list[Any]


def matched_in_parts(metrics: Mapping[str, TableMetric], images: Images, processes: int) -> Matched:
    """Match the images in so many processes.

    Args:
        metrics: The metrics by their text.
        images: All images of one label key.
        processes: How many processes look at a part each; with one, nothing is done yet.

    Raises:
        RuntimeError: when several processes are asked for where the system can't fork.
    """
    if processes <= 1 or len(images) < 2:
        return Matched(images, [ImageMetric(text, metric) for text, metric in metrics.items()], [])

    def work(places: Sequence[int]) -> list[Answer]:
        part = images.data.part(np.array(places, dtype=np.int64))
        statistics = [metric(part) for metric in metrics.values()]
        return [([], [found.held if isinstance(found, VisionStatistic) else None for found in statistics])]

    def lost(places: Sequence[int]) -> list[Answer]:
        return [(list(places), [])]

    parts: list[Ints] = np.array_split(np.arange(len(images)), min(len(images), 2 * processes))
    how: dict[str, Any] = {"apart": halves, "lost": lost, "merge": add, "processes": processes}
    answers = list(chain.from_iterable(in_processes(work, (part.tolist() for part in parts), **how)))
    gone = {place for places, _ in answers for place in places}
    rest = images.select([place for place in range(len(images)) if place not in gone]) if gone else images
    columns = list(zip(*(held for places, held in answers if not places), strict=True)) or [()] * len(metrics)
    bound = [_known(text, metric, rest, held) for (text, metric), held in zip(metrics.items(), columns, strict=True)]
    return Matched(rest, bound, [images.ids[place] for place in sorted(gone)])


def _known(text: str, metric: TableMetric, images: Images, held: Sequence[Held | None]) -> ImageMetric:
    """The metric with what the processes found; one that is not mergeable image by image is computed here."""
    empty: Statistic = metric(images.data.part(np.zeros(0, dtype=np.int64)))
    known = [part for part in held if part is not None]
    if not isinstance(empty, VisionStatistic) or not known:
        return ImageMetric(text, metric)
    return ImageMetric(text, metric, {images.data: empty.with_held(_merged(known))})


def _merged(parts: list[Held]) -> Held:
    """All parts together, neighbours first, so that few are copied often."""
    while len(parts) > 1:
        pairs = [parts[start : start + 2] for start in range(0, len(parts), 2)]
        parts = [pair[0].merge(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]
