"""Direction of formulas: how a value changes when its inputs grow, and which of its values are better.

A `Growth` is "up", "down", "still" (no change) or "open" (unknown); a `Better` is "higher", "lower", a target number,
or None if unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from scoring.compiler.programs.program import Program
from scoring.lang import formula as tree
from scoring.ranges import Better, Growth, ScoreRange

_FLIPPED: dict[Growth, Growth] = {"still": "still", "up": "down", "down": "up", "open": "open"}
_GROWING = frozenset({"min", "max", "sum", "mean", "exp", "log", "sqrt", "round"})


class Directions:
    """A calculator of how the values of formulas change when their inputs grow, given how each name in them changes
    (``leaf``) and the range of each part (``range_of``)."""

    def __init__(self, leaf: Callable[[tree.Formula], Growth], range_of: Callable[[tree.Formula], ScoreRange]) -> None:
        self._leaf = leaf
        self._range_of = range_of

    def of(self, node: tree.Formula) -> Growth:
        """Return how the value of a formula changes when its inputs grow.

        Examples:
            >>> from scoring.lang.parser import parse_formula
            >>> found = Directions(lambda node: "up", lambda node: ScoreRange(0.0, 1.0))
            >>> found.of(parse_formula("2 - a")), found.of(parse_formula("a * b")), found.of(parse_formula("a / b"))
            ('down', 'up', 'open')
        """
        parts = tree.operands(node)
        if isinstance(node, (tree.Number, tree.Bool, tree.Text)):
            return "still"
        if not parts and not isinstance(node, (tree.Function, tree.ListOf)):
            return self._leaf(node)
        ways = [self.of(part) for part in parts]
        if all(way == "still" for way in ways):
            return "still"
        if isinstance(node, tree.Unary):
            return _FLIPPED[ways[0]]
        if isinstance(node, tree.Binary):
            return self._binary(node, ways)
        if isinstance(node, tree.Compare):
            return self._comparison(node, ways)
        if isinstance(node, (tree.BoolOp, tree.ListOf)):
            return both(*ways)
        return self._function(node, ways) if isinstance(node, tree.Function) else "open"

    def _binary(self, node: tree.Binary, ways: list[Growth]) -> Growth:
        first, second = ways
        if node.op in "+-":
            return both(first, second if node.op == "+" else _FLIPPED[second])
        by_second = self._scaled(first, node.b)
        return both(by_second, self._scaled(second if node.op == "*" else _FLIPPED[second], node.a, node.op, node.b))

    def _scaled(self, way: Growth, factor: tree.Formula, op: str = "*", divisor: tree.Formula | None = None) -> Growth:
        """Return how a product or quotient (``op``) changes, given how one operand changes (``way``) and the formula of
        the other (``factor``); "open" if the ``divisor`` may be 0 or change its sign."""
        if way == "still":
            return "still"
        if op == "/" and divisor is not None and self._sign(divisor) == 0:
            return "open"
        sign = self._sign(factor)
        return way if sign > 0 else _FLIPPED[way] if sign < 0 else "open"

    def _sign(self, node: tree.Formula) -> int:
        interval = self._range_of(node)
        return 1 if interval.low >= 0 else -1 if interval.high <= 0 else 0

    def _comparison(self, node: tree.Compare, ways: list[Growth]) -> Growth:
        difference = both(ways[0], _FLIPPED[ways[1]])
        if node.op in (">", ">="):
            return difference
        if node.op in ("<", "<="):
            return _FLIPPED[difference]
        if node.op not in ("==", "!="):
            return "open"
        # Equal to the greatest there is means at least it.
        one, other = self._range_of(node.a), self._range_of(node.b)
        if other.low == other.high in (one.low, one.high) and ways[1] == "still":
            way = difference if other.low == one.high else _FLIPPED[difference]
            return way if node.op == "==" else _FLIPPED[way]
        return "open"

    def _function(self, node: tree.Function, ways: list[Growth]) -> Growth:
        if node.name in _GROWING:
            return both(*ways)
        if node.name == "clip":
            return ways[0] if ways[1] == ways[2] == "still" else "open"
        if node.name == "abs":
            sign = self._sign(node.args[0])
            return ways[0] if sign > 0 else _FLIPPED[ways[0]] if sign < 0 else "open"
        if node.name != "if":
            return "open"
        test, then, other = ways
        if test == "still":
            return both(then, other)
        low, high = self._range_of(node.args[1]), self._range_of(node.args[2])
        if low.low >= high.high:
            return both(test, then, other)
        return both(_FLIPPED[test], then, other) if low.high <= high.low else "open"


def both(*ways: Growth) -> Growth:
    """Return how a value that depends on several parts grows, given how each of them grows.

    Examples:
        >>> both("still", "up"), both("up", "down"), both()
        ('up', 'open', 'still')
    """
    moved = {way for way in ways if way != "still"}
    return moved.pop() if len(moved) == 1 else "open" if moved else "still"


# ---- which values are better

_GOOD: Mapping[Better, Growth] = {"higher": "up", "lower": "down"}


def goodness(better: Better) -> Growth:
    """Return how the quality of a value changes when the value grows, given which values are better.

    Examples:
        >>> goodness("higher"), goodness("lower"), goodness(None), goodness(1.0)
        ('up', 'down', 'open', 'open')
    """
    return _GOOD.get(better, "open")


def better_of(way: Growth) -> Better:
    """Return which values are better, given how a value changes when its inputs get better; None if that is unknown.

    Examples:
        >>> better_of("down"), better_of("open"), better_of("still")
        ('lower', None, None)
    """
    return next((better for better, known in _GOOD.items() if known == way), None)


def as_weight(interval: ScoreRange) -> ScoreRange:
    """Return the range of a factor, with an unbounded range replaced by [0, inf]: it is taken as a weight or a count.

    Examples:
        >>> str(as_weight(ScoreRange(-math.inf, math.inf))), str(as_weight(ScoreRange(-1.0, 1.0)))
        ('[0, inf]', '[-1, 1]')
    """
    return ScoreRange(0.0, math.inf) if math.isinf(interval.low) and math.isinf(interval.high) else interval


def better_before(figure: Better, way: Growth, otherwise: Better) -> Better:
    """Return which scores are better, given which values of a figure are better and how the figure grows with the
    scores.

    ``otherwise`` is returned where these do not determine it.

    Examples:
        >>> better_before("lower", "up", "higher"), better_before("lower", "down", "lower")
        ('lower', 'higher')
        >>> better_before(0.5, "down", "higher"), better_before("lower", "open", "higher")
        ('higher', 'higher')
    """
    if way == "up":
        return figure
    return better_of(_FLIPPED[goodness(figure)]) if way == "down" and figure in _GOOD else otherwise


def better_score(interval: ScoreRange, made_of: Iterable[Better]) -> Better:
    """Return which scores of a range are better, given which are better for the scores that they are computed from.

    A score with an upper bound is credit, so higher is better. An unbounded score follows its parts (a sum of distances
    is a distance), and the result is None if they disagree.

    Examples:
        >>> better_score(ScoreRange(0.0, 1.0), ["lower"]), better_score(ScoreRange(0.0, math.inf), ["lower"])
        ('higher', 'lower')
        >>> better_score(ScoreRange(0.0, math.inf), []), better_score(ScoreRange(0.0, math.inf), ["lower", "higher"])
        ('higher', None)
    """
    found = {*made_of}
    if math.isfinite(interval.high) or not found:
        return "higher"
    return found.pop() if len(found) == 1 else None


def better_of_scorer(program: Program, interval: ScoreRange) -> Better:
    """Return which scores of a scorer with the range ``interval`` are better, from what its comparators declare about
    theirs."""
    comparators = (node.primitive for node in program.all_nodes() if node.primitive.kind == "comparator")
    return better_score(interval, ("lower" if one.better == "lower" else "higher" for one in comparators))


def better_of_formula(
    node: tree.Formula,
    interval: ScoreRange,
    fields: Mapping[str | None, Better],
    range_of: Callable[[tree.Formula], ScoreRange],
) -> Better:
    """Return which values of a formula over a record's scores are better, given which are better for each of
    ``fields``: the higher ones, unless a part of the formula is a distance.

    ``interval`` is the range of the formula's value; ``range_of`` returns the range of one part.
    """
    if math.isfinite(interval.high):
        return "higher"

    def leaf(part: tree.Formula) -> Growth:
        if isinstance(part, tree.Field):
            return goodness(fields.get(part.name))
        return goodness(fields.get(None)) if isinstance(part, tree.ScoreRef) else "still"

    way = Directions(leaf, lambda part: as_weight(range_of(part))).of(node)
    credit = all(better == "higher" for better in fields.values())
    return "higher" if way == "still" or (way == "open" and credit) else better_of(way)
