"""Checked parts of formulas: their kinds, their ranges, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.lang import formula as tree
from scoring.lang.evaluation import (
    Evaluation,
    FormulaWords,
    Join,
    NoValue,
    Values,
    WrongKind,
    evaluation,
    failure_of,
    require_number,
    truth,
)
from scoring.lang.tree import Path
from scoring.ranges import EVERYTHING, UNIT, ScoreRange, Truth
from scoring.result import NotApplicable, Unscored
from scoring.values import BOOL, NUMBER, SCORE, TEXT, Type

FormulaKind: TypeAlias = Literal["number", "truth", "text", "list", "any"]


class FormulaPart(Struct, frozen=True):
    """A checked part of a formula: kind, tree with names resolved, range, and whether it is always or never true.

    For a list, and for a value that may be a list, ``interval`` is the range of its items; ``parts`` are the items if
    the formula writes them out.
    """

    kind: FormulaKind
    node: tree.Formula
    interval: ScoreRange = UNIT
    truth: Truth = "unknown"
    parts: tuple[FormulaPart, ...] = ()

    def of(self, node: tree.Formula) -> FormulaPart:
        """Return a copy of the part with ``node`` as its tree."""
        return replace(self, node=node)


# Stands for a part that is in error: its range is open, so that no condition on it looks constant.
WRONG = FormulaPart("number", tree.Field("a part in error"), EVERYTHING)
ANYTHING = FormulaPart("any", tree.Field("a value of the record"), EVERYTHING)


def formula_kind(type_: Type) -> FormulaKind:
    """Return the kind that values of a type have in formulas.

    Examples:
        >>> formula_kind(TEXT), formula_kind(Type("Dict", (TEXT, TEXT)))
        ('text', 'any')
    """
    known: dict[str, FormulaKind] = {"List": "list", TEXT.name: "text", BOOL.name: "truth"}
    return "number" if type_ in (NUMBER, SCORE) else known.get(type_.name, "any")


def common_kind(parts: Sequence[FormulaPart]) -> FormulaKind:
    """Return the common kind of some parts, or "any" if their kinds differ."""
    kinds = {part.kind for part in parts}
    return kinds.pop() if len(kinds) == 1 else "any"


def each_item(
    node: tree.Formula, parts: Sequence[FormulaPart], ranges: Callable[[list[ScoreRange]], ScoreRange]
) -> FormulaPart:
    """Return the formula part for an operation (``node``) on ``parts``: numbers, or lists to whose items it is applied.

    ``ranges`` computes the range of the result for numbers from the ranges of the operands.
    """
    interval = ranges([part.interval for part in parts])
    kinds = {part.kind for part in parts}
    if "list" in kinds:
        sizes = {len(part.parts) for part in parts if part.kind == "list"}
        size = sizes.pop() if len(sizes) == 1 and "any" not in kinds else 0
        return FormulaPart("list", node, interval, parts=(FormulaPart("number", node, interval),) * size)
    return FormulaPart("any" if "any" in kinds else "number", node, interval)


ROW = "the row"
"""Under which the values of a formula hold the row that its paths read: no field is called so, see `Compiled`."""


def _read(values: Values, name: str) -> Any:
    value = values.get(name)
    if value is None:
        raise NotApplicable(f"`{name}` has no score in this record")
    return value


def _read_path(values: Values, path: Path) -> Any:
    from scoring.compiler.programs.expression_values import read_path

    return read_path(path, values[ROW])


def _function(name: str) -> Join:
    from scoring.lang.functions import FUNCTIONS  # what only a formula that calls one needs

    return FUNCTIONS[name].join


def _score(value: Any) -> Any:
    return float(value) if isinstance(value, bool) else require_number(value)


_CHECKS: dict[FormulaKind, Callable[[Any], Any]] = {"number": require_number, "truth": truth, "any": _score}


def checked_evaluation(kind: FormulaKind, node: tree.Formula) -> Evaluation:
    """Return a function that evaluates a formula, and raises Unscored if a value of the record is not of the expected
    kind.

    The function takes a mapping of scores by field name, with the record's score under `SCORE` and its row under `ROW`.
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


WORDS = FormulaWords(_read, _read_path, _function, failure_of)
"""The readers of formulas over records; `Compiled` describes their values."""
