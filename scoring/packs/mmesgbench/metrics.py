"""The retrieval figures of MMESGBench's released code, under their own names.

Records without predicted or without relevant pages are skipped, so that missing retrieval is not penalised; the
first four pages are looked at (the code's variables say five); repeated pages shrink the divisor of the precision.
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
"""A figure of the retrieved pages and the relevant ones."""


def pages(value: Any) -> list[Any]:
    """Return a list of pages, which may be written as text; any other text gives an empty list.

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
    """Average a figure of the first k pages and the relevant ones over the records that have both.

    Args:
        k: How many pages are looked at.
        retrieved: The JMESPath of the ranked pages.
        relevant: The JMESPath of the relevant pages.
    """
    values, faults = [], np.zeros((2, len(rows)), dtype=bool)
    for place, (found, wanted) in enumerate(zip(rows.column(retrieved), rows.column(relevant), strict=True)):
        given, gold = ([_plain(page) for page in pages(side)] for side in (found, wanted))
        if given[:k] and gold:
            values.append(figure(given[:k], set(gold)))
        faults[:, place] = not gold, not given[:k]
    mask, missing = counting(rows, *zip(faults, ("nothing is relevant", "nothing is retrieved"), strict=True))
    return mean_of(kept(mask, rows.ids)[0], np.array(values, dtype=np.float64), missing=missing)


def _plain(page: Any) -> Any:
    """Return a page as an item of a set: what is neither text nor number counts as it is printed."""
    return page if isinstance(page, (str, int, float)) else repr(page)


@_averaged
def mmesgbench_hit(given: list[Any], gold: set[Any]) -> float:
    """Count the share of records with a relevant page among the first k, as MMESGBench's released code does.

    Examples:
        >>> mmesgbench_hit(Rows.of_scores([1, 1], pred_page=[[4], []], evidence_pages=["[4]", "[5]"])).value()
        1.0

    Source:
        MMESGBench, retrieval part of the evaluation; the second record of the example is skipped.
    """
    return float(not gold.isdisjoint(given))


@_averaged
def mmesgbench_precision(given: list[Any], gold: set[Any]) -> float:
    """Average the share of relevant pages among the different ones of the first k, as the released code does.

    Examples:
        >>> mmesgbench_precision(Rows.of_scores([1], pred_page=[[4, 4, 7]], evidence_pages=["[4]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    return len(gold & {*given}) / len({*given})


@_averaged
def mmesgbench_recall(given: list[Any], gold: set[Any]) -> float:
    """Return the proportion of the relevant pages that are among the first k, as the released code does.

    Examples:
        >>> mmesgbench_recall(Rows.of_scores([1], pred_page=[[4]], evidence_pages=["[4, 5]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    return len(gold & {*given}) / len(gold)


@_averaged
def mmesgbench_retrieval_f1(given: list[Any], gold: set[Any]) -> float:
    """Average each record's harmonic mean of the two figures above, as the released code does.

    Examples:
        >>> mmesgbench_retrieval_f1(Rows.of_scores([1], pred_page=[[4, 7]], evidence_pages=["[4, 5]"])).value()
        0.5

    Source:
        MMESGBench, retrieval part of the evaluation.
    """
    shared = len(gold & {*given})
    precision, recall = shared / len({*given}), shared / len(gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@_averaged
def mmesgbench_ndcg(given: list[Any], gold: set[Any]) -> float:
    """Average the discount of the first relevant page, without an ideal ranking, as the released code does.

    Examples:
        >>> mmesgbench_ndcg(Rows.of_scores([1], pred_page=[[4, 7]], evidence_pages=["[4, 7]"])).value()
        1.0

    Source:
        MMESGBench, retrieval part of the evaluation; `ndcg` is the standard definition.
    """
    return next((1.0 / math.log2(rank + 1) for rank, page in enumerate(given, 1) if page in gold), 0.0)
