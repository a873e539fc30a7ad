"""Values of mappings as pairs: which keys `per_key` compares, and its form for columns of mappings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from scoring.late import np
from scoring.primitives.combine.tables import total
from scoring.registry.pairs import MOST_PAIRS, PairPlaces, PairsAsked, PairScores, portions

K = TypeVar("K")

SMALL_GROUP = 16
"""PairPlaces of mappings with the same keys are compared by columns, unless there are fewer of them than this."""


def keys_of(prediction: Collection[K], reference: Collection[K], over: str) -> list[K]:
    """The keys that count."""
    if over == "reference":
        return list(reference)
    if over == "prediction":
        return list(prediction)
    if over == "common":
        return [key for key in reference if key in prediction]
    return list(reference) + [key for key in prediction if key not in reference]


class KeyPairs:
    """The batch form of `per_key`: the values of all mappings make two columns."""

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
        # Behind all values stands the one that is put in for a missing one.
        self._asked: PairsAsked = scorer.over(self._left.values + self._fills, self._right.values + self._fills)
        self._plans: dict[tuple[int, int], _Plan] = {}

    def __call__(self, pairs: PairPlaces) -> PairScores:
        """The scores of some pairs of mappings."""
        found = PairScores(np.full(len(pairs), self._empty))
        shapes, others = self._left.shapes[pairs.rows], self._right.shapes[pairs.columns]
        kinds, kind_of = np.unique(shapes * (len(self._right.keys) + 1) + others, return_inverse=True)
        if len(kinds) == 1:
            self._fill(found, np.arange(len(pairs)), pairs, self._plan(int(shapes[0]), int(others[0])))
            return found
        few: list[int] = []
        order = np.argsort(kind_of, kind="stable")
        for places in np.split(order, np.cumsum(np.bincount(kind_of))[:-1]):
            if len(places) < SMALL_GROUP:
                few += places.tolist()
            else:
                plan = self._plan(int(shapes[places[0]]), int(others[places[0]]))
                self._fill(found, places, pairs.at(places), plan)
        if few:
            self._fill_each(found, np.array(sorted(few)), pairs, shapes, others)
        return found

    def _plan(self, shape: int, other: int) -> _Plan:
        plan = self._plans.get((shape, other))
        if plan is None:
            own, theirs = self._left.keys[shape], self._right.keys[other]
            plan = self._plans[shape, other] = _Plan(own, theirs, keys_of(own, theirs, self._over), bool(self._fills))
        return plan

    def _fill(self, found: PairScores, places: Any, pairs: PairPlaces, plan: _Plan) -> None:
        """PairPlaces of mappings that have the same keys: some keys at once, each a column."""
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
            scores = self._asked(PairPlaces(rows.ravel(), columns.ravel(), tall, wide))
            for column in scores.values.reshape(len(own), len(pairs)):
                sums = sums + column  # from left to right, as `total` does
            for place in sorted(scores.failed):
                failed.setdefault(place % len(pairs), scores.failed[place])
        found.put(places, PairScores(sums / plan.size, failed))

    def _fill_each(self, found: PairScores, places: Any, pairs: PairPlaces, shapes: Any, others: Any) -> None:
        """PairPlaces of mappings whose keys differ from pair to pair."""
        plans = [self._plan(*kind) for kind in zip(shapes[places].tolist(), others[places].tolist(), strict=True)]
        for part in portions(np.array([len(plan.own) for plan in plans])):
            some, used = places[part], plans[part]
            sizes = np.array([len(plan.own) for plan in used])
            own, theirs = (np.concatenate(side) for side in zip(*((p.own, p.theirs) for p in used), strict=True))
            rows = self._left.at(np.repeat(pairs.rows[some], sizes), own)
            scores = self._asked(PairPlaces(rows, self._right.at(np.repeat(pairs.columns[some], sizes), theirs)))
            listed, end = scores.values.tolist(), 0
            for place, plan in zip(some.tolist(), used, strict=True):
                start, end = end, end + len(plan.own)
                if plan.size:
                    found.values[place] = total(listed[start:end]) / plan.size
            for at, outcome in scores.first_failures(sizes).items():
                found.failed[int(some[at])] = outcome


class _Plan:
    """Which values of two mappings with certain keys are compared: their places, -1 for the value that is put in."""

    def __init__(self, own: Collection[Any], theirs: Collection[Any], keys: list[Any], fills: bool) -> None:
        self.size = len(keys)
        left, right = ({key: place for place, key in enumerate(side)} for side in (own, theirs))
        # A key that one side lacks adds 0 to the sum.
        compared = [key for key in keys if fills or (key in left and key in right)]
        self.own, self.theirs = (
            np.array([side.get(key, -1) for key in compared], dtype=np.int64) for side in (left, right)
        )


class _Keyed:
    """Some mappings: their values one behind the other, where each begins, and which keys it has."""

    def __init__(self, mappings: list[dict[Any, Any]]) -> None:
        numbers: dict[tuple[Any, ...], int] = {}
        self.shapes = np.array([numbers.setdefault(tuple(one), len(numbers)) for one in mappings], dtype=np.int64)
        # As mappings, since a long union asks often whether a key is there.
        self.keys = [dict.fromkeys(keys) for keys in numbers]
        self.values = [value for mapping in mappings for value in mapping.values()]
        sizes = np.array(list(map(len, mappings)), dtype=np.int64)
        self._starts = np.cumsum(sizes) - sizes

    def at(self, mappings: Any, keys: Any) -> Any:
        """The places of the values at some keys of some mappings."""
        return np.where(keys < 0, len(self.values), self._starts[mappings] + keys)
