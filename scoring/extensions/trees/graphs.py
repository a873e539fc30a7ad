"""Graphs as triples, compared by the triples that they share when their variables are matched best."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np

from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score, key_of, show_value

MOST_PAIRS = 20_000
"""The limit on pairs of variables, and on pairs of relations, that could match."""
MOST_DENSE = 2_500
"""The limit on the square of the pairs of relations over the pairs of variables: denser programs take minutes."""
_MOST_WORK = 100_000
"""The limit on pairs times the parts into which the integer program is split."""

_Pair = tuple[int, int]
"""A variable of the prediction, and one of the reference, by their places."""


@primitive(
    range=(0.0, math.inf),
    traits=("by_value",),
    uses=("numpy", "scipy"),
    topics=("lists",),
    aka=("smatch", "graph matching", "semantic graph overlap", "subgraph overlap"),
)
def shared_triples(prediction: list[Any], reference: list[Any], /) -> Score:
    """Count the triples that two graphs share when the variables of one are matched with those of the other best.

    A triple is a relation, a variable and what it relates to: `["arg0", 0, 1]`, `["instance", 0, "boy"]`. Integers are
    variables, all else is itself. A variable is matched with one other at most, and a repeated triple counts as often
    as in both. The number is the greatest that there is, found by SciPy's integer programs; hill climbing may stop
    below it.

    Raises:
        Unscored: when an item is no triple, more than 20,000 pairs of variables or of relations could match, or the
            greatest number is not found in a bounded number of steps.

    Examples:
        >>> one = [["instance", 0, "want"], ["instance", 1, "boy"], ["arg0", 0, 1]]
        >>> other = [["instance", 0, "girl"], ["instance", 1, "want"], ["arg0", 1, 0]]
        >>> shared_triples(one, other)
        2.0

    Source:
        Cai, Knight: Smatch: an evaluation metric for semantic feature structures, 2013.
    """
    ours, theirs = _read(prediction, "prediction"), _read(reference, "reference")
    alone = {
        (place, other): worth
        for place, one in enumerate(ours.alone)
        for other, two in enumerate(theirs.alone)
        if (worth := (one & two).total())
    }
    together: Counter[tuple[_Pair, _Pair]] = Counter()
    for (source, target), one in ours.edges.items():
        for (other_source, other_target), two in theirs.edges.items():
            if worth := (one & two).total():
                first, second = sorted([(source, other_source), (target, other_target)])
                together[first, second] += worth
                if len(together) > MOST_PAIRS:
                    raise Unscored(f"more than {MOST_PAIRS:,} pairs of relations could match")
    return float(_most(alone, together))


class _Graph(NamedTuple):
    """A graph: what each variable relates to by itself, and the relations from one variable to another."""

    alone: list[Counter[Any]]
    edges: dict[_Pair, Counter[Any]]


def _read(triples: list[Any], side: str) -> _Graph:
    places: dict[int, int] = {}
    alone: list[Counter[Any]] = []
    edges: dict[_Pair, Counter[Any]] = defaultdict(Counter)
    for triple in triples:
        if not (isinstance(triple, list) and len(triple) == 3 and type(triple[1]) is int):
            raise Unscored(
                f"the {side} holds {show_value(triple)}, which is no triple of a relation, a variable and more"
            )
        relation, source, target = triple
        for variable in (source, target):
            if type(variable) is int and variable not in places:
                places[variable] = len(places)
                alone.append(Counter())
        if type(target) is int and target != source:
            edges[places[source], places[target]][key_of(relation)] += 1
        else:  # a variable that relates to itself does so by itself, too
            alone[places[source]][key_of([relation, None if type(target) is int else [target]])] += 1
    return _Graph(alone, edges)


def _most(alone: dict[_Pair, int], together: dict[tuple[_Pair, _Pair], int]) -> int:
    """Return the greatest number of triples of two graphs that match, over all ways to pair their variables, in which
    each variable is in at most one pair.

    Args:
        alone: How many triples match if a pair is made.
        together: How many more match if two pairs are both made.

    Raises:
        Unscored: when that takes too many steps.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    pairs = sorted(alone.keys() | {pair for both in together for pair in both})
    if not pairs:
        return 0
    size = len(pairs) + len(together)
    if len(pairs) > MOST_PAIRS or len(together) ** 2 > MOST_DENSE * len(pairs):
        raise Unscored(f"too many pairs could match: {len(pairs):,} of variables, {len(together):,} of relations")
    rows = _Rows(pairs, [*together])
    worth = np.array([*(alone.get(pair, 0) for pair in pairs), *together.values()], dtype=float)
    found = milp(
        -worth,
        integrality=np.arange(size) < len(pairs),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows.matrix(size), -np.inf, np.array(rows.most, dtype=float)),
        options={"mip_rel_gap": 0.0, "node_limit": 1 + _MOST_WORK // size},
    )
    if found.status != 0 or found.x is None:
        raise Unscored("the best match of variables takes too many steps to find")
    chosen = {pair for pair, value in zip(pairs, found.x.tolist(), strict=False) if value > 0.5}
    sums = (worth for both, worth in together.items() if both[0] in chosen and both[1] in chosen)
    return sum(alone.get(pair, 0) for pair in chosen) + sum(sums)


class _Rows:
    """The rows of an integer program whose columns are pairs of variables, then two of them together.

    Args:
        pairs: The pairs of variables.
        both: The pairs of pairs that are worth more together.
    """

    def __init__(self, pairs: list[_Pair], both: list[tuple[_Pair, _Pair]]) -> None:
        self.most: list[int] = []
        self._cells: list[tuple[int, int, int]] = []
        column = {pair: at for at, pair in enumerate(pairs)}
        for side in (0, 1):  # a variable is in one pair at most
            for same in _grouped(((pair[side], at) for pair, at in column.items())).values():
                self._add(same, 1)
        # Of all pairs with one variable at most one stands beside a pair, and only if that is chosen: sums of these
        # bound the program much better than each alone.
        beside = (
            ((one, side, other[side]), len(pairs) + at)
            for at, (first, second) in enumerate(both)
            for one, other in ((first, second), (second, first))
            for side in (0, 1)
        )
        for (one, *_), some in _grouped(beside).items():
            self._add(some, 0, minus=column[one])

    def _add(self, columns: list[int], most: int, minus: int | None = None) -> None:
        row = len(self.most)
        self._cells += [(row, column, 1) for column in columns]
        if minus is not None:
            self._cells.append((row, minus, -1))
        self.most.append(most)

    def matrix(self, size: int) -> Any:
        """Return the rows as a sparse matrix of so many columns."""
        from scipy.sparse import coo_array

        rows, columns, values = zip(*self._cells, strict=True)
        return coo_array((values, (rows, columns)), shape=(len(self.most), size)).tocsr()


def _grouped(items: Any) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = defaultdict(list)
    for name, at in items:
        groups[name].append(at)
    return groups
