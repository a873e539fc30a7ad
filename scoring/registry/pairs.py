"""Batches inside combinators: the scores of many pairs of two columns, computed by one call of a pipeline.

A combinator calls its pipeline several times for one record: for each reference, each key, each pair of items. Its
batch form combines all these calls for all records into *one* column:

    @batch(any_of)
    def _(predictions, references, /, *scorers):
        functions = [scorer.over(predictions, references) for scorer in scorers]  # each value is prepared once

        def score(pairs):                                                         # positions in the two columns
            return any_of_them([one(pairs) for one in functions])

        return score

The function that ``over`` returns is called with positions, as often as necessary, so that a product of two lists is
never in memory as values.

Functions import numpy themselves, here as in the combinators: checking a pack imports these files, computes nothing,
and spent a fifth of its time on that import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scoring.result import Outcome

MOST_PAIRS = 100_000
"""The most pairs that are scored in one call, so that their data takes only a few megabytes."""

ScoreTable: TypeAlias = list[list[float]] | Any


@dataclass(slots=True)
class PairIndices:
    """Pairs of positions in two columns, as two arrays of integers.

    If the pairs are a sequence of products, ``heights`` and ``widths`` are the numbers of rows and columns of each
    product; its pairs are in row-major order.
    """

    rows: Any
    columns: Any
    heights: Any = None
    widths: Any = None

    @classmethod
    def each(cls, size: int) -> PairIndices:
        """Return the pairs of equal positions (0 with 0, 1 with 1, …) of two columns with `size` values."""
        import numpy as np

        return cls(np.arange(size), np.arange(size))

    @classmethod
    def products(cls, tops: Any, heights: Any, lefts: Any, widths: Any) -> PairIndices:
        """Return, for each product, all pairs of `heights` rows from `tops` on with `widths` columns from `lefts` on.

        Examples:
            >>> import numpy
            >>> pairs = PairIndices.products(*(numpy.array([number]) for number in (5, 2, 0, 3)))
            >>> pairs.rows.tolist(), pairs.columns.tolist()
            ([5, 5, 5, 6, 6, 6], [0, 1, 2, 0, 1, 2])
        """
        import numpy as np

        across = np.repeat(widths, heights)
        rows = np.repeat(stretches(tops, heights), across)
        return cls(rows, stretches(np.repeat(lefts, heights), across), heights, widths)

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, indices: Any) -> PairIndices:
        """Return the pairs at some indices, without the sizes of products."""
        return PairIndices(self.rows[indices], self.columns[indices])


def stretches(starts: Any, lengths: Any) -> Any:
    """Return the positions in some ranges, concatenated, given the start and the length of each range.

    Examples:
        >>> import numpy
        >>> stretches(numpy.array([7, 2]), numpy.array([2, 3])).tolist()
        [7, 8, 2, 3, 4]
    """
    import numpy as np

    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


def portions(sizes: Any) -> Iterator[slice]:
    """Divide consecutive groups of the given sizes into portions, and yield each portion as a slice of the groups.

    The groups of a portion have at most `MOST_PAIRS` members in total, unless it is a single larger group.

    Examples:
        >>> import numpy
        >>> list(portions(numpy.array([60_000, 30_000, 20_000])))
        [slice(0, 2, None), slice(2, 3, None)]
    """
    import numpy as np

    ends, start = np.cumsum(sizes), 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + MOST_PAIRS, side="right")))
        yield slice(start, end)
        start = end


@dataclass(slots=True)
class PairScores:
    """The scores of pairs: ``values``, an array of floats, and ``failed``, the outcomes of failed pairs by position.

    ``alone`` are positions of pairs that are still to be scored, one by one, by the primitive's function itself.
    """

    values: Any
    failed: dict[int, Outcome] = field(default_factory=dict)
    alone: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        # In an integer array, such as `np.full(size, 0)`, every fraction that is stored would become 0.
        if self.values.dtype.kind != "f":
            self.values = self.values.astype(float)

    def put(self, indices: Any, others: PairScores) -> None:
        """Replace the scores and failures at the positions `indices` by those of `others`, in the same order."""
        self.values[indices] = others.values
        for index in indices.tolist() if self.failed else ():
            self.failed.pop(index, None)
        self.failed.update((int(indices[at]), outcome) for at, outcome in others.failed.items())

    def to_list(self) -> list[Any]:
        """Return the scores as a list, with outcomes at the positions of failures."""
        found: list[Any] = self.values.tolist()
        for index, outcome in self.failed.items():
            found[index] = outcome
        return found

    def first_failures(self, sizes: Any) -> dict[int, Outcome]:
        """Return the first failure in each group of consecutive pairs that has one, by the number of the group.

        Args:
            sizes: The number of pairs in each group, in order.
        """
        import numpy as np

        found: dict[int, Outcome] = {}
        failed = sorted(self.failed)
        for group, index in zip(np.searchsorted(np.cumsum(sizes), failed, side="right").tolist(), failed, strict=True):
            found.setdefault(group, self.failed[index])
        return found


ColumnScorer: TypeAlias = Callable[[PairIndices], PairScores]
"""A scorer over two columns: a function from pairs of positions to their scores."""


def filled(score_pairs: ColumnScorer, tops: Any, heights: Any, lefts: Any, widths: Any) -> PairScores:
    """Return the scores that `score_pairs` computes for all pairs that `PairIndices.products` makes of the arrays.

    A single large product is scored some rows at a time, only up to the first rows with a failure; later scores are
    then undefined.
    """
    import numpy as np

    if len(tops) != 1 or heights[0] * widths[0] <= MOST_PAIRS:
        return score_pairs(PairIndices.products(tops, heights, lefts, widths))
    height, width = int(heights[0]), int(widths[0])
    found, step = PairScores(np.empty(height * width)), max(1, MOST_PAIRS // width)
    for row in range(0, height, step):
        some = score_pairs(PairIndices.products(tops + row, np.array([min(step, height - row)]), lefts, widths))
        found.values[row * width : (row + step) * width] = some.values
        if some.failed:
            found.failed = {row * width + index: outcome for index, outcome in some.failed.items()}
            break
    return found


def floats(scores: Any) -> Any:
    """Return scores as an array of floats, for the batch forms of rescorers.

    Raises:
        TypeError: when some scores are not floats.
    """
    import numpy as np

    if not isinstance(scores, np.ndarray) and set(map(type, scores)) != {float}:
        raise TypeError("not all scores are floats")
    return np.asarray(scores, dtype=np.float64)


def scores_of_pairs(scorer: Any, left: Sequence[Any], right: Sequence[Any], pairs: PairIndices) -> PairScores:
    """Return the scores of pairs of positions in two lists; each value that is used is prepared only once."""
    import numpy as np

    own, rows = np.unique(pairs.rows, return_inverse=True)
    other, columns = np.unique(pairs.columns, return_inverse=True)
    score_pairs: ColumnScorer = scorer.over([left[at] for at in own.tolist()], [right[at] for at in other.tolist()])
    return score_pairs(PairIndices(rows, columns))


def matrix(scorer: Any, predictions: Sequence[Any], references: Sequence[Any]) -> ScoreTable:
    """Return the scores of all predictions (rows) with all references (columns), as lists or as an array.

    The exception of the first failing pair, in row-major order, is propagated.

    Examples:
        >>> matrix(lambda p, r: float(p == r), ["a", "b"], ["b"])
        [[0.0], [1.0]]
    """
    batched = getattr(scorer, "matrix", None)
    if batched is not None:
        return batched(predictions, references)
    return [[scorer(prediction, reference) for reference in references] for prediction in predictions]
