"""Formulas for ``aggregate`` and ``pass``: names and types checked, constant conditions found, compiled to closures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from scoring.compiler.messages import Findings, listed
from scoring.diagnostics.source import Span
from scoring.lang import formula as tree
from scoring.lang.evaluate import SCORE, Evaluation, FormulaWords, Values, evaluation, mean
from scoring.late import dataclass
from scoring.ranges import EVERYTHING, UNIT, ScoreRange, Truth, apply, as_range, compare, joined
from scoring.result import NotApplicable, Unscored, cause_of

Reduce: TypeAlias = Callable[[list[float]], float]
FormulaKind: TypeAlias = Literal["number", "truth"]

# Name -> fewest and most arguments.
FUNCTIONS: dict[str, tuple[int, int]] = {
    "min": (1, 99),
    "max": (1, 99),
    "mean": (1, 99),
    "sum": (1, 99),
    "abs": (1, 1),
    "if": (3, 3),
}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A checked formula: what it is, what it may yield, and how to evaluate it over scores by field name."""

    kind: FormulaKind
    evaluate: Evaluation
    interval: ScoreRange = UNIT
    truth: Truth = "unknown"


@dataclass(frozen=True, slots=True)
class _Checked:
    """A part of a formula: what it is, and what it may yield."""

    kind: FormulaKind
    interval: ScoreRange = UNIT
    truth: Truth = "unknown"


# Stands for a part that is in error: its range is open, so that no condition on it looks constant.
_WRONG = _Checked("number", EVERYTHING)


class FormulaCompiler:
    """Compiles the formulas of one task.

    Args:
        fields: The names of its fields, with the range of each.
        findings: Where findings go.
        score: The range of ``score``, where the formula may use it: in ``pass``, not in ``aggregate``.
    """

    def __init__(
        self, fields: Mapping[str, ScoreRange], findings: Findings, *, score: ScoreRange | None = None
    ) -> None:
        self._fields = fields
        self._findings = findings
        self._score = score

    def number(self, formula: tree.Formula) -> Compiled:
        """A formula that yields a number."""
        return self._compiled(formula, self._number)

    def condition(self, formula: tree.Formula) -> Compiled:
        """A formula that yields a truth value."""
        return self._compiled(formula, self._condition)

    def _compiled(self, formula: tree.Formula, check: Callable[[tree.Formula], _Checked]) -> Compiled:
        before = len(self._findings.diagnostics)
        found = check(formula)
        is_clean = len(self._findings.diagnostics) == before
        evaluate: Evaluation = evaluation(formula, _WORDS) if is_clean else lambda _: 0.0
        return Compiled(found.kind, evaluate, found.interval, found.truth)

    def _number(self, formula: tree.Formula) -> _Checked:
        return self._expect(self._check(formula), "number", formula.span)

    def _condition(self, formula: tree.Formula) -> _Checked:
        return self._expect(self._check(formula), "truth", formula.span)

    def _check(self, node: tree.Formula) -> _Checked:
        if isinstance(node, tree.Number):
            return _Checked("number", as_range(node.value))
        if isinstance(node, tree.Bool):
            return _Checked("truth", truth="always" if node.value else "never")
        if isinstance(node, (tree.Field, tree.ScoreRef)):
            return self._reference(node)
        if isinstance(node, tree.Unary):
            return self._unary(node)
        if isinstance(node, tree.Binary):
            return self._binary(node)
        if isinstance(node, tree.Compare):
            return self._comparison(node)
        if isinstance(node, tree.BoolOp):
            return self._boolean(node)
        return self._function(node)

    def _expect(self, found: _Checked, kind: FormulaKind, span: Span | None) -> _Checked:
        if found.kind == kind:
            return found
        words = {"number": "a number", "truth": "a condition"}
        self._findings.error(
            "formula-type",
            f"this is {words[found.kind]}, where {words[kind]} is wanted",
            span,
            f"expected {words[kind]}",
            help="compare it, for example `score >= 0.8`" if kind == "truth" else "use `if(condition, 1, 0)`",
        )
        return replace(_WRONG, kind=kind)

    def _reference(self, node: tree.Field | tree.ScoreRef) -> _Checked:
        name = SCORE if isinstance(node, tree.ScoreRef) else node.name
        if isinstance(node, tree.ScoreRef) and self._score is None:
            self._findings.error(
                "unknown-field",
                "`score` is what this formula defines",
                node.span,
                "use field names here",
                help=f"fields: {listed(self._fields)}",
            )
        elif isinstance(node, tree.Field) and name not in self._fields:
            known = [*self._fields, SCORE] if self._score is not None else list(self._fields)
            help_text = f"fields: {listed(self._fields)}"
            self._findings.unknown("unknown-field", f"there is no field `{name}`", node.span, name, known, help_text)
            return _WRONG
        if isinstance(node, tree.ScoreRef):
            return _Checked("number", self._score or EVERYTHING)
        return _Checked("number", self._fields[name])

    def _unary(self, node: tree.Unary) -> _Checked:
        if node.op == "not":
            turned: dict[Truth, Truth] = {"always": "never", "never": "always", "unknown": "unknown"}
            return _Checked("truth", truth=turned[self._condition(node.x).truth])
        held = self._number(node.x).interval
        return _Checked("number", ScoreRange(-held.high, -held.low))

    def _binary(self, node: tree.Binary) -> _Checked:
        left, right = self._number(node.a), self._number(node.b)
        if node.op == "/" and right.interval == ScoreRange(0, 0):
            self._findings.error("formula-type", "this divides by 0", node.b.span, help="divide by another number")
        return _Checked("number", _of_pair(node, left.interval, right.interval))

    def _comparison(self, node: tree.Compare) -> _Checked:
        left, right = self._number(node.a), self._number(node.b)
        truth = compare(node.op, left.interval, right.interval)
        if truth != "unknown":
            self._constant(node, truth, left.interval, right.interval)
        return _Checked("truth", truth=truth)

    def _constant(self, node: tree.Compare, truth: Truth, left: ScoreRange, right: ScoreRange) -> None:
        verdict = "can never fail" if truth == "always" else "can never hold"
        self._findings.error(
            "constant-condition",
            f"this condition {verdict}",
            node.span,
            f"{left} {node.op} {right} {'always' if truth == 'always' else 'never'} holds",
            help="choose a bound inside the range of the score, or leave the condition out",
        )

    def _boolean(self, node: tree.BoolOp) -> _Checked:
        truths = {self._condition(item).truth for item in node.items}
        decides: Truth = "never" if node.op == "and" else "always"
        if decides in truths:
            return _Checked("truth", truth=decides)
        return _Checked("truth", truth=truths.pop() if len(truths) == 1 else "unknown")

    def _function(self, node: tree.Function) -> _Checked:
        if node.name not in FUNCTIONS:
            message, help_text = f"formulas have no function `{node.name}`", f"functions: {listed(FUNCTIONS)}"
            span = node.name_span or node.span
            self._findings.unknown("unknown-function", message, span, node.name, FUNCTIONS, help_text)
            return _WRONG
        fewest, most = FUNCTIONS[node.name]
        if not fewest <= len(node.args) <= most:
            wanted = str(fewest) if fewest == most else f"at least {fewest}"
            self._findings.error(
                "formula-type",
                f"`{node.name}` takes {wanted} argument{'' if fewest == 1 else 's'}",
                node.span,
                help=f"here it has {len(node.args)}",
            )
            return _WRONG
        return self._choice(node) if node.name == "if" else self._call(node)

    def _choice(self, node: tree.Function) -> _Checked:
        truth = self._condition(node.args[0]).truth
        then, other = self._number(node.args[1]).interval, self._number(node.args[2]).interval
        return _Checked("number", {"always": then, "never": other, "unknown": then.hull(other)}[truth])

    def _call(self, node: tree.Function) -> _Checked:
        intervals = [self._number(item).interval for item in node.args]
        interval = intervals[0].magnitude() if node.name == "abs" else joined(_REDUCE[node.name], intervals)
        return _Checked("number", interval)


def _of_pair(node: tree.Binary, left: ScoreRange, right: ScoreRange) -> ScoreRange:
    """The range of an operation; of a thing with itself what is known because both are the same number."""
    if node.a == node.b and left.is_finite:
        if node.op == "*":
            return left.square()
        if node.op in "-/":
            return as_range(0.0 if node.op == "-" else 1.0)
    return apply(node.op, left, right)


# With the sums that scores are made with: those round in one direction, and not as others do.
_REDUCE: dict[str, Reduce] = {"min": min, "max": max, "sum": math.fsum, "mean": mean}


def _read(scores: Values, name: str) -> Any:
    value = scores.get(name)
    if value is None:
        raise NotApplicable(f"`{name}` has no score in this record")
    return value


_WORDS = FormulaWords(
    _read,
    {"min": min, "max": max, "sum": math.fsum, "mean": mean, "abs": lambda parts: abs(parts[0])},
    lambda op, error: Unscored(f"the formula has no value at its `{op}`: {cause_of(error)}"),
    {},
)
