"""Retrieval metrics: how early a ranked list names what is relevant. Each averages over the records."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from scoring.metrics.summary import counting, kept, mean_of
from scoring.registry import AtLeast, RecordPath, Says, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

Ranked = Sequence[Any]
Gains = Mapping[Any, float]

Retrieved = Annotated[RecordPath, Says("The JMESPath of the ranked list.")]
Relevant = Annotated[RecordPath, Says("The JMESPath of what is relevant: a list, or a mapping from items to gains.")]

RankingFigure = Callable[[Ranked, Gains, int | None], float]
"""The figure of one record from its ranked items, cut after k, from what is relevant, and from k."""


def ranked_items(value: Any) -> list[Any]:
    """Return a ranked list without repetitions; nothing retrieved is an empty one.

    Examples:
        >>> ranked_items([3, 1, 3]), ranked_items(None)
        ([3, 1], [])
    """
    if not isinstance(value, (list, tuple)):
        return []
    return list(dict.fromkeys(_hashable(item) for item in value))


def gains_of(value: Any) -> dict[Any, float]:
    """Return what is relevant, and how much: a list counts each item 1, a mapping gives the gain of each.

    A gain that is no finite number is none.

    Examples:
        >>> gains_of(["a", "b"]), gains_of({"a": 2, "b": 0, "c": "much", "d": float("inf")})
        ({'a': 1.0, 'b': 1.0}, {'a': 2.0})
    """
    if isinstance(value, Mapping):
        return {item: float(gain) for item, gain in value.items() if _is_gain(gain)}
    return dict.fromkeys(ranked_items(value), 1.0)


def _is_gain(value: Any) -> bool:
    # The largest float also bounds whole numbers, which have no infinity and can be too long for a float.
    return isinstance(value, (int, float)) and 0 < value <= sys.float_info.max


def _hashable(item: Any) -> Any:
    if isinstance(item, bool):  # True would be found where 1 is relevant
        return f"bool:{item}"
    return item if isinstance(item, (str, int, float)) else repr(item)


def averaged(rows: Rows, retrieved: str, relevant: str, k: int | None, figure: RankingFigure) -> Statistic:
    """Return the mean of a figure over the records for which something is relevant."""
    values, lacking = [], np.zeros(len(rows), dtype=bool)
    for place, (found, wanted) in enumerate(zip(rows.column(retrieved), rows.column(relevant), strict=True)):
        gains = gains_of(wanted)
        if gains:
            values.append(figure(ranked_items(found)[:k], gains, k))
        lacking[place] = not gains
    mask, missing = counting(rows, (lacking, "nothing is relevant"))
    return mean_of(kept(mask, rows.ids)[0], np.array(values, dtype=np.float64), missing=missing)


@variants(better="higher", range=(0.0, 1.0), traits=("by_value",))
def _at_k(
    figure: Callable[[Ranked, Gains, int], float],
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)],
    retrieved: Retrieved = "retrieved",
    relevant: Relevant = "relevant",
) -> Statistic:
    """Average a figure of the first k items, of what is relevant, and of k.

    Args:
        k: How many items are looked at.
    """
    return averaged(rows, retrieved, relevant, k, lambda ranked, gains, _: figure(ranked, gains, k))


@variants(better="higher", range=(0.0, 1.0), traits=("by_value",))
def _up_to_k(
    figure: RankingFigure,
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] | None = None,
    retrieved: Retrieved = "retrieved",
    relevant: Relevant = "relevant",
) -> Statistic:
    """Average a figure of the ranked items, cut after k where it is given.

    Args:
        k: How many items are looked at; all of them without it.
    """
    return averaged(rows, retrieved, relevant, k, figure)


def _hits(ranked: Ranked, gains: Gains) -> int:
    return sum(item in gains for item in ranked)


@_at_k.declare(topics=("retrieval",), aka=("hit rate", "success at k", "recall any"))
def hit_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Count the share of records with a relevant item among the first k.

    Records for which nothing is relevant are left out; one that retrieved nothing scores 0. A repeated item counts
    where it first stands. So do all metrics of this family.

    Examples:
        >>> rows = Rows.of_scores([1, 1], retrieved=[[4, 2], [9]], relevant=[[2], [3]])
        >>> hit_at_k(rows, k=2).value()
        0.5
    """
    return float(_hits(ranked, gains) > 0)


@_at_k.declare(topics=("retrieval",), aka=("precision@k", "p@k"))
def precision_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Average the share of relevant items among the first k places; places left empty count against it.

    Examples:
        >>> precision_at_k(Rows.of_scores([1], retrieved=[[4, 2, 7]], relevant=[[2]]), k=4).value()
        0.25

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.4.
    """
    return _hits(ranked, gains) / k


@_at_k.declare(topics=("retrieval",), aka=("recall@k", "r@k"))
def recall_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Return the proportion of the relevant items that are among the first k.

    Examples:
        >>> recall_at_k(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2, 9]]), k=2).value()
        0.5

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.3.
    """
    return _hits(ranked, gains) / len(gains)


@_at_k.declare(topics=("retrieval",), aka=("f1@k",))
def f1_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Average the harmonic mean of each record's precision and recall at k.

    Examples:
        >>> f1_at_k(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2, 9]]), k=2).value()
        0.5
    """
    return 2 * _hits(ranked, gains) / (k + len(gains))


@_up_to_k.declare(topics=("retrieval",), aka=("mean reciprocal rank", "reciprocal rank"))
def mrr(ranked: Ranked, gains: Gains, k: int | None) -> float:
    """Average the reciprocal rank of the first relevant item, 0 where there is none.

    Examples:
        >>> mrr(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]])).value()
        0.5

    Source:
        Voorhees: The TREC-8 Question Answering Track Report (1999).
    """
    return next((1.0 / rank for rank, item in enumerate(ranked, 1) if item in gains), 0.0)


@_up_to_k.declare(name="map", topics=("retrieval",), aka=("mean average precision at ranks", "mean ap"))
def mean_average_precision(ranked: Ranked, gains: Gains, k: int | None) -> float:
    """Average, over the records, the mean precision at the ranks of the relevant items; one not found counts 0.

    Examples:
        >>> mean_average_precision(Rows.of_scores([1], retrieved=[[2, 5, 9]], relevant=[[2, 9]])).value()
        0.8333333333333333

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.4.
    """
    ranks = [rank for rank, item in enumerate(ranked, 1) if item in gains]
    return math.fsum(found / rank for found, rank in enumerate(ranks, 1)) / len(gains)


@_up_to_k.declare(
    topics=("retrieval",), aka=("normalized discounted cumulative gain", "ndcg@k", "discounted cumulative gain", "dcg")
)
def ndcg(ranked: Ranked, gains: Gains, k: int | None) -> float:
    """Average the discounted gain of the ranked list, divided by that of the best possible one.

    A relevant item at rank r adds gain / log2(r + 1).

    Examples:
        >>> round(ndcg(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]]), k=2).value(), 4)
        0.6309

    Source:
        Järvelin, Kekäläinen: Cumulated Gain-Based Evaluation of IR Techniques (2002), with log2(rank + 1).
    """
    best = discounted(sorted(gains.values(), reverse=True)[:k])
    return discounted([gains.get(item, 0.0) for item in ranked]) / best


def discounted(gains: Sequence[float]) -> float:
    """Return the discounted cumulative gain of the gains in rank order.

    Examples:
        >>> discounted([1.0, 0.0, 1.0])
        1.5
    """
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
