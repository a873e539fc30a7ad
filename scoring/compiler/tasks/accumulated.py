"""What a formula over a data set is compiled to: its accumulators, and the figures that are computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from scoring.compiler.formulas.direction import Directions, as_weight
from scoring.compiler.formulas.figure_formula import FigureFormula, placed
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.identity.meaning import formula_meaning
from scoring.compiler.programs.messages import Findings
from scoring.format.measures import ACCUMULATORS
from scoring.lang import formula as tree
from scoring.ranges import EVERYTHING, Growth, ScoreRange
from scoring.statistics.accumulators import Fold, FoldKind, RowFold


class Accumulated(Struct, frozen=True):
    """A compiled accumulator: its statistic (`fold`), its range, how it changes when scores grow (`way`), and its
    canonical data for digests (`meaning`).

    ``each`` is the range of what one record may add to a sum, None if the accumulator is not a sum; ``is_all`` is true
    if the accumulator counts every record.
    """

    fold: Fold
    interval: ScoreRange
    way: Growth
    meaning: Any
    each: ScoreRange | None = None
    is_all: bool = False


class FigureLevel(Struct, frozen=True):
    """A compiled formula over accumulators, either of all records or, inside `per`, of one group."""

    figure: FigureFormula
    added: tuple[Accumulated, ...]
    quality: bool = False

    @property
    def meaning(self) -> list[Any]:
        """The formula and its accumulators as plain data, for the digest of the meaning."""
        return ["formula", formula_meaning(self.figure.compiled.node), [one.meaning for one in self.added]]

    @property
    def interval(self) -> ScoreRange:
        """The range of possible values of the figure.

        A sum divided by the count of all records gets the range of one record's value, although both parts are
        unbounded.
        """
        node = self.figure.compiled.node
        if isinstance(node, tree.Binary) and node.op == "/" and len(self.added) == 2:
            above, below = self.added
            if below.is_all and above.each is not None and node.a == tree.Field(placed(0)):
                return above.each.hull(0.0) if above.fold.items == below.fold.items else self.figure.compiled.interval
        return self.figure.compiled.interval

    @property
    def way(self) -> Growth:
        """The change of the figure when scores grow, or, if ``quality`` is set, when scores get better."""
        interval_of = as_weight if self.quality else lambda interval: interval
        names = {placed(number): one.way for number, one in enumerate(self.added)}
        ranges = {placed(number): one.interval for number, one in enumerate(self.added)}
        return Directions(
            lambda node: names.get(node.name, "open") if isinstance(node, tree.Field) else "still",
            lambda node: interval_of(FormulaCompiler(ranges, Findings(), roots=()).value(node).interval),
        ).of(self.figure.compiled.node)


def range_of_added(name: str, interval: ScoreRange) -> ScoreRange:
    """Return the range of the accumulator ``name``, such as `sum`, of values within a range."""
    if name != "sum":
        return interval
    return ScoreRange(-math.inf if interval.low < 0 else 0.0, math.inf if interval.high > 0 else 0.0)


def is_there(figure: FigureFormula, values: Sequence[Any]) -> Any:
    """Return 1 if ``figure`` has a value for a group, else NaN; ``values`` are those of the group's accumulators, which
    may be arrays."""
    return figure.of(values) * 0.0 + 1.0


def name_of_figure(node: tree.Field | tree.Text) -> str:
    """Return the name of a figure that a formula names as a bare word or in quotes."""
    return node.name if isinstance(node, tree.Field) else node.value


def is_accumulator(node: tree.Function) -> bool:
    """Tell whether a call accumulates over records; `min(a, b)` of two figures does not, but is the smaller
    of the two.
    """
    if node.name == "majority":
        return len(node.args) == 2
    return node.name in ACCUMULATORS and len(node.args) in ((0, 1) if node.name == "count" else (1,))


def reads_score(compiled: Compiled) -> bool:
    """Tell whether a formula reads the score of the record."""
    return any(isinstance(part, tree.ScoreRef) for part in tree.walk_formula(compiled.node))


UPWARDS = ScoreRange(0.0, math.inf)
KINDS: dict[str, FoldKind] = {"sum": "sum", "count": "sum", "mean": "mean", "min": "min", "max": "max"}
NOTHING_ADDED = Accumulated(RowFold("sum", 0), EVERYTHING, "open", None)
