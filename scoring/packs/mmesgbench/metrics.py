"""The retrieval metrics of MMESGBench's released code, as separate metrics.

Records without predicted or without relevant pages are skipped, so that missing retrieval is not penalised; only the
first four pages count (the code's variables say five); repeated pages shrink the divisor of the precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from scoring.metrics.summary import counting, kept, mean_of
from scoring.primitives.parsing.literal import READING_ERRORS, read_literal
from scoring.registry import AtLeast, RecordPath, variants
from scoring.statistics.rows import Rows
from scoring.statistics.statistic import Statistic

AnswerFigure = Callable[[list[Any], set[Any]], float]
"""Computes a figure from the pages that count and the relevant ones."""


def pages(value: Any) -> list[Any]:
    """Return the pages in a list, or in a string that represents a list; any other value gives an empty list.

    Examples:
        >>> pages("[61, 7]"), pages([3]), pages("none"), pages(None)
        ([61, 7], [3], [], [])
    """
    if isinstance(value, str):
        try:
            value = read_literal(value, exact=True)
        except READING_ERRORS:
            return []
    return list(value) if isinstance(value, (list, tuple)) else []


@variants(better="higher", range=(0.0, 1.0))
def _averaged(
    figure: AnswerFigure,
    rows: Rows,
    /,
    *,
    k: Annotated[int, AtLeast(1)] = 4,
    retrieved: RecordPath = "pred_page",
    relevant: RecordPath = "evidence_pages",
) -> Statistic:
    """Return the average of ``figure``, a function of the first k and of the relevant pages, over records with both.

    Args:
        k: The number of first pages that count.
        retrieved: The path of the ranked pages.
        relevant: The path of the relevant pages.
    """
    values, faults = [], np.zeros((2, len(rows)), dtype=bool)
    for place, (found, wanted) in enumerate(zip(rows.column(retrieved), rows.column(relevant), strict=True)):
        ranked, gold = ([_plain(page) for page in pages(side)] for side in (found, wanted))
        if ranked[:k] and gold:
            values.append(figure(ranked[:k], set(gold)))
        faults[:, place] = not gold, not ranked[:k]
    mask, missing = counting(rows, *zip(faults, ("nothing is relevant", "nothing is retrieved"), strict=True))
    return mean_of(kept(mask, rows.ids)[0], np.array(values, dtype=np.float64), missing=missing)


def _plain(page: Any) -> Any:
    """Return a page as a hashable item: a value that is neither a string nor a number becomes its repr."""
    return page if isinstance(page, (str, int, float)) else repr(page)


@_averaged
def mmesgbench_hit(ranked: list[Any], gold: set[Any]) -> float:
    """Return the hit rate: the average of 1 for a relevant page among the first k, else 0, as in the released code.

    Examples:
        >>> mmesgbench_hit(Rows.of_scores([1, 1], pred_page=[[4], []], evidence_pages=["[4]", "[5]"])).value()
        1.0

    Source:
        MMESGBench, retrieval part of the evaluation; the second record of the example is skipped.
    """
    return float(not gold.isdisjoint(ranked))


@_averaged
def mmesgbench_precision(ranked: list[Any], gold: set[Any]) -> float:
    """Return the average share of relevant pages among the different ones of the first k, like the released code.

    Examples:
        >>> mmesgbench_precision(Rows.of_scores([1], pred_page=[[4, 4, 7]], evidence_pages=["[4]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    return len(gold & {*ranked}) / len({*ranked})


@_averaged
def mmesgbench_recall(ranked: list[Any], gold: set[Any]) -> float:
    """Return the average share of the relevant pages that are among the first k, like the released code.

    Examples:
        >>> mmesgbench_recall(Rows.of_scores([1], pred_page=[[4]], evidence_pages=["[4, 5]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    return len(gold & {*ranked}) / len(gold)


@_averaged
def mmesgbench_retrieval_f1(ranked: list[Any], gold: set[Any]) -> float:
    """Return the average harmonic mean of each record's precision and recall, as MMESGBench's released code does.

    Examples:
        >>> mmesgbench_retrieval_f1(Rows.of_scores([1], pred_page=[[4, 7]], evidence_pages=["[4, 5]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    shared = len(gold & {*ranked})
    precision, recall = shared / len({*ranked}), shared / len(gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@_averaged
def mmesgbench_ndcg(ranked: list[Any], gold: set[Any]) -> float:
    """Return the average over records of 1 / log2(rank + 1), with the rank of the first page of ``ranked`` that is in
    ``gold``, 0 for a record without one.

    It is not divided by the value of an ideal ranking, as it is not in the released code.

    Examples:
        >>> mmesgbench_ndcg(Rows.of_scores([1], pred_page=[[4, 7]], evidence_pages=["[4, 7]"])).value()
        1.0

    Source:
        MMESGBench, retrieval part of the evaluation; `ndcg` is the standard definition.
    """
    return next((1.0 / math.log2(rank + 1) for rank, page in enumerate(ranked, 1) if page in gold), 0.0)
