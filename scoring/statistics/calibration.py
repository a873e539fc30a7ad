"""Where a judge's score should pass: a threshold proposed from labels that people gave, with what it would cost."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Any, Literal

from scoring.result import Unscored

Aim = Literal["kappa", "accuracy", "f1"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """What happens if scores from ``at`` upwards pass: agreement with the labels, and the two kinds of error."""

    at: float
    accuracy: float
    kappa: float
    f1: float
    false_passes: int
    false_fails: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """The report of a calibration."""

    proposed: Threshold
    thresholds: tuple[Threshold, ...]
    records: int
    positives: int
    accuracy_interval: tuple[float, float]
    roc_auc: float

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        rows = [{name: getattr(row, name) for name in Threshold.__slots__} for row in self.thresholds]
        return {
            "pass_at": self.proposed.at, "accuracy": self.proposed.accuracy, "kappa": self.proposed.kappa,
            "f1": self.proposed.f1, "accuracy_interval": list(self.accuracy_interval), "roc_auc": self.roc_auc,
            "records": self.records, "positives": self.positives, "thresholds": rows,
        }  # fmt: skip


def calibrate(scores: Sequence[float], labels: Sequence[bool], *, aim: Aim = "kappa") -> Calibration:
    """Propose the threshold at which the judge's passes agree best with people's.

    Every cut between two neighbouring scores is tried; of equally good ones the middle one is proposed, which is the
    least at the mercy of single records.

    Args:
        scores: The judge's scores.
        labels: Whether a person passed the same record.
        aim: What is to be best.

    Raises:
        Unscored: when the lists differ in length, or the labels are all the same.

    Examples:
        >>> calibrate([0.1, 0.4, 0.6, 0.9], [False, False, True, True]).proposed.at
        0.5
    """
    if len(scores) != len(labels) or len(set(map(bool, labels))) != 2:
        raise Unscored("calibration needs a label for every score, passes and fails among them")
    pairs = sorted(zip(map(float, scores), map(bool, labels), strict=True))
    distinct = sorted({score for score, _ in pairs})
    middles = [(low + high) / 2 for low, high in pairwise(distinct)]
    labelled = _Labelled(pairs)
    rows = tuple(labelled.cut(at) for at in [distinct[0], *middles, math.nextafter(distinct[-1], math.inf)])
    best = max(getattr(row, aim) for row in rows)
    good = [row for row in rows if math.isclose(getattr(row, aim), best, abs_tol=1e-12)]
    proposed = good[(len(good) - 1) // 2]
    right = round(proposed.accuracy * len(pairs))
    positives = sum(label for _, label in pairs)
    return Calibration(proposed, rows, len(pairs), positives, wilson(right, len(pairs)), _roc_auc(pairs))


class _Labelled:
    """Scores in order with running counts of the labels, so that a cut costs one search."""

    def __init__(self, pairs: list[tuple[float, bool]]) -> None:
        self.scores = [score for score, _ in pairs]
        self.positives_below = [0, *accumulate(label for _, label in pairs)]
        self.total, self.positives = len(pairs), self.positives_below[-1]

    def cut(self, at: float) -> Threshold:
        """What happens at one threshold."""
        below = bisect_left(self.scores, at)
        false_fails = self.positives_below[below]
        passes, both = self.total - below, self.positives - false_fails
        false_passes = passes - both
        accuracy = 1 - (false_passes + false_fails) / self.total
        chance = (passes * self.positives + below * (self.total - self.positives)) / self.total**2
        return Threshold(
            at=at,
            accuracy=accuracy,
            kappa=(accuracy - chance) / (1 - chance),
            f1=2 * both / (passes + self.positives),
            false_passes=false_passes,
            false_fails=false_fails,
        )


def wilson(successes: int, trials: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's interval of a proportion, 95% unless ``z`` says otherwise.

    Examples:
        >>> low, high = wilson(8, 10)
        >>> round(low, 3), round(high, 3)
        (0.49, 0.943)
    """
    share = successes / trials
    base = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / base
    half = z / base * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends rounding would leave the proportion itself outside.
    return min(max(0.0, middle - half), share), max(min(1.0, middle + half), share)


def _roc_auc(pairs: list[tuple[float, bool]]) -> float:
    """The chance that a passed record has the higher score; equal scores count half."""
    positives = sum(label for _, label in pairs)
    negatives = len(pairs) - positives
    wins, below = 0.0, 0
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        labels = [label for _, label in group]
        ups = sum(labels)
        wins += ups * (below + (len(labels) - ups) / 2)
        below += len(labels) - ups
    return wins / (positives * negatives)
