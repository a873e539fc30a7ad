"""Propose the threshold at which a judge's scores should pass, from labels given by people, with its error rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from scoring.extensions.agreement.statistics import kappa_of_counts
from scoring.result import Unscored
from scoring.statistics.proportions import wilson

Aim = Literal["kappa", "accuracy", "f1"]


class Threshold(Struct, frozen=True):
    """A threshold and its effect, if scores from ``at`` upwards pass: agreement with labels of people, and the numbers
    of both kinds of errors.
    """

    at: float
    accuracy: float
    kappa: float
    f1: float
    false_passes: int
    false_fails: int


class Calibration(Struct, frozen=True):
    """The result of a calibration: the proposed threshold, all thresholds that were tried, and how well the scores
    separate passes from fails.
    """

    proposed: Threshold
    thresholds: tuple[Threshold, ...]
    records: int
    positives: int
    accuracy_interval: tuple[float, float]
    roc_auc: float

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        rows = [asdict(row) for row in self.thresholds]
        return {
            "pass_at": self.proposed.at, "accuracy": self.proposed.accuracy, "kappa": self.proposed.kappa,
            "f1": self.proposed.f1, "accuracy_interval": list(self.accuracy_interval), "roc_auc": self.roc_auc,
            "records": self.records, "positives": self.positives, "thresholds": rows,
        }  # fmt: skip


def calibrate_threshold(scores: Sequence[float], labels: Sequence[bool], *, aim: Aim = "kappa") -> Calibration:
    """Return the threshold from which scores of a judge should pass so that this agrees best with labels of people, and
    the effects of other thresholds.

    Every threshold between two neighbouring scores is tried; of equally good ones the middle one is proposed, which
    depends least on single records.

    Args:
        scores: The judge's scores.
        labels: For each score, True if a person passed the record, else False.
        aim: The measure to maximize.

    Raises:
        Unscored: when the lists differ in length, or the labels are all the same.

    Examples:
        >>> calibrate_threshold([0.1, 0.4, 0.6, 0.9], [False, False, True, True]).proposed.at
        0.5
    """
    if len(scores) != len(labels) or len(set(map(bool, labels))) != 2:
        raise Unscored("calibration needs a label for every score, passes and fails among them")
    pairs = sorted(zip(map(float, scores), map(bool, labels), strict=True))
    distinct = sorted({score for score, _ in pairs})
    middles = [(low + high) / 2 for low, high in pairwise(distinct)]
    rows = _cuts(pairs, [distinct[0], *middles, math.nextafter(distinct[-1], math.inf)])
    best = max(getattr(row, aim) for row in rows)
    good = [row for row in rows if math.isclose(getattr(row, aim), best, abs_tol=1e-12)]
    proposed = good[(len(good) - 1) // 2]
    right = round(proposed.accuracy * len(pairs))
    positives = sum(label for _, label in pairs)
    return Calibration(proposed, rows, len(pairs), positives, wilson(right, len(pairs)), _roc_auc(pairs))


def _cuts(pairs: Sequence[tuple[float, bool]], thresholds: Sequence[float]) -> tuple[Threshold, ...]:
    """Return the effect of passing scores from each threshold upwards, given pairs of a score and its label, sorted by
    score.
    """
    scores, labels = (np.array(column) for column in zip(*pairs, strict=True))
    total, positives = len(pairs), int(labels.sum())
    below = np.searchsorted(scores, thresholds)
    false_fails = np.concatenate([[0], np.cumsum(labels)])[below]
    passes, both = total - below, positives - false_fails
    false_passes = passes - both
    table = np.stack([both, false_passes, false_fails, below - false_fails], axis=-1)
    judge, people = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])
    kappas = kappa_of_counts(judge, people, table, (0, 1))
    accuracies, f1s = 1 - (false_passes + false_fails) / total, 2 * both / (passes + positives)
    columns = (accuracies, kappas, f1s, false_passes, false_fails)
    return tuple(map(Threshold, thresholds, *(column.tolist() for column in columns)))


def _roc_auc(pairs: list[tuple[float, bool]]) -> float:
    """Return the probability that a passed record has a higher score than a failed one; equal scores count half."""
    scores, labels = (np.array(column) for column in zip(*pairs, strict=True))
    passed, failed = scores[labels], scores[~labels]
    # Insertion left and right of equal scores: counts each lower failed score twice, each tie once.
    doubled = sum(int(np.searchsorted(failed, passed, side).sum()) for side in ("left", "right"))
    return doubled / (2 * len(passed) * len(failed))
