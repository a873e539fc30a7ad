"""Items of lists as pairs: what `align` makes of their scores, for one pair of lists and for columns of lists."""

from __future__ import annotations

from typing import Any

from scoring.primitives.combine.tables import best_rows, greedy_pairs, optimal_pairs, total
from scoring.registry.pairs import PairPlaces, PairsAsked, PairScores, ScoreTable, filled, portions, stretches
from scoring.result import Outcome

MAX_CELLS = 25_000_000
"""Longer lists are not aligned: the table of all their pairs takes 200 MB, and filling and solving it seconds."""


def too_long(height: int, width: int) -> str:
    """Why two lists are not aligned."""
    return f"lists of {height} and {width} items are too long to be aligned: more than {MAX_CELLS} pairs"


def aligned(table: ScoreTable, by: str, over: str) -> float:
    """The mean over the pairs that are chosen from the scores of all."""
    if by == "best":
        chosen = best_rows(table, by_column=over == "reference")
    else:
        rows, columns = optimal_pairs(table) if by == "optimal" else greedy_pairs(table)
        if isinstance(table, list):
            chosen = [table[row][column] for row, column in zip(rows, columns, strict=True)]
        else:
            chosen = table[rows, columns].tolist()
    return total(chosen) / _divisor(len(table), len(table[0]), over)


def aligned_in_order(scores: list[float], height: int, width: int, over: str) -> float:
    """The mean where items are paired by position."""
    return total(scores) / _divisor(height, width, over)


def _divisor(height: int, width: int, over: str) -> int:
    return {"prediction": height, "reference": width}.get(over, max(height, width))


class ItemPairs:
    """The batch form of `align`: the items of all lists make two columns."""

    def __init__(
        self,
        predictions: list[list[Any]],
        references: list[list[Any]],
        scorer: Any,
        by: str = "optimal",
        over: str = "longer",
        empty: float = 1.0,
    ) -> None:
        self._by, self._over, self._empty = by, over, empty
        self._heights, self._tops = _places(predictions)
        self._widths, self._lefts = _places(references)
        items = [[item for items in side for item in items] for side in (predictions, references)]
        self._asked: PairsAsked = scorer.over(*items)

    def __call__(self, pairs: PairPlaces) -> PairScores:
        """The scores of some pairs of lists."""
        import numpy as np

        heights, widths = self._heights[pairs.rows], self._widths[pairs.columns]
        cells = np.minimum(heights, widths) if self._by == "order" else heights * widths
        found = PairScores(np.where(heights == widths, self._empty, 0.0))  # of lists without items
        for place in np.flatnonzero(cells > MAX_CELLS).tolist():
            found.failed[place] = Outcome.unscored(too_long(int(heights[place]), int(widths[place])))
        todo = np.flatnonzero((cells > 0) & (cells <= MAX_CELLS))
        for part in portions(cells[todo]):
            places = todo[part]
            tops, lefts = self._tops[pairs.rows[places]], self._lefts[pairs.columns[places]]
            self._fill(found, places, cells[places], tops, heights[places], lefts, widths[places])
        return found

    def _fill(
        self, found: PairScores, places: Any, cells: Any, tops: Any, heights: Any, lefts: Any, widths: Any
    ) -> None:
        if self._by == "order":
            scores = self._asked(PairPlaces(stretches(tops, cells), stretches(lefts, cells)))
        else:
            scores = filled(self._asked, tops, heights, lefts, widths)
        failed = scores.first_failures(cells)
        end = 0
        for at, (place, size, height, width) in enumerate(
            zip(places.tolist(), cells.tolist(), heights.tolist(), widths.tolist(), strict=True)
        ):
            start, end = end, end + size
            if at in failed:
                found.failed[place] = failed[at]
            elif self._by == "order":
                listed = scores.values[start:end].tolist()
                found.values[place] = aligned_in_order(listed, height, width, self._over)
            else:
                found.values[place] = aligned(scores.values[start:end].reshape(height, width), self._by, self._over)


def _places(lists: list[list[Any]]) -> tuple[Any, Any]:
    """How many items each list has, and where its first one stands among those of all."""
    import numpy as np

    sizes = np.array(list(map(len, lists)), dtype=np.int64)
    return sizes, np.cumsum(sizes) - sizes
