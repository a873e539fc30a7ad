"""Retrieval metrics: how early a ranked list names what is relevant. Each averages over the records."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from scoring.registry import AtLeast, primitive
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic, divide, of_sums

Ranked = Sequence[Any]
Gains = Mapping[Any, float]


def ranked_items(value: Any) -> list[Any]:
    """A ranked list without repetitions; nothing retrieved is an empty one.

    Examples:
        >>> ranked_items([3, 1, 3]), ranked_items(None)
        ([3, 1], [])
    """
    if not isinstance(value, (list, tuple)):
        return []
    return list(dict.fromkeys(_hashable(item) for item in value))


def gains_of(value: Any) -> dict[Any, float]:
    """What is relevant, and how much: a list counts each item 1, a mapping gives the gain of each.

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


def averaged(
    rows: Rows, retrieved: str, relevant: str, figure: Callable[[Ranked, Gains], float], *, share: bool = False
) -> Statistic:
    """The mean of a figure over the records for which something is relevant."""
    ids, units = [], []
    for key, found, wanted in zip(rows.ids, rows.column(retrieved), rows.column(relevant), strict=True):
        gains = gains_of(wanted)
        if gains:
            ids.append(key)
            units.append((figure(ranked_items(found), gains), 1.0))
    return of_sums(divide, ids, units, width=2, proportion=share)


def _hits(ranked: Ranked, gains: Gains, k: int) -> int:
    return sum(item in gains for item in ranked[:k])


@primitive
def hit_at_k(
    rows: Rows, /, *, k: Annotated[int, AtLeast(1)], retrieved: str = "retrieved", relevant: str = "relevant"
) -> Statistic:
    """Count the share of records with a relevant item among the first k.

    Records for which nothing is relevant are left out; one that retrieved nothing scores 0. A repeated item counts
    where it first stands. So do all metrics of this family.

    Args:
        k: How many items are looked at.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> rows = Rows.of_scores([1, 1], retrieved=[[4, 2], [9]], relevant=[[2], [3]])
        >>> hit_at_k(rows, k=2).value()
        0.5
    """
    return averaged(rows, retrieved, relevant, lambda ranked, gains: float(_hits(ranked, gains, k) > 0), share=True)


@primitive
def precision_at_k(
    rows: Rows, /, *, k: Annotated[int, AtLeast(1)], retrieved: str = "retrieved", relevant: str = "relevant"
) -> Statistic:
    """Average the share of relevant items among the first k places; places left empty count against it.

    Args:
        k: How many items are looked at.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> precision_at_k(Rows.of_scores([1], retrieved=[[4, 2, 7]], relevant=[[2]]), k=4).value()
        0.25

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.4.
    """
    return averaged(rows, retrieved, relevant, lambda ranked, gains: _hits(ranked, gains, k) / k)


@primitive
def recall_at_k(
    rows: Rows, /, *, k: Annotated[int, AtLeast(1)], retrieved: str = "retrieved", relevant: str = "relevant"
) -> Statistic:
    """Average the share of the relevant items that stand among the first k.

    Args:
        k: How many items are looked at.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> recall_at_k(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2, 9]]), k=2).value()
        0.5

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.3.
    """
    return averaged(rows, retrieved, relevant, lambda ranked, gains: _hits(ranked, gains, k) / len(gains))


@primitive
def f1_at_k(
    rows: Rows, /, *, k: Annotated[int, AtLeast(1)], retrieved: str = "retrieved", relevant: str = "relevant"
) -> Statistic:
    """Average the harmonic mean of each record's precision and recall at k.

    Args:
        k: How many items are looked at.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> f1_at_k(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2, 9]]), k=2).value()
        0.5
    """
    return averaged(rows, retrieved, relevant, lambda ranked, gains: 2 * _hits(ranked, gains, k) / (k + len(gains)))


@primitive
def mrr(
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] | None = None,
    retrieved: str = "retrieved",
    relevant: str = "relevant",
) -> Statistic:
    """Average the reciprocal rank of the first relevant item, 0 where there is none.

    Args:
        k: How many items are looked at; all of them without it.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> mrr(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]])).value()
        0.5

    Source:
        Voorhees: The TREC-8 Question Answering Track Report (1999).
    """

    def figure(ranked: Ranked, gains: Gains) -> float:
        return next((1.0 / rank for rank, item in enumerate(ranked[:k], 1) if item in gains), 0.0)

    return averaged(rows, retrieved, relevant, figure)


@primitive(name="map")
def mean_average_precision(
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] | None = None,
    retrieved: str = "retrieved",
    relevant: str = "relevant",
) -> Statistic:
    """Average, over the records, the mean precision at the ranks of the relevant items; one not found counts 0.

    Args:
        k: How many items are looked at; all of them without it.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> mean_average_precision(Rows.of_scores([1], retrieved=[[2, 5, 9]], relevant=[[2, 9]])).value()
        0.8333333333333333

    Source:
        Manning, Raghavan, Schütze: Introduction to Information Retrieval, section 8.4.
    """

    def figure(ranked: Ranked, gains: Gains) -> float:
        ranks = [rank for rank, item in enumerate(ranked[:k], 1) if item in gains]
        return math.fsum(found / rank for found, rank in enumerate(ranks, 1)) / len(gains)

    return averaged(rows, retrieved, relevant, figure)


@primitive
def ndcg(
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] | None = None,
    retrieved: str = "retrieved",
    relevant: str = "relevant",
) -> Statistic:
    """Average the discounted gain of the ranked list, divided by that of the best possible one.

    A relevant item at rank r adds gain / log2(r + 1).

    Args:
        k: How many items are looked at; all of them without it.
        retrieved: The JMESPath of the ranked list.
        relevant: The JMESPath of what is relevant: a list, or a mapping from items to gains.

    Examples:
        >>> round(ndcg(Rows.of_scores([1], retrieved=[[4, 2]], relevant=[[2]]), k=2).value(), 4)
        0.6309

    Source:
        Järvelin, Kekäläinen: Cumulated Gain-Based Evaluation of IR Techniques (2002), with log2(rank + 1).
    """

    def figure(ranked: Ranked, gains: Gains) -> float:
        found = discounted([gains.get(item, 0.0) for item in ranked[:k]])
        return found / discounted(sorted(gains.values(), reverse=True)[:k])

    return averaged(rows, retrieved, relevant, figure)


def discounted(gains: Sequence[float]) -> float:
    """The discounted cumulative gain of the gains in rank order.

    Examples:
        >>> discounted([1.0, 0.0, 1.0])
        1.5
    """
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
