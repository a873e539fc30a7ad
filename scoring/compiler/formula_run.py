"""What formulas over records read, and what is said of those that have no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.compiler.formula_calls import FormulaKind
from scoring.compiler.row import read_path
from scoring.lang import formula as tree
from scoring.lang.evaluate import Evaluation, FormulaWords, Values, evaluation
from scoring.lang.functions import FUNCTIONS, NoValue, WrongKind, failure_of, number, truth
from scoring.lang.tree import Path
from scoring.result import NotApplicable, Unscored

ROW = "the row"
"""Under which the values of a formula hold the row that its paths read: no field is called so, see `Compiled`."""


def _read(values: Values, name: str) -> Any:
    value = values.get(name)
    if value is None:
        raise NotApplicable(f"`{name}` has no score in this record")
    return value


def _read_path(values: Values, path: Path) -> Any:
    return read_path(path, values[ROW])


def _score(value: Any) -> Any:
    return float(value) if isinstance(value, bool) else number(value)


_CHECKS: dict[FormulaKind, Callable[[Any], Any]] = {"number": number, "truth": truth, "any": _score}


def held_to(kind: FormulaKind, node: tree.Formula) -> Evaluation:
    """The evaluation of a formula, which gives a value of its kind also where that is what a record holds.

    Its values are those that `Compiled` describes.
    """
    evaluate = evaluation(node, WORDS)
    is_open = any(isinstance(part, Path | tree.Index) for part in tree.walk_formula(node))
    check: Callable[[Any], Any] | None = _CHECKS.get(kind) if is_open else None
    if check is None:
        return evaluate
    wanted = check

    def checked(values: Values) -> Any:
        found = evaluate(values)
        try:
            return wanted(found)
        except (NoValue, WrongKind) as error:
            raise Unscored(f"the formula gives no value: {error}") from None

    return checked


WORDS = FormulaWords(_read, _read_path, {name: found.join for name, found in FUNCTIONS.items()}, failure_of)
"""What formulas over records read; their values are those that `Compiled` describes."""
