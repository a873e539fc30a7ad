"""Formulas for ``aggregate`` and ``pass``: names and types checked, constant conditions found, compiled to closures."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from scoring.compiler.interval import EVERYTHING, UNIT, Interval, Truth, apply, compare
from scoring.compiler.messages import Findings
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.lang import formula as tree
from scoring.result import NotApplicable, Unscored

Scores: TypeAlias = Mapping[str, Any]
Evaluate: TypeAlias = Callable[[Scores], Any]
Reduce: TypeAlias = Callable[[list[float]], float]
Kind: TypeAlias = Literal["number", "truth"]

SCORE = "score"

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
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

    kind: Kind
    evaluate: Evaluate
    interval: Interval = UNIT
    truth: Truth = "unknown"


# Stands for a part that is in error: its range is open, so that no condition on it looks constant.
_WRONG = Compiled("number", lambda _: 0.0, EVERYTHING)


class FormulaCompiler:
    """Compiles the formulas of one task.

    Args:
        fields: The names of its fields, with the range of each.
        findings: Where findings go.
        with_score: Whether ``score`` may be used (in ``pass``, not in ``aggregate``).
    """

    def __init__(self, fields: Mapping[str, Interval], findings: Findings, *, with_score: bool) -> None:
        self._fields = fields
        self._findings = findings
        self._with_score = with_score

    def number(self, formula: tree.Formula) -> Compiled:
        """A formula that yields a number."""
        return self._expect(self._compile(formula), "number", formula.span)

    def condition(self, formula: tree.Formula) -> Compiled:
        """A formula that yields a truth value."""
        return self._expect(self._compile(formula), "truth", formula.span)

    def _compile(self, node: tree.Formula) -> Compiled:
        if isinstance(node, tree.Number):
            value = node.value
            return Compiled("number", lambda _: value, Interval(value, value))
        if isinstance(node, tree.Bool):
            truth = node.value
            return Compiled("truth", lambda _: truth, truth="always" if truth else "never")
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

    def _expect(self, found: Compiled, kind: Kind, span: Span | None) -> Compiled:
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

    def _reference(self, node: tree.Field | tree.ScoreRef) -> Compiled:
        name = SCORE if isinstance(node, tree.ScoreRef) else node.name
        if isinstance(node, tree.ScoreRef) and not self._with_score:
            self._findings.error(
                "unknown-field",
                "`score` is what this formula defines",
                node.span,
                "use field names here",
                help=f"fields: {_listed(self._fields)}",
            )
        elif isinstance(node, tree.Field) and name not in self._fields:
            meant = did_you_mean(name, [*self._fields, SCORE] if self._with_score else list(self._fields))
            self._findings.error(
                "unknown-field",
                f"there is no field `{name}`",
                node.span,
                f"did you mean `{meant}`?" if meant else "",
                help=f"fields: {_listed(self._fields)}",
            )
            return _WRONG
        return Compiled("number", lambda scores: _read(scores, name), self._fields.get(name, UNIT))

    def _unary(self, node: tree.Unary) -> Compiled:
        inner = self._compile(node.x)
        if node.op == "not":
            checked = self._expect(inner, "truth", node.x.span)
            turned: dict[Truth, Truth] = {"always": "never", "never": "always", "unknown": "unknown"}
            return Compiled("truth", lambda scores: not checked.evaluate(scores), truth=turned[checked.truth])
        number = self._expect(inner, "number", node.x.span)
        return Compiled("number", lambda scores: -number.evaluate(scores), apply("-", Interval(0, 0), number.interval))

    def _binary(self, node: tree.Binary) -> Compiled:
        left, right = self.number(node.a), self.number(node.b)
        combine = _ARITHMETIC[node.op]
        if node.op == "/" and right.interval == Interval(0, 0):
            self._findings.error("formula-type", "this divides by 0", node.b.span, help="divide by another number")

        def evaluate(scores: Scores) -> Any:
            try:
                return combine(left.evaluate(scores), right.evaluate(scores))
            except (ZeroDivisionError, OverflowError) as error:
                raise Unscored(f"the formula: {error}") from None

        return Compiled("number", evaluate, apply(node.op, left.interval, right.interval))

    def _comparison(self, node: tree.Compare) -> Compiled:
        left, right = self.number(node.a), self.number(node.b)
        test, truth = _COMPARE[node.op], compare(node.op, left.interval, right.interval)
        if truth != "unknown":
            self._constant(node, truth, left.interval, right.interval)
        return Compiled("truth", lambda scores: test(left.evaluate(scores), right.evaluate(scores)), truth=truth)

    def _constant(self, node: tree.Compare, truth: Truth, left: Interval, right: Interval) -> None:
        verdict = "can never fail" if truth == "always" else "can never hold"
        self._findings.error(
            "constant-condition",
            f"this condition {verdict}",
            node.span,
            f"{left} {node.op} {right} {'always' if truth == 'always' else 'never'} holds",
            help="choose a bound inside the range of the score, or leave the condition out",
        )

    def _boolean(self, node: tree.BoolOp) -> Compiled:
        parts = [self.condition(item) for item in node.items]
        join: Callable[[Any], bool] = all if node.op == "and" else any
        return Compiled("truth", lambda scores: join(part.evaluate(scores) for part in parts))

    def _function(self, node: tree.Function) -> Compiled:
        if node.name not in FUNCTIONS:
            meant = did_you_mean(node.name, FUNCTIONS)
            self._findings.error(
                "unknown-function",
                f"formulas have no function `{node.name}`",
                node.name_span or node.span,
                f"did you mean `{meant}`?" if meant else "",
                help=f"functions: {_listed(FUNCTIONS)}",
            )
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

    def _choice(self, node: tree.Function) -> Compiled:
        test, then, other = self.condition(node.args[0]), self.number(node.args[1]), self.number(node.args[2])
        interval = then.interval.hull(other.interval)
        return Compiled("number", lambda s: then.evaluate(s) if test.evaluate(s) else other.evaluate(s), interval)

    def _call(self, node: tree.Function) -> Compiled:
        parts = [self.number(item) for item in node.args]
        intervals = [part.interval for part in parts]
        if node.name == "abs":
            inner = parts[0]
            return Compiled("number", lambda scores: abs(inner.evaluate(scores)), intervals[0].magnitude())
        join, interval = _JOINS[node.name](intervals)
        return Compiled("number", lambda scores: join([part.evaluate(scores) for part in parts]), interval)


def _mean(values: list[Any]) -> Any:
    return math.fsum(values) / len(values)


def _joins() -> dict[str, Callable[[list[Interval]], tuple[Callable[[list[Any]], Any], Interval]]]:
    def bounds(low: Reduce, high: Reduce, parts: list[Interval]) -> Interval:
        try:
            return Interval(low([part.low for part in parts]), high([part.high for part in parts]))
        except (OverflowError, ValueError):  # what `fsum` says of sums beyond all numbers
            return EVERYTHING

    return {
        "min": lambda parts: (min, bounds(min, min, parts)),
        "max": lambda parts: (max, bounds(max, max, parts)),
        "sum": lambda parts: (math.fsum, bounds(sum, sum, parts)),
        "mean": lambda parts: (_mean, bounds(_mean, _mean, parts)),
    }


_JOINS = _joins()


def _read(scores: Scores, name: str) -> Any:
    value = scores.get(name)
    if value is None:
        raise NotApplicable(f"`{name}` has no score in this record")
    return value


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in names)
