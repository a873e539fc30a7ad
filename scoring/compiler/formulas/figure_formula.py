"""Compute a figure from its sums by a formula: from plain numbers, or from arrays of them, as resamples are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.formulas.formula import Compiled
from scoring.compiler.formulas.formula_parts import WORDS
from scoring.lang import formula as tree
from scoring.lang.evaluation import Evaluation, evaluation
from scoring.ranges import GREATEST
from scoring.result import NotApplicable, Unscored
from scoring.statistics.accumulators import Fold, fold_values
from scoring.statistics.statistic import Finish, divide


def placed(number: int) -> str:
    """Return the name that the accumulator with the index ``number`` has in a formula; no field can have that name."""
    return f"#{number}"


class FigureFormula(Struct, frozen=True):
    """A formula over accumulators (``folds``), such as sums over all records, which it refers to by names; see
    `placed`."""

    compiled: Compiled
    folds: tuple[Fold, ...]

    def of(self, values: Sequence[Any]) -> Any:
        """Return the value of the formula for the values of its accumulators, which may be arrays; NaN if there is
        none."""
        if isinstance(values[0], np.ndarray):
            arrays = _array_form(self.compiled.node)
            return arrays(values) if arrays else _each(self.of, *values)
        try:
            found = float(self.compiled.evaluate({placed(number): value for number, value in enumerate(values)}))
        except (Unscored, NotApplicable, ArithmeticError):
            return math.nan
        return found if abs(found) <= GREATEST else math.nan

    @property
    def finish(self) -> Finish:
        """Return the function that computes the figure from the summed columns of its accumulators."""
        folds, of = self.folds, self.of
        if self._ratio():
            return divide
        return lambda *columns: of(fold_values(folds, columns, divide))

    def _ratio(self) -> bool:
        """Tell whether the formula is a mean or a quotient of two sums, for which there are known methods for intervals
        of proportions."""
        node = self.compiled.node
        wanted: tree.Formula = tree.Field(placed(0))
        if [fold.kind for fold in self.folds] == ["sum", "sum"]:
            return node == tree.Binary("/", wanted, tree.Field(placed(1)))
        return [fold.kind for fold in self.folds] == ["mean"] and node == wanted


def _each(function: Callable[..., float], *columns: Any) -> Any:
    """Apply a function of plain numbers to the corresponding items of arrays; return an array of its results."""
    values = [column.tolist() for column in np.broadcast_arrays(*columns)]
    return np.array([function(one) for one in zip(*values, strict=True)], dtype=np.float64)


def _array_form(node: tree.Formula) -> Callable[[Sequence[Any]], Any] | None:
    """Return a formula as a function of arrays whose results equal those for plain numbers bit by bit.

    Return None for a formula with conditions or lookups.
    """
    known = (tree.Number, tree.Field, tree.Unary, tree.Binary)
    for part in tree.walk_formula(node):
        is_known = isinstance(part, known) or (isinstance(part, tree.Function) and part.name in _OF_ARRAYS)
        if not is_known or (isinstance(part, tree.Unary) and part.op != "-"):
            return None
    operators: dict[str, Callable[[Any, Any], Any]] = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": lambda above, below: divide(above, np.asarray(below)),
    }
    words = replace(WORDS, function=_OF_ARRAYS.__getitem__, operators=operators, number=lambda value: value)
    evaluate: Evaluation = evaluation(node, words)

    def of(values: Sequence[Any]) -> Any:
        with np.errstate(all="ignore"):
            found = evaluate({placed(number): value for number, value in enumerate(values)})
            return np.where(np.abs(found) <= GREATEST, found, np.nan)

    return of


def _by_one(function: Callable[[float], float]) -> Callable[[Sequence[Any]], Any]:
    """Return a function of arrays that applies one of Python's own functions item by item.

    Its results, unlike those of numpy, have the same bits on every machine and for arrays of any length.
    """

    def plain(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return math.nan

    def of(arguments: Sequence[Any]) -> Any:
        (values,) = arguments
        return np.array([plain(value) for value in np.ravel(values).tolist()], dtype=np.float64)

    return of


_OF_ARRAYS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "exp": _by_one(math.exp),
    "log": _by_one(math.log),
    "sqrt": _by_one(math.sqrt),
    "abs": lambda arguments: abs(arguments[0]),
    "min": lambda arguments: np.minimum.reduce(np.broadcast_arrays(*arguments)),
    "max": lambda arguments: np.maximum.reduce(np.broadcast_arrays(*arguments)),
}
