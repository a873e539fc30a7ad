"""Data-set metrics over repeated samples of one question: pass@k and the mean of k."""

from __future__ import annotations

from math import comb
from typing import Annotated, Any

from scoring.registry import AtLeast, Between, RecordPath, Says, primitive
from scoring.statistics.clusters import hashable
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import GroupStatistic, Statistic, Unit, divide

SampledQuestion = Annotated[
    RecordPath | None, Says("The JMESPath whose value the samples of one question share; their id where none is named.")
]


def _groups(rows: Rows, question: str | None) -> dict[Any, tuple[float, ...]]:
    held: dict[Any, list[float]] = {}
    for key, score in zip(rows.ids if question is None else rows.column(question), rows.scores, strict=True):
        if score is not None:
            held.setdefault(hashable(key) if isinstance(key, (list, dict)) else key, []).append(score)
    return {key: tuple(sorted(scores)) for key, scores in held.items()}


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


@primitive
def pass_at_k(
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)],
    threshold: Annotated[float, Between(0, 1)] = 1.0,
    question: SampledQuestion = None,
) -> Statistic:
    """Estimate the chance that at least one of k samples of a question is correct, averaged over the questions.

    A question with fewer than k scored samples is left out, and counted as such.

    Args:
        k: How many samples one may draw.
        threshold: The least score that counts as correct.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 0.0, 0.0], question=["a", "a", "b", "b"])
        >>> pass_at_k(rows, k=1, question="question").value()
        0.25

    Source:
        Chen et al.: Evaluating Large Language Models Trained on Code, arXiv:2107.03374, equation 1.
    """
    return GroupStatistic(divide, _pass_at_k, {"k": k, "threshold": threshold}, 2, _groups(rows, question), question)


@primitive
def mean_of_k(rows: Rows, /, *, k: Annotated[int, AtLeast(1)] = 1, question: SampledQuestion = None) -> Statistic:
    """Average the scores of the samples of each question, then the questions.

    Args:
        k: How many samples a question needs at least; with fewer it is left out, and counted as such.

    Examples:
        >>> rows = Rows.of_scores([1.0, 0.0, 1.0], question=["a", "a", "b"])
        >>> mean_of_k(rows, question="question").value()
        0.75
    """
    return GroupStatistic(divide, _mean_of_k, {"k": k}, 2, _groups(rows, question), question)


@primitive
def best_of_k(rows: Rows, /, *, k: Annotated[int, AtLeast(1)], question: SampledQuestion = None) -> Statistic:
    """Estimate the expected best score among k samples of a question, averaged over the questions.

    Args:
        k: How many samples one may draw; a question with fewer is left out, and counted as such.

    Examples:
        >>> rows = Rows.of_scores([0.2, 0.6], question=["a", "a"])
        >>> best_of_k(rows, k=2, question="question").value()
        0.6
    """
    return GroupStatistic(divide, _best_of_k, {"k": k}, 2, _groups(rows, question), question)
