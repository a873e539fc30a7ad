"""Retrieval metrics: how early a ranked list names the relevant items, averaged over the records."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from scoring.metrics.summary import counting, kept, mean_of
from scoring.registry import AtLeast, Doc, RecordPath, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

Ranked = Sequence[Any]
Gains = Mapping[Any, float]

Retrieved = Annotated[RecordPath, Doc("The path of the ranked list.")]
Relevant = Annotated[RecordPath, Doc("The path of what is relevant: a list, or a mapping from items to gains.")]

Fruitless = Literal["left_out", "zero"]

_PLAIN = frozenset((str, int, float))

RankingFigure = Callable[[Ranked, Gains, int | None], float]
"""A figure of one record, from its first k ranked items, its relevant items with their gains, and k."""


def ranked_items(value: Any, k: int | None = None) -> list[Any]:
    """Return the first k items (None: all) of a ranked list without repetitions; a value that is not a list becomes an
    empty one.

    Examples:
        >>> ranked_items([3, 1, 3]), ranked_items([3, 3, 1, 2], 2), ranked_items(None)
        ([3, 1], [3, 1], [])
    """
    if not isinstance(value, (list, tuple)):
        return []
    # Most lists have neither other types nor repetitions, so that the first k items are the first k distinct ones.
    first = value if k is None else value[:k]
    if _PLAIN.issuperset(map(type, first)):
        found = list(dict.fromkeys(first))
        if k is None or len(found) == len(first):
            return found
    return list(dict.fromkeys(_hashable(item) for item in value))[:k]


def gains_of(value: Any) -> dict[Any, float]:
    """Return the gain of each relevant item: 1 for each item of a list, or the gains that a mapping gives.

    Items whose gain is not a positive finite number are not relevant.

    Examples:
        >>> gains_of(["a", "b"]), gains_of({"a": 2, "b": 0, "c": "much", "d": float("inf")})
        ({'a': 1.0, 'b': 1.0}, {'a': 2.0})
    """
    if isinstance(value, Mapping):
        gains = value.values()
        if set(map(type, gains)) == {int} and min(gains) > 0 and max(gains) <= sys.float_info.max:  # as most are
            return dict(zip(value, map(float, gains), strict=True))
        return {item: float(gain) for item, gain in value.items() if _is_gain(gain)}
    return dict.fromkeys(ranked_items(value), 1.0)


def _is_gain(value: Any) -> bool:
    # The largest float is the limit of integers too: they are never infinite, but can be too large for a float.
    return isinstance(value, (int, float)) and 0 < value <= sys.float_info.max


def _is_judged(value: Any) -> bool:
    """Return whether a mapping says of items how relevant they are, and of all in numbers."""
    return isinstance(value, Mapping) and bool(value) and all(type(gain) in (int, float) for gain in value.values())


def _hashable(item: Any) -> Any:
    if isinstance(item, bool):  # True is equal to 1, so it would match a relevant 1
        return f"bool:{item}"
    return item if isinstance(item, (str, int, float)) else repr(item)


def averaged(
    rows: Rows, retrieved: str, relevant: str, k: int | None, figure: RankingFigure, fruitless: Fruitless = "left_out"
) -> Statistic:
    """Return the mean of a figure over the records that have at least one relevant item.

    Args:
        rows: The records.
        retrieved: The path of a record's ranked items.
        relevant: The path of a record's relevant items, or of their gains.
        k: The number of ranked items that count; None for all.
        figure: Computes the figure of a record from the ranked items, the gains of the relevant ones, and k.
        fruitless: Whether a record with judged items, none of them relevant, is left out or counts 0.
    """
    values, lacking = [], np.zeros(len(rows), dtype=bool)
    for place, (found, wanted) in enumerate(zip(rows.column(retrieved), rows.column(relevant), strict=True)):
        gains = gains_of(wanted)
        if gains:
            values.append(figure(ranked_items(found, k), gains, k))
        elif fruitless == "zero" and _is_judged(wanted):
            values.append(0.0)
        else:
            lacking[place] = True
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
    fruitless: Fruitless = "left_out",
) -> Statistic:
    """Average what `figure` computes from the first k ranked items of a record, the gains of its relevant items, and k.

    Args:
        k: The number of ranked items that count.
        fruitless: Whether a record whose mapping names items, but none with a gain, is left out or counts 0.
    """
    return averaged(rows, retrieved, relevant, k, lambda ranked, gains, _: figure(ranked, gains, k), fruitless)


@variants(better="higher", range=(0.0, 1.0), traits=("by_value",))
def _up_to_k(
    figure: RankingFigure,
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] | None = None,
    retrieved: Retrieved = "retrieved",
    relevant: Relevant = "relevant",
    fruitless: Fruitless = "left_out",
) -> Statistic:
    """Average what `figure` computes from the (first k) ranked items of a record, its relevant items' gains, and k.

    Args:
        k: The number of ranked items that count; all of them by default.
        fruitless: Whether a record whose mapping names items, but none with a gain, is left out or counts 0.
    """
    return averaged(rows, retrieved, relevant, k, figure, fruitless)


def _hits(ranked: Ranked, gains: Gains) -> int:
    return sum(item in gains for item in ranked)


@_at_k.declare(topics=("retrieval",), aka=("hit rate", "success at k", "recall any"))
def hit_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Compute the share of records with a relevant item among the first k.

    As in all metrics of this family, records without relevant items are left out, a record that retrieved nothing
    scores 0, and a repeated item counts only at its first position.

    Examples:
        >>> rows = Rows.of_scores([1, 1], retrieved=[[4, 2], [9]], relevant=[[2], [3]])
        >>> hit_at_k(rows, k=2).value()
        0.5
    """
    return float(_hits(ranked, gains) > 0)


@_at_k.declare(topics=("retrieval",), aka=("precision@k", "p@k"))
def precision_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Average the share of relevant items among the first k ranks; a list shorter than k is still divided by k.

    Examples:
        >>> precision_at_k(Rows.of_scores([1], retrieved=[[4, 2, 7]], relevant=[[2]]), k=4).value()
        0.25

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.4.
    """
    return _hits(ranked, gains) / k


@_at_k.declare(topics=("retrieval",), aka=("recall@k", "r@k"))
def recall_at_k(ranked: Ranked, gains: Gains, k: int) -> float:
    """Average the share of the relevant items that are among the first k.

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
    """Average the reciprocal rank of the first relevant item; 0 where none was retrieved.

    Examples:
        >>> mrr(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]])).value()
        0.5

    Source:
        Voorhees: The TREC-8 Question Answering Track Report (1999).
    """
    return next((1.0 / rank for rank, item in enumerate(ranked, 1) if item in gains), 0.0)


@_up_to_k.declare(topics=("retrieval",), aka=("map", "map at k", "mean ap"))
def mean_average_precision(ranked: Ranked, gains: Gains, k: int | None) -> float:
    """Average, over the records, the mean precision at the ranks of the relevant items; items not found count 0.

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
    return math.fsum([gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain])
