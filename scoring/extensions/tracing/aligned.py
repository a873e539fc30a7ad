"""Which pairs `align` chose, for its explanation: each pair with its score, and the items that found no partner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scoring.primitives.combine.collections import align
from scoring.primitives.combine.tables import greedy_pairs, optimal_pairs
from scoring.registry import explains, matrix


@explains(align)
def _(
    prediction: list[Any],
    reference: list[Any],
    *,
    scorer: Any,
    by: str = "optimal",
    over: str = "longer",
    empty: float = 1.0,
) -> list[dict[str, Any]]:
    if not prediction or not reference:
        return []
    if by == "order":
        rows: Sequence[int] = range(min(len(prediction), len(reference)))
        columns = rows
        scores = [scorer(prediction[at], reference[at]) for at in rows]
    else:
        table = np.asarray(matrix(scorer, prediction, reference), dtype=np.float64)
        rows, columns = _chosen(table, by, over)
        scores = [float(table[row, column]) for row, column in zip(rows, columns, strict=True)]
    lines = [
        {"stage": f"{row + 1} with {column + 1}", "prediction": prediction[row], "reference": reference[column]}
        | {"score": score}
        for row, column, score in zip(rows, columns, scores, strict=True)
    ]
    return [*lines, *_left(prediction, rows, "prediction"), *_left(reference, columns, "reference")]


def _chosen(table: Any, by: str, over: str) -> tuple[Sequence[int], Sequence[int]]:
    """Return the rows and columns of the chosen pairs, as `align` chooses them."""
    if by != "best":
        return optimal_pairs(table) if by == "optimal" else greedy_pairs(table)
    if over == "reference":
        return table.argmax(axis=0).tolist(), list(range(table.shape[1]))
    return list(range(table.shape[0])), table.argmax(axis=1).tolist()


def _left(items: list[Any], paired: Sequence[int], side: str) -> list[dict[str, Any]]:
    known = set(paired)
    return [{"stage": f"{at + 1} alone", side: item} for at, item in enumerate(items) if at not in known]
