"""Data-set metrics over repeated samples of the same question: pass@k, the mean of k and the best of k."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Annotated, Any

from scoring.metrics.summary import NO_SCORE, of_scores
from scoring.outcomes import NOT_APPLICABLE
from scoring.registry import AtLeast, Doc, OfScore, RecordPath, bounds, primitive
from scoring.statistics.breakdown import hashable
from scoring.statistics.clusters import Member
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, Unit, divide

SampledQuestion = Annotated[
    RecordPath | None,
    Doc(
        "The path whose value the samples of one question share; by default their id. A record without "
        "such a value belongs to no question: it is left out, and counted as left out."
    ),
]


def _of_groups(rows: Rows, question: str | None, unit: Callable[..., Unit | None], **options: float) -> GroupStatistic:
    """Return the statistic over questions, each with the scores of its samples; a question has no scores if none of its
    samples has one.

    Args:
        rows: The records, each of which is a sample.
        question: The path of the value that the samples of a question share; None for their id.
        unit: Returns what a question adds to numerator and denominator, given its scores; None if it does not count.
        options: Further arguments of `unit`.
    """
    scores_by_key: dict[Any, list[float]] = {}
    lacking = unscored = 0
    keys = rows.ids if question is None else rows.column(question)
    for key, score, status in zip(keys, rows.scores, rows.codes.tolist(), strict=True):
        if status == NOT_APPLICABLE:
            continue
        if key is None or (isinstance(key, Member) and key.key is None):
            lacking += 1
            continue
        scores = scores_by_key.setdefault(hashable(key) if isinstance(key, (list, dict)) else key, [])
        if score is not None:
            scores.append(score)
        unscored += score is None
    groups = {key: tuple(sorted(scores)) for key, scores in scores_by_key.items()}
    missing = {NO_SCORE: unscored} if unscored else {}
    return GroupStatistic(divide, unit, options, 2, groups, question, lacking, missing)


def _pass_at_k(scores: tuple[float, ...], k: int, threshold: float) -> Unit | None:
    n, correct = len(scores), sum(score >= threshold for score in scores)
    return (1.0 - comb(n - correct, k) / comb(n, k), 1.0) if n >= k else None


def _mean_of_k(scores: tuple[float, ...], k: int) -> Unit | None:
    return (sum(scores) / len(scores), 1.0) if len(scores) >= k else None


def _best_of_k(scores: tuple[float, ...], k: int) -> Unit | None:
    n = len(scores)
    if n < k:
        return None
    # The greatest of k drawn without replacement is the i-th smallest in comb(i, k - 1) of comb(n, k) draws.
    return (sum(score * comb(i, k - 1) for i, score in enumerate(scores)) / comb(n, k), 1.0)


@primitive(better="higher", range=(0.0, 1.0), revision=2, topics=("samples", "code"), aka=("pass@k", "pass@1"))
def pass_at_k(
    rows: Rows, /, *, k: Annotated[int, AtLeast(1)], threshold: OfScore = 1.0, question: SampledQuestion = None
) -> Statistic:
    """Estimate the chance that at least one of k samples of a question is correct, averaged over the questions.

    A question with fewer than k scored samples is left out, and counted as such.

    Args:
        k: The number of samples drawn of each question.
        threshold: The lowest score that counts as correct.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 0.0, 0.0], question=["a", "a", "b", "b"])
        >>> pass_at_k(rows, k=1, question="question").value()
        0.25

    Source:
        Chen et al.: Evaluating Large Language Models Trained on Code, arXiv:2107.03374, equation 1.
    """
    return _of_groups(rows, question, _pass_at_k, k=k, threshold=threshold)


@primitive(better="scores", revision=2, topics=("samples",), aka=("avg@k", "mean@k", "average at k"))
def mean_of_k(rows: Rows, /, *, k: Annotated[int, AtLeast(1)] = 1, question: SampledQuestion = None) -> Statistic:
    """Average the scores of the samples of each question, then average over the questions.

    Args:
        k: The number of scored samples that a question needs at least; with fewer it is left out, and counted as such.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], question=["a", "a", "b"])
        >>> mean_of_k(rows, question="question").value()
        0.75
    """
    return _of_groups(rows, question, _mean_of_k, k=k)


@primitive(better="higher", revision=2, topics=("samples",), aka=("best of n",))
def best_of_k(rows: Rows, /, *, k: Annotated[int, AtLeast(1)], question: SampledQuestion = None) -> Statistic:
    """Estimate the expected best score among k samples of a question, averaged over the questions.

    Args:
        k: The number of samples drawn of each question; a question with fewer is left out, and counted as such.

    Examples:
        >>> rows = Rows.of_scores([0.2, 0.6], question=["a", "a"])
        >>> best_of_k(rows, k=2, question="question").value()
        0.6
    """
    return _of_groups(rows, question, _best_of_k, k=k)


bounds(mean_of_k)(of_scores)
bounds(best_of_k)(of_scores)
