"""Batch forms of `align` and `per_key`: pairs of items of lists and of values of mappings, and their joined scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, TypeVar

from scoring.primitives.combine.tables import best_rows, greedy_pairs, group_spans, groups, optimal_pairs, sum_in_order
from scoring.registry.pairs import (
    MOST_PAIRS,
    ColumnScorer,
    PairIndices,
    PairScores,
    ScoreTable,
    filled,
    portions,
    stretches,
)
from scoring.result import Outcome
from scoring.values import HOLDERS, of_classes

MAX_PAIRS = 1_000_000
"""The limit on pairs of items: comparing more pairs, and choosing among them, would take seconds."""
MAX_INNER_PAIRS = 4_000_000
"""The same limit for pairs of values within the items: numbers, strings and other values that are not containers."""
MAX_CHARACTER_PAIRS = 400_000_000
"""The same limit for pairs of characters of their strings; one pair of strings has this limit too when aligned."""
# Containers among the items are inspected only from this many pairs on; with fewer, the comparing steps' own limits
# suffice.
_FEW = 16


def too_long_reason(prediction: Sequence[Any], reference: Sequence[Any], by: str) -> str | None:
    """Return the reason why two lists are too long for `align` with the method ``by``, or None if they are not."""
    height, width = len(prediction), len(reference)
    if by == "order":
        return None
    if height * width > MAX_PAIRS:
        return _refused(f"lists of {height:,} and {width:,} items", MAX_PAIRS, "items")
    if height * width < _FEW:  # most lists: the contents of their items are not inspected
        try:
            if len("".join(prediction)) * len("".join(reference)) <= MAX_CHARACTER_PAIRS:
                return None
        except TypeError:
            if str not in map(type, prediction) or str not in map(type, reference):
                return None
    one, other = (count_contents(side, within=height * width >= _FEW) for side in (prediction, reference))
    if one[0] * other[0] > MAX_INNER_PAIRS and one[0] + other[0] > height + width:
        return _refused(f"lists that hold {one[0]:,} and {other[0]:,} values", MAX_INNER_PAIRS, "values")
    if one[1] * other[1] > MAX_CHARACTER_PAIRS:
        return _refused(f"lists of {one[1]:,} and {other[1]:,} characters", MAX_CHARACTER_PAIRS, "characters")
    return None


def _refused(what: str, most: int, unit: str) -> str:
    return f"{what} are too long to be aligned: at most {most:,} pairs of {unit} are compared; shorten or split them"


def count_contents(items: Sequence[Any], *, within: bool = True) -> tuple[int, int]:
    """Return the number of values in a list, with those inside its items unless ``within`` is false, and the number of
    characters in its strings."""
    values, characters, level = 0, 0, items
    while level:
        kinds = set(map(type, level))
        characters += sum(map(len, level if kinds == _TEXTS else of_classes([*level], kinds, _TEXTS)))
        holders = of_classes([*level], kinds, HOLDERS) if within else []
        values += len(level) - len(holders)
        level = [*chain.from_iterable(one.values() if type(one) is dict else one for one in holders)]
    return values, characters


_TEXTS = {str}


def aligned(table: ScoreTable, by: str, over: str) -> float:
    """Return the result of `align` with these settings, from a table of the scores of all pairs of items."""
    if by == "best":
        chosen = best_rows(table, by_column=over == "reference")
    else:
        rows, columns = optimal_pairs(table) if by == "optimal" else greedy_pairs(table)
        if isinstance(table, list):
            chosen = [table[row][column] for row, column in zip(rows, columns, strict=True)]
        else:
            chosen = table[rows, columns].tolist()
    return mean_over(chosen, len(table), len(table[0]), over)


def mean_over(scores: list[float], height: int, width: int, over: str) -> float:
    """Return the sum of the scores of pairs of items, divided by the length of the list that ``over`` names.

    ``height`` is the length of the prediction, ``width`` that of the reference; by default the longer one counts.
    """
    return sum_in_order(scores) / {"prediction": height, "reference": width}.get(over, max(height, width))


class ItemPairs:
    """The batch form of `align`: a callable that scores many pairs of lists at once, given by their indices."""

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
        self._lists = predictions, references
        self._heights, self._tops = group_spans(predictions)
        self._widths, self._lefts = group_spans(references)
        items = [[item for items in side for item in items] for side in (predictions, references)]
        one, other = map(_at_most, items, (max(map(len, side), default=0) for side in self._lists))
        self._are_all_small = one[0] * other[0] <= MAX_INNER_PAIRS and one[1] * other[1] <= MAX_CHARACTER_PAIRS
        self._score: ColumnScorer = scorer.over(*items)

    def __call__(self, pairs: PairIndices) -> PairScores:
        """Return the scores of the pairs whose predictions and references have the given indices."""
        import numpy as np

        heights, widths = self._heights[pairs.rows], self._widths[pairs.columns]
        cells = np.minimum(heights, widths) if self._by == "order" else heights * widths
        found = PairScores(np.where(heights == widths, self._empty, 0.0))  # of lists without items
        # Usually a cheap check of all lists together shows that no pair exceeds the limits.
        are_small = self._by == "order" or ((cells <= MAX_PAIRS).all() and self._are_all_small)
        for index in () if are_small else np.flatnonzero(cells > 0).tolist():
            why = too_long_reason(self._lists[0][pairs.rows[index]], self._lists[1][pairs.columns[index]], self._by)
            if why is not None:
                found.failed[index] = Outcome.unscored(why)
                cells[index] = 0
        todo = np.flatnonzero(cells > 0)
        for part in portions(cells[todo]):
            indices = todo[part]
            tops, lefts = self._tops[pairs.rows[indices]], self._lefts[pairs.columns[indices]]
            if self._by == "order":
                scores = self._score(PairIndices(*(stretches(starts, cells[indices]) for starts in (tops, lefts))))
            else:
                scores = filled(self._score, tops, heights[indices], lefts, widths[indices])
            shapes = [*zip(heights[indices].tolist(), widths[indices].tolist(), strict=True)]
            for at, index, part in groups(found, indices.tolist(), scores, cells[indices]):
                values = scores.values[part]
                if self._by == "order":
                    found.values[index] = mean_over(values.tolist(), *shapes[at], self._over)
                else:
                    found.values[index] = aligned(values.reshape(shapes[at]), self._by, self._over)
        return found


def _at_most(items: list[Any], longest: int) -> tuple[int, int]:
    """Return upper bounds for the numbers of values and characters in any list of up to ``longest`` of the items.

    If tighter bounds would require inspecting each item, the largest numbers that are allowed are returned.
    """
    kinds = set(map(type, items))
    if kinds == _TEXTS:
        return longest, longest * max(map(len, items))
    if kinds <= _LISTS:
        sizes, kinds = max(map(len, items), default=0), set(map(type, chain.from_iterable(items)))
        longest *= sizes
    if HOLDERS.isdisjoint(kinds) and str not in kinds:
        return longest, 0
    return MAX_INNER_PAIRS, MAX_CHARACTER_PAIRS


_LISTS = {list, tuple}


K = TypeVar("K")

SMALL_GROUP = 16
"""Pairs of mappings with the same keys are compared column by column if there are at least this many of them."""


def selected_keys(prediction: Collection[K], reference: Collection[K], over: str) -> list[K]:
    """Return the keys of two mappings that ``over`` selects: of either one, of one side, or those that both have."""
    if over == "reference":
        return list(reference)
    if over == "prediction":
        return list(prediction)
    if over == "common":
        return [key for key in reference if key in prediction]
    return list(reference) + [key for key in prediction if key not in reference]


class KeyPairs:
    """The batch form of `per_key`: a callable that scores many pairs of mappings at once, given by their indices."""

    def __init__(
        self,
        predictions: list[dict[Any, Any]],
        references: list[dict[Any, Any]],
        scorer: Any,
        over: str = "union",
        missing: str = "zero",
        fill: Any = None,
        empty: float = 1.0,
    ) -> None:
        self._over, self._empty = over, empty
        self._fills = [fill] if missing == "fill" else []
        self._left, self._right = _Keyed(predictions), _Keyed(references)
        # The value that replaces missing ones is appended to each column.
        self._score: ColumnScorer = scorer.over(self._left.values + self._fills, self._right.values + self._fills)
        self._plans: dict[tuple[int, int], _Plan] = {}

    def __call__(self, pairs: PairIndices) -> PairScores:
        """Return the scores of the pairs whose predictions and references have the given indices."""
        import numpy as np

        found = PairScores(np.full(len(pairs), self._empty))
        shapes, others = self._left.shapes[pairs.rows], self._right.shapes[pairs.columns]
        kinds, kind_of = np.unique(shapes * (len(self._right.keys) + 1) + others, return_inverse=True)
        if len(kinds) == 1:
            self._fill(found, np.arange(len(pairs)), pairs, self._plan(int(shapes[0]), int(others[0])))
            return found
        few: list[int] = []
        order = np.argsort(kind_of, kind="stable")
        for indices in np.split(order, np.cumsum(np.bincount(kind_of))[:-1]):
            if len(indices) < SMALL_GROUP:
                few += indices.tolist()
            else:
                plan = self._plan(int(shapes[indices[0]]), int(others[indices[0]]))
                self._fill(found, indices, pairs.at(indices), plan)
        if few:
            self._fill_each(found, np.array(sorted(few)), pairs, shapes, others)
        return found

    def _plan(self, shape: int, other: int) -> _Plan:
        plan = self._plans.get((shape, other))
        if plan is None:
            own, theirs = self._left.keys[shape], self._right.keys[other]
            plan = self._plans[shape, other] = _Plan(
                own, theirs, selected_keys(own, theirs, self._over), bool(self._fills)
            )
        return plan

    def _fill(self, found: PairScores, indices: Any, pairs: PairIndices, plan: _Plan) -> None:
        """Store, at ``indices`` of ``found``, the scores of pairs of mappings whose keys are those of one ``plan``.

        Several keys are scored in one call.
        """
        import numpy as np

        if not plan.size:
            return
        sums = np.zeros(len(pairs))
        failed: dict[int, Any] = {}
        step = max(1, MOST_PAIRS // len(pairs))
        for start in range(0, len(plan.own), step):
            own, theirs = plan.own[start : start + step], plan.theirs[start : start + step]
            rows, columns = self._left.at(pairs.rows, own[:, None]), self._right.at(pairs.columns, theirs[:, None])
            tall = None if pairs.heights is None else np.tile(pairs.heights, len(own))
            wide = None if pairs.widths is None else np.tile(pairs.widths, len(own))
            scores = self._score(PairIndices(rows.ravel(), columns.ravel(), tall, wide))
            for column in scores.values.reshape(len(own), len(pairs)):
                sums = sums + column  # from left to right, as `sum_in_order` does
            for index in sorted(scores.failed):
                failed.setdefault(index % len(pairs), scores.failed[index])
        found.put(indices, PairScores(sums / plan.size, failed))

    def _fill_each(self, found: PairScores, indices: Any, pairs: PairIndices, shapes: Any, others: Any) -> None:
        """Store, at ``indices`` of ``found``, the scores of pairs of mappings whose keys differ from pair to pair.

        ``shapes`` and ``others`` number the keys of each pair's prediction and reference: mappings with the same keys
        have the same number.
        """
        import numpy as np

        plans = [self._plan(*kind) for kind in zip(shapes[indices].tolist(), others[indices].tolist(), strict=True)]
        for part in portions(np.array([len(plan.own) for plan in plans])):
            some, used = indices[part], plans[part]
            sizes = np.array([len(plan.own) for plan in used])
            own, theirs = (np.concatenate(side) for side in zip(*((p.own, p.theirs) for p in used), strict=True))
            rows = self._left.at(np.repeat(pairs.rows[some], sizes), own)
            scores = self._score(PairIndices(rows, self._right.at(np.repeat(pairs.columns[some], sizes), theirs)))
            listed = scores.values.tolist()
            for at, index, stretch in groups(found, some.tolist(), scores, sizes):
                if used[at].size:
                    found.values[index] = sum_in_order(listed[stretch]) / used[at].size


class _Plan:
    """The keys to compare in two mappings: their indices among the values of each mapping, -1 for a missing value.

    With ``fills`` a missing value is replaced, otherwise a key that one mapping lacks is not compared and adds 0.
    """

    def __init__(self, own: Collection[Any], theirs: Collection[Any], keys: list[Any], fills: bool) -> None:
        import numpy as np

        self.size = len(keys)
        left, right = ({key: index for index, key in enumerate(side)} for side in (own, theirs))
        # A key that one side lacks adds 0 to the sum.
        compared = [key for key in keys if fills or (key in left and key in right)]
        self.own, self.theirs = (
            np.array([side.get(key, -1) for key in compared], dtype=np.int64) for side in (left, right)
        )


class _Keyed:
    """A column of mappings: their values one after another, and the start index and the keys of each mapping."""

    def __init__(self, mappings: list[dict[Any, Any]]) -> None:
        import numpy as np

        numbers: dict[tuple[Any, ...], int] = {}
        self.shapes = np.array([numbers.setdefault(tuple(one), len(numbers)) for one in mappings], dtype=np.int64)
        # Stored as dicts, because a long union looks up many keys.
        self.keys = [dict.fromkeys(keys) for keys in numbers]
        self.values = [value for mapping in mappings for value in mapping.values()]
        _, self._starts = group_spans(mappings)

    def at(self, mappings: Any, keys: Any) -> Any:
        """Return the index, among all values, of the value at position `keys[i]` of the mapping with index
        `mappings[i]`. A negative position stands for a missing key; its index is that behind the last value."""
        import numpy as np

        return np.where(keys < 0, len(self.values), self._starts[mappings] + keys)
