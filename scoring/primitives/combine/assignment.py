"""Pairing rows with columns of a table of scores."""

from __future__ import annotations


def optimal_pairs(table: list[list[float]]) -> list[tuple[int, int]]:
    """The one-to-one pairing with the greatest sum; small tables never import SciPy.

    Examples:
        >>> optimal_pairs([[0.9, 0.8], [0.8, 0.1]])
        [(0, 1), (1, 0)]
    """
    rows, columns = len(table), len(table[0])
    if rows == 1:
        return [(0, max(range(columns), key=table[0].__getitem__))]
    if columns == 1:
        return [(max(range(rows), key=lambda row: table[row][0]), 0)]
    from scipy.optimize import linear_sum_assignment

    chosen_rows, chosen_columns = linear_sum_assignment(table, maximize=True)
    return list(zip(chosen_rows.tolist(), chosen_columns.tolist(), strict=True))


def greedy_pairs(table: list[list[float]]) -> list[tuple[int, int]]:
    """The pairing that takes the best remaining pair first; ties go to the earlier row, then column.

    Examples:
        >>> greedy_pairs([[0.9, 0.8], [0.8, 0.1]])
        [(0, 0), (1, 1)]
    """
    ranked = sorted(
        ((score, row, column) for row, scores in enumerate(table) for column, score in enumerate(scores)),
        key=lambda entry: (-entry[0], entry[1], entry[2]),
    )
    rows: set[int] = set()
    columns: set[int] = set()
    pairs = []
    for _, row, column in ranked:
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            pairs.append((row, column))
    return sorted(pairs)


def best_rows(table: list[list[float]], *, by_column: bool = False) -> list[float]:
    """The greatest score of every row, or of every column.

    Examples:
        >>> best_rows([[0.1, 0.7], [0.2, 0.0]]), best_rows([[0.1, 0.7], [0.2, 0.0]], by_column=True)
        ([0.7, 0.2], [0.2, 0.7])
    """
    return [max(column) for column in zip(*table, strict=True)] if by_column else [max(row) for row in table]
