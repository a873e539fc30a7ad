"""Checked parts of formulas: their kinds, their ranges, the functions that they call, and their evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from scoring.compiler.programs.expression_values import read_path
from scoring.compiler.programs.messages import Findings
from scoring.lang import formula as tree
from scoring.lang.functions import (
    FUNCTIONS,
    Evaluation,
    FormulaWords,
    NoValue,
    Values,
    WrongKind,
    evaluation,
    failure_of,
    require_number,
    truth,
)
from scoring.lang.tree import Path
from scoring.ranges import EVERYTHING, UNIT, ScoreRange, Truth, apply, as_range, hull, joined_range
from scoring.result import NotApplicable, Unscored
from scoring.values import BOOL, NUMBER, SCORE, TEXT, Type

FormulaKind: TypeAlias = Literal["number", "truth", "text", "list", "any"]


@dataclass(frozen=True, slots=True)
class FormulaPart:
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


def call_range(node: tree.Function, parts: Sequence[FormulaPart], findings: Findings) -> ScoreRange:
    """Return the range of a function call's value, given its checked arguments; report a call that can never have a
    value."""
    name, intervals = node.name, [part.interval for part in parts]
    if name in _GROWING:
        known = _numbers(parts)
        found = joined_range(_GROWING[name], known)
        if all(part.kind == "number" or part.parts for part in parts):
            return found
        # Of a list that may be empty beside other numbers nothing is left.
        return _any_sum(known) if name == "sum" else found if len(parts) == 1 else hull(known)
    if name == "argmax":
        known = _numbers(parts)
        is_known = all(part.kind == "number" or part.parts for part in parts)
        return ScoreRange(0.0, float(len(known) - 1) if is_known else math.inf)
    if name == "length":
        (part,) = parts
        if part.kind in ("number", "truth") and part.node is not WRONG.node:
            findings.error("formula-type", "only texts, lists and mappings have a length", node.args[0].span)
        return as_range(len(part.parts)) if part.parts else ScoreRange(0.0, math.inf)
    if name == "dot":
        return _dot(node, parts, findings)
    if name == "abs":
        return intervals[0].magnitude()
    if name in _LEAST:
        return _with_domain(node, intervals[0], findings)
    if name == "clip" and intervals[1].low > intervals[2].high:
        findings.error("formula-type", f"no number is between {intervals[1]} and {intervals[2]}", node.span)
        return EVERYTHING
    if name == "round" and len(parts) == 2 and not isinstance(parts[1].node, tree.Number):
        findings.error("formula-type", "the digits of `round` must be a number, such as 2", node.args[1].span)
        return EVERYTHING
    return joined_range(lambda values: FUNCTIONS[name].join(values), intervals)


# What grows with each of its numbers, so that its ends are those of the numbers' ends.
_GROWING: dict[str, Callable[[list[float]], float]] = {
    name: FUNCTIONS[name].join for name in ("min", "max", "sum", "mean")
}
# Functions that have no value for low numbers: the first for which they have none, and whether it is the last of them.
_LEAST = {"log": (0.0, False), "sqrt": (0.0, True)}


def _numbers(parts: Sequence[FormulaPart]) -> list[ScoreRange]:
    """Return the ranges of all numbers among some arguments; a list of unknown length counts as one number."""
    found: list[ScoreRange] = []
    for part in parts:
        items = [item.interval if item.kind == "number" else EVERYTHING for item in part.parts]
        found.extend(items or [part.interval])
    return found


def _any_sum(known: Sequence[ScoreRange]) -> ScoreRange:
    """Return the range of a sum of any count of numbers in ``known`` ranges, including none, whose sum is 0."""
    low, high = min(one.low for one in known), max(one.high for one in known)
    return ScoreRange(0.0 if low >= 0 else -math.inf, 0.0 if high <= 0 else math.inf)


def _dot(node: tree.Function, parts: Sequence[FormulaPart], findings: Findings) -> ScoreRange:
    for part, written in zip(parts, node.args, strict=True):
        if part.kind not in ("list", "any"):
            findings.error("formula-type", "`dot` takes two lists of numbers", written.span, "expected a list")
            return EVERYTHING
    one, other = (_numbers([part]) for part in parts)
    if not all(part.parts for part in parts):
        return EVERYTHING
    if len(one) != len(other):
        findings.error("formula-type", f"the lists have {len(one)} and {len(other)} numbers", node.span)
        return EVERYTHING
    return joined_range(math.fsum, [apply("*", a, b) for a, b in zip(one, other, strict=True)])


def _with_domain(node: tree.Function, interval: ScoreRange, findings: Findings) -> ScoreRange:
    least, is_within = _LEAST[node.name]
    if interval.high < least or (interval.high == least and not is_within):
        what = "logarithm" if node.name == "log" else "square root"
        findings.error("formula-type", f"there is no {what} of {interval}", node.args[0].span, "no number above 0")
        return EVERYTHING

    def end(values: list[float]) -> float:
        try:
            return float(FUNCTIONS[node.name].join(values))
        except NoValue:  # the logarithm of 0, to which those of numbers near it lead
            return -math.inf

    return joined_range(end, [interval.within(least, math.inf)])


# ---- what formulas over records read, and what is said of those that have no value

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


WORDS = FormulaWords(_read, _read_path, {name: found.join for name, found in FUNCTIONS.items()}, failure_of)
"""The readers of formulas over records; `Compiled` describes their values."""
