"""Whether two queries give the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from scoring.result import Unscored

RowsRule: TypeAlias = Literal["bag", "set"]
OrderRule: TypeAlias = Literal["as_gold", "never", "always"]
ColumnsRule: TypeAlias = Literal["any_order", "in_order"]
ResultRow: TypeAlias = tuple[Any, ...]
MOST_CELLS = 200_000_000


def same_rows(
    ours: Sequence[ResultRow], theirs: Sequence[ResultRow], *, rows: RowsRule, ordered: bool, columns: ColumnsRule
) -> bool:
    """Whether two results are the same rows.

    Cells are equal as Python has it. Two empty results are the same, whatever their columns.

    Examples:
        >>> same_rows([(1, "a")], [("a", 1)], rows="bag", ordered=False, columns="any_order")
        True
        >>> same_rows([(1,), (1,)], [(1,)], rows="set", ordered=False, columns="in_order")
        True
    """
    if not ours and not theirs:
        return True
    if columns == "in_order" or not ours or not theirs:
        return _alike(ours, theirs, rows, ordered)
    width = len(ours[0])
    if len(theirs[0]) != width or (rows == "bag" and len(ours) != len(theirs)):
        return False
    if not _may_be_alike(ours, theirs, ordered):
        return False
    return (_alike if width == 1 else _in_some_order)(ours, theirs, rows, ordered)


def _alike(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], rows: RowsRule, ordered: bool) -> bool:
    if ordered:
        return list(ours) == list(theirs)
    return set(ours) == set(theirs) if rows == "set" else Counter(ours) == Counter(theirs)


def _may_be_alike(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], ordered: bool) -> bool:
    """Whether the rows are the same when the cells of each are sorted: a first look.

    The order is that of the cells' texts, so 1 and 1.0 in two places make rows unlike that are alike, as released.

    Source:
        Spider, test-suite-sql-eval, exec_eval.py, quick_rej.
    """
    left, right = (
        [tuple(sorted(row, key=lambda cell: str(cell) + str(type(cell)))) for row in one] for one in (ours, theirs)
    )
    return left == right if ordered else set(left) == set(right)


def _in_some_order(ours: Sequence[ResultRow], theirs: Sequence[ResultRow], rows: RowsRule, ordered: bool) -> bool:
    """Whether the columns of one result can be put in an order in which it is the other.

    Columns are matched one after the other; the rows so far must agree, so that few orders are tried to their end.
    """
    width = len(ours[0])
    mine = [_column(ours, place) for place in range(width)]
    other = [_column(theirs, place) for place in range(width)]
    summary = [_summary(column, rows, ordered) for column in mine]
    candidates = [
        [place for place in range(width) if _summary(other[place], rows, ordered) == summary[column]]
        for column in range(width)
    ]

    pending: list[list[int]] = [[]]
    tries = 0
    while pending:
        chosen = pending.pop()
        if len(chosen) == width:
            return True
        for place in (one for one in reversed(candidates[len(chosen)]) if one not in chosen):
            tries += 1
            if tries * len(ours) * width > MOST_CELLS:
                raise Unscored(f"the columns of {len(ours)} rows of {width} can be put in too many orders")
            longer = [*chosen, place]
            left = list(zip(*mine[: len(longer)], strict=True))
            right = list(zip(*(other[one] for one in longer), strict=True))
            if _alike(left, right, rows, ordered):
                pending.append(longer)
    return False


def _column(rows: Sequence[ResultRow], place: int) -> list[Any]:
    return [row[place] for row in rows]


def _summary(column: list[Any], rows: RowsRule, ordered: bool) -> Any:
    if ordered:
        return column
    return set(column) if rows == "set" else Counter(column)
