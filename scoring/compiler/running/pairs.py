"""A scorer over two columns: each value is prepared once, then many pairs of them are scored at once.

Each pair gets the same score or failure as if it were scored alone. If a batch form can't handle some values, their
pairs are scored one by one. Combinators call their pipelines this way (`scoring/registry/pairs.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import repeat
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.compiler.programs.columns import StepFunction, as_list, map_rows
from scoring.compiler.programs.failures import caught, error_of, failure
from scoring.compiler.programs.stages import RowValues
from scoring.compiler.running.steps import Chain, ChainStep
from scoring.registry.pairs import ColumnScorer, PairIndices, PairScores, ScoreTable, filled
from scoring.result import Outcome, Unscored

SMALL_TABLE = 24
"""Tables with fewer pairs than this, on average, are scored faster as one column than one by one."""


class Joining(Struct, frozen=True):
    """The part of a scorer that turns two prepared values into a score: the joining step and the steps after it.

    ``as_score`` returns a score as a float, or raises Unscored if the score is outside of its range, ``bounds``.
    ``otherwise`` is the score that a failed pair gets, None if a failure stays a failure.
    """

    step: ChainStep
    after: Chain | None
    as_score: Callable[[Any], Any]
    bounds: tuple[float, float]
    otherwise: float | None

    def one(self, row: RowValues) -> StepFunction:
        """Return the joining step as a function of two values that reads the given row."""
        run = self.step.run
        return (lambda left, right: run(left, right, row)) if self.step.dynamic else run

    def small_table(self, row: RowValues, left: list[Any], right: list[Any]) -> ScoreTable:
        """Return the scores of all pairs of two lists of prepared values, as one list per left value; it raises if any
        pair fails."""
        step, as_score, after = self.step, self.as_score, self.after
        if step.table is not None:
            table = step.table(left, right).tolist()
        elif step.column is not None:
            flat, width = as_list(step.column([one for one in left for _ in right], right * len(left))), len(right)
            table = [flat[at : at + width] for at in range(0, len(flat), width)]
        else:
            join = self.one(row)
            table = [[join(one, other) for other in right] for one in left]
        if after is None:
            return [[as_score(score) for score in line] for line in table]
        return [[as_score(after.run(score, row)) for score in line] for line in table]


class ScorerPairs:
    """A function that scores pairs of positions in two columns of prepared values, all with one row."""

    def __init__(self, joining: Joining, row: RowValues, left: list[Any], right: list[Any]) -> None:
        self._joining, self._row = joining, row
        self._left, self._right = _Side(left), _Side(right)
        self._score_pairs: ColumnScorer | None = None
        if joining.step.over is not None:
            # Whatever it raises, it is raised again for the pairs that it concerns.
            with suppress(Exception):
                self._score_pairs = joining.step.over(row, self._left.good, self._right.good)

    def __call__(self, pairs: PairIndices) -> PairScores:
        """Return the scores of pairs of positions; those that fail have an outcome instead."""
        if self._left.gone is None and self._right.gone is None:
            found = self._finished(self._joined(pairs))
        else:
            left, right = self._left.is_gone(pairs.rows), self._right.is_gone(pairs.columns)
            indices = np.flatnonzero(~(left | right))
            found = PairScores(np.full(len(pairs), np.nan))
            for place in np.flatnonzero(left | right).tolist():
                side, at = (self._left, pairs.rows) if left[place] else (self._right, pairs.columns)
                found.failed[place] = side.values[at[place]]
            there = pairs if len(indices) == len(pairs) else pairs.at(indices)
            moved = PairIndices(
                self._left.moved(there.rows), self._right.moved(there.columns), there.heights, there.widths
            )
            found.put(indices, self._finished(self._joined(moved)))
        if self._joining.otherwise is not None:
            for place in [at for at, outcome in found.failed.items() if outcome.status != "not_applicable"]:
                found.values[place] = self._joining.otherwise
                del found.failed[place]
        return found

    def table(self, height: int, width: int) -> Any:
        """Return the scores of all pairs as an array of ``height`` left values by ``width`` right values.

        If pairs fail, the exception of the first one, row by row, is raised.
        """
        found = filled(self, *(np.array([number]) for number in (0, height, 0, width)))
        if found.failed:
            raise error_of(found.failed[min(found.failed)])
        return found.values.reshape(height, width)

    def _joined(self, pairs: PairIndices) -> Any:
        """Return the results of the joining step for pairs of positions among the values that are not outcomes."""
        step = self._joining.step
        try:
            if self._score_pairs is not None:
                return self._completed(pairs, self._score_pairs(pairs))
            is_wide = pairs.heights is not None and len(pairs) >= SMALL_TABLE * len(pairs.heights)
            found: Any = ()
            if step.table is not None and is_wide:
                found = self._tables(pairs, step.table)
            elif step.column is not None:
                found = step.column(self._left.take(pairs.rows), self._right.take(pairs.columns))
            if len(found) == len(pairs):
                return found
        except Exception:  # whatever it is, it is raised again for the pairs that it concerns
            pass
        return self._one_by_one(pairs)

    def _completed(self, pairs: PairIndices, found: PairScores) -> PairScores:
        """Return ``found``, from a combinator's batch form, with the pairs that it left out scored one by one."""
        if found.alone:
            indices = np.array(found.alone, dtype=np.int64)
            others = _in_arrays(self._one_by_one(pairs.at(indices)))
            if others is None:
                raise TypeError("scores that no array holds")
            found.put(indices, others)
            found.alone = []
        return found

    def _tables(self, pairs: PairIndices, table: StepFunction) -> Any:
        """Return the scores of pairs in blocks (some left values, each with the same right values) as one flat array,
        block by block; ``table`` scores a whole block."""
        parts, start = [], 0
        for height, width in zip(pairs.heights.tolist(), pairs.widths.tolist(), strict=True):
            end = start + height * width
            if start < end:
                rows, columns = pairs.rows[start:end:width], pairs.columns[start : start + width]
                parts.append(table(self._left.take(rows), self._right.take(columns)).ravel())
            start = end
        return np.concatenate(parts)

    def _one_by_one(self, pairs: PairIndices) -> list[Any]:
        join, taken = self._joining.one(self._row), [self._left.take(pairs.rows), self._right.take(pairs.columns)]
        return map_rows(join, taken, failure if self._joining.otherwise is None else caught)

    def _finished(self, found: Any) -> PairScores:
        """Return the final scores of pairs, given the results of the joining step: rescorers are applied, and a score
        that is out of range becomes a failure."""
        after, scores = self._joining.after, _in_arrays(found)
        if after is not None:
            values = after.array(scores.values) if scores is not None and not scores.failed else None
            if values is not None:
                scores = _in_arrays(values)
            else:
                found = after.column(found if scores is None else scores.to_list(), repeat(self._row))
                scores = _in_arrays(found)
        return self._outcomes([*found]) if scores is None else self._checked_arrays(scores)

    def _outcomes(self, found: list[Any]) -> PairScores:
        scores = PairScores(np.full(len(found), np.nan))
        for place, score in enumerate(found):
            self._put(scores, place, score)
        return scores

    def _checked_arrays(self, scores: PairScores) -> PairScores:
        """Return the scores after checking those that are out of range; rejected ones become failures."""
        low, high = self._joining.bounds
        inside = (scores.values >= low) & (scores.values <= high)
        if not inside.all():
            for place in np.flatnonzero(~inside).tolist():
                self._put(scores, place, scores.failed.get(place, float(scores.values[place])))
        return scores

    def _put(self, scores: PairScores, place: int, score: Any) -> None:
        if type(score) is Outcome:
            scores.failed[place] = score
            return
        try:  # a complex score, which no array contains, goes another way
            scores.values[place] = self._joining.as_score(score)
        except Unscored as error:
            scores.failed[place] = failure(error)


def _in_arrays(found: Any) -> PairScores | None:
    """Return the results of a step as an array of scores with the failures by position; None if a result is neither a
    number nor an outcome."""
    if isinstance(found, PairScores):
        return found
    if isinstance(found, np.ndarray):
        # A form may give floats of another size, or whole numbers; they would not be read back as they are.
        return PairScores(found.astype(np.float64, copy=False)) if found.dtype.kind in "fiub" else None
    types = set(map(type, found))
    if types <= {float}:
        return PairScores(np.array(found, dtype=np.float64))
    if types <= {float, Outcome}:
        failed = {place: score for place, score in enumerate(found) if type(score) is Outcome}
        return PairScores(np.array([np.nan if type(score) is Outcome else score for score in found]), failed)
    return None


class _Side:
    """The values of one column, and those of them that are not outcomes (``good``), which alone are passed to steps."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.good = values
        self.gone: Any = None
        if Outcome in set(map(type, values)):
            self.gone = np.fromiter((type(value) is Outcome for value in values), dtype=bool, count=len(values))
            self.good = [value for value in values if type(value) is not Outcome]
            self._indices = np.cumsum(~self.gone) - 1
        self._array: Any = None

    def is_gone(self, indices: Any) -> Any:
        """Return an array that says for each position whether an outcome takes the place of the value there."""
        return np.zeros(len(indices), dtype=bool) if self.gone is None else self.gone[indices]

    def moved(self, indices: Any) -> Any:
        """Return positions in the column as positions among the good values."""
        return indices if self.gone is None else self._indices[indices]

    def take(self, indices: Any) -> list[Any]:
        """Return the values at some positions among the good values."""
        if self._array is None:
            self._array = np.fromiter(self.good, dtype=object, count=len(self.good))
        taken: list[Any] = self._array[indices].tolist()
        return taken
