"""True positives, false positives and false negatives of matched detections at score thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.vision.arrays import Ints, reaching
from scoring.vision.classification.counts import precision_recall_f1
from scoring.vision.detection.matches import Matches


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Counts at one IoU threshold, score thresholds × labels."""

    labels: tuple[str, ...]
    thresholds: tuple[float, ...]
    tp: Ints
    fp: Ints
    fn: Ints

    def columns(self, undefined: float = 0.0) -> dict[str, dict[str, list[Any]]]:
        """Label → column name → values over the score thresholds."""
        precision, recall, f1 = precision_recall_f1(self.tp, self.fp, self.fn, undefined)
        named = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "precision": precision, "recall": recall, "f1": f1}
        return {
            label: {name: values[:, place].tolist() for name, values in named.items()}
            for place, label in enumerate(self.labels)
        }


def score_counts(
    matches: Matches, *, iou_threshold: float, score_thresholds: Sequence[float], area: str = "all"
) -> ScoreCounts:
    """Count the outcomes of matched detections whose score reaches each threshold.

    Source:
        Valor metrics document, precision-recall curves, detection tasks.
    """
    known = matches.rules.iou_thresholds
    if iou_threshold not in known:
        raise ValueError(f"not matched at IoU {iou_threshold}; the thresholds are {', '.join(map(str, known))}")
    number, step = matches.area(area), known.index(iou_threshold)
    true, counted = matches.is_true(number, step), ~matches.is_ignored(number, step)
    if matches.rules.minimum_score is not None:
        counted &= matches.score > matches.rules.minimum_score
    width, kept = len(matches.labels), np.flatnonzero(matches.observed)
    tp = reaching(matches.label[true], matches.score[true], score_thresholds, width)
    wrong = counted & ~true
    fp = reaching(matches.label[wrong], matches.score[wrong], score_thresholds, width)
    fn = matches.positives[number] - tp
    names = tuple(matches.labels.names[place] for place in kept.tolist())
    return ScoreCounts(names, tuple(score_thresholds), tp[:, kept], fp[:, kept], fn[:, kept])
