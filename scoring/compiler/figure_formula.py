"""A compiled formula over figures: of plain numbers, and of arrays of them, which resamples come as."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scoring.compiler.formula import Compiled
from scoring.compiler.formula_run import WORDS
from scoring.lang import formula as tree
from scoring.lang.evaluate import Evaluation, evaluation
from scoring.late import dataclass
from scoring.ranges import GREATEST
from scoring.result import NotApplicable, Unscored
from scoring.statistics.folds import Fold, fold_values
from scoring.statistics.statistic import Finish, divide


def placed(number: int) -> str:
    """What a formula over figures calls the value of its accumulator of some number: no field is called so."""
    return f"#{number}"


@dataclass(frozen=True, slots=True)
class FigureFormula:
    """A formula whose names are accumulators by their number.

    Args:
        compiled: The formula, in which `placed` names the accumulators.
        folds: The accumulators.
    """

    compiled: Compiled
    folds: tuple[Fold, ...]

    def of(self, values: Sequence[float]) -> float:
        """What it comes to, NaN where it has no value."""
        try:
            found = float(self.compiled.evaluate({placed(number): value for number, value in enumerate(values)}))
        except (Unscored, NotApplicable, ArithmeticError):
            return math.nan
        return found if abs(found) <= GREATEST else math.nan

    @property
    def finish(self) -> Finish:
        """The figure from the columns of its units, added up."""
        folds, of = self.folds, self.of
        if self._ratio():
            return divide
        arrays = _array_form(self.compiled.node)

        def finish(*columns: Any) -> Any:
            values = fold_values(folds, columns, divide)
            return of(values) if isinstance(columns[0], float) else arrays(values) if arrays else _each(of, *values)

        return finish

    def _ratio(self) -> bool:
        """Whether it is a mean, or one sum over another: of these more is known, such as intervals of shares."""
        node = self.compiled.node
        wanted: tree.Formula = tree.Field(placed(0))
        if [fold.kind for fold in self.folds] == ["sum", "sum"]:
            return node == tree.Binary("/", wanted, tree.Field(placed(1)))
        return [fold.kind for fold in self.folds] == ["mean"] and node == wanted


def _quotients(above: Any, below: Any) -> Any:
    import numpy as np

    return divide(above, np.asarray(below))


def _each(function: Callable[..., float], *columns: Any) -> Any:
    """A function of plain numbers, number by number."""
    import numpy as np

    values = [column.tolist() for column in np.broadcast_arrays(*columns)]
    return np.array([function(one) for one in zip(*values, strict=True)], dtype=np.float64)


def _array_form(node: tree.Formula) -> Callable[[Sequence[Any]], Any] | None:
    """A formula over arrays, to the bit as over plain numbers; None for one that has conditions or looks things up."""
    import numpy as np

    known = (tree.Number, tree.Field, tree.Unary, tree.Binary)
    for part in tree.walk_formula(node):
        is_known = isinstance(part, known) or (isinstance(part, tree.Function) and part.name in _OF_ARRAYS)
        if not is_known or (isinstance(part, tree.Unary) and part.op != "-"):
            return None
    operators: dict[str, Callable[[Any, Any], Any]] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": _quotients}
    words = replace(WORDS, functions=_OF_ARRAYS, operators=operators, number=lambda value: value)
    evaluate: Evaluation = evaluation(node, words)

    def of(values: Sequence[Any]) -> Any:
        with np.errstate(all="ignore"):
            found = evaluate({placed(number): value for number, value in enumerate(values)})
            return np.where(np.abs(found) <= GREATEST, found, np.nan)

    return of


def _by_one(function: Callable[[float], float]) -> Callable[[Sequence[Any]], Any]:
    """A function of Python's own, which gives the same bits on every machine and for arrays of any length."""

    def plain(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return math.nan

    def of(arguments: Sequence[Any]) -> Any:
        import numpy as np

        (values,) = arguments
        return np.array([plain(value) for value in np.ravel(values).tolist()], dtype=np.float64)

    return of


def _least(arguments: Sequence[Any]) -> Any:
    import numpy as np

    return np.minimum.reduce(np.broadcast_arrays(*arguments))


def _greatest(arguments: Sequence[Any]) -> Any:
    import numpy as np

    return np.maximum.reduce(np.broadcast_arrays(*arguments))


_OF_ARRAYS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "exp": _by_one(math.exp),
    "log": _by_one(math.log),
    "sqrt": _by_one(math.sqrt),
    "abs": lambda arguments: abs(arguments[0]),
    "min": _least,
    "max": _greatest,
}
