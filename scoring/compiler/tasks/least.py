"""The score of a failure under the policy `zero`: the worst that the record could have scored with any answer.

A failed field counts the end of its range that is worse for the record. If a higher score of the field may raise or
lower the record's score, neither end has to be the worst: then the aggregate formula is evaluated over the field's
whole range, and the record counts the worst result. Where the formula has no value, or has none for some scores of the
failed field, that is the worst over all scores of all fields, so that no answer is better left out. It passes only if
it would pass with any answer. The worst score is the lowest, but the greatest where lower is better (distances), and
the one farthest off where there is a target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from scoring.compiler.checks.compared import CompiledField
from scoring.compiler.formulas.direction import Directions, both
from scoring.compiler.formulas.formula import Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_parts import ROW, WORDS
from scoring.compiler.formulas.ranges import aggregate_range, range_of
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.compiler.tasks.fields import is_counted
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.format.model import TaskSpec
from scoring.lang import formula as tree
from scoring.lang.evaluation import SCORE, evaluation
from scoring.lang.tree import Path
from scoring.ranges import UNIT, Better, Growth, ScoreRange, as_range
from scoring.result import FieldResult
from scoring.values import Type

if TYPE_CHECKING:
    from scoring.compiler.tasks.formula_fields import FormulaField

MAX_FOLLOWED = 1_000_000
# The parts of formulas that may have no value, and whether there is none for some numbers of an operand's range.
_NO_VALUE: dict[str, Callable[[ScoreRange], bool]] = {
    "/": lambda divisor: divisor.low <= 0 <= divisor.high,
    "log": lambda number: number.low <= 0,
    "sqrt": lambda number: number.low < 0,
}
_ANSWERED = frozenset({"prediction", "parsed", "values"})
_TURNED: dict[Growth, Growth] = {"still": "still", "up": "down", "down": "up", "open": "open"}


class LeastScore(Struct, frozen=True, dict=True):
    """The scores that failures get in one task.

    Args:
        spec: The task.
        ranges: The range of each field's score.
        score: The range of a record's score.
        formulas: The fields that are formulas, each after those that it reads.
        aggregate: The formula or the program that combines the fields' scores.
        passes: The condition under which a record passes, None if the task has none.
        values: The names, other than those of fields, that formulas may use.
        better: Which scores of a record are better.
    """

    spec: TaskSpec
    ranges: Mapping[str, ScoreRange]
    score: ScoreRange
    formulas: Sequence[FormulaField]
    aggregate: Compiled | Program
    passes: Compiled | None
    values: Mapping[str, tuple[Path, Type]]
    better: Better = "higher"

    def worst(self, interval: ScoreRange) -> float:
        """Return the worse end of a range of record scores; it may be infinite."""
        if isinstance(self.better, (int, float)):
            return max(interval.low, interval.high, key=lambda end: abs(end - float(self.better or 0.0)))
        return interval.high if self.better == "lower" else interval.low

    def up_to(self, value: float) -> ScoreRange:
        """Return the range of scores that are no worse than a value; all scores if a target value is the best score."""
        if isinstance(self.better, (int, float)):
            return self.score
        return ScoreRange(self.score.low, value) if self.better == "lower" else ScoreRange(value, self.score.high)

    @property
    def value(self) -> float | None:
        """The worst score that a record can have, which counts for a record that failed as a whole; None if it is
        infinite."""
        found = self.worst(self.score)
        return found if math.isfinite(found) else None

    def of_field(self, name: str) -> float | None:
        """Return the score with which a failure of the field ``name`` counts: the end of the field's range that is
        worse for the record, or None if that end is infinite."""
        interval, way = self.ranges[name], self.ways[name]
        turned = "down" if self.worst(self.score) == self.score.low else "up"
        end = interval.high if way == turned else interval.low
        return end if math.isfinite(end) else None

    def is_sure(self, name: str) -> bool:
        """Tell whether the score of a failed field from `of_field` always gives the record its worst possible score."""
        return self.ways[name] == "still" or (self.ways[name] != "open" and self.of_field(name) is not None)

    @cached_property
    def lacking(self) -> frozenset[str]:
        """The fields for some scores of which a formula may have no value."""
        nodes = [one.compiled.node for one in self.formulas]
        nodes += [self.aggregate.node] if isinstance(self.aggregate, Compiled) else []
        risky = [operand for node in nodes for part in tree.walk_formula(node) for operand in self._risky(part)]
        asked = {one.name for operand in risky for one in _leaves(operand) if isinstance(one, tree.Field)}
        return frozenset(name for name in self.ranges if asked and not asked.isdisjoint(self._moved(name)))

    def _risky(self, node: tree.Formula) -> list[tree.Formula]:
        """Return the last operand of a part of a formula if the part has no value for some numbers of its range."""
        name = getattr(node, "op", "") or getattr(node, "name", "")
        last = tree.operands(node)[-1:] if name in _NO_VALUE else ()
        return [operand for operand in last if _NO_VALUE[name](self._range(operand))]

    @property
    def rises(self) -> bool:
        """Whether raising a record's score can only help it to pass."""
        if self.passes is None:
            return True

        def leaf(node: tree.Formula) -> Growth:
            return "up" if isinstance(node, tree.ScoreRef) else "still"

        return Directions(leaf, self._range).of(self.passes.node) in ("up", "still")

    def could_be(self, fields: Mapping[str, FieldResult], row: RowValues, *, whole: bool = False) -> ScoreRange:
        """Return the range of a record's score if its fields that failed, or all (``whole``), may have any score."""
        if not isinstance(self.aggregate, Compiled):
            return self.score
        there = {name: self.ranges[name] for name, field in fields.items() if field.status != "not_applicable"}
        known = there if whole else self._known(fields, row)
        found = _interval(self.aggregate, known, row, self.values).rounded()
        return ScoreRange(max(found.low, self.score.low), min(found.high, self.score.high))

    def where(self, ranges: Mapping[str, ScoreRange]) -> ScoreRange:
        """Return the range of a record's score, given the ranges of its fields, for any row."""
        if isinstance(self.aggregate, Compiled):
            return _interval(self.aggregate, ranges, NO_ROW, self.values)
        return aggregate_range(self.aggregate, [*ranges.values()])

    def passes_anyway(self, fields: Mapping[str, FieldResult], score: ScoreRange, row: RowValues) -> bool:
        """Tell whether a record passes whatever its failed fields score; ``score`` is the range of its own score."""
        if self.passes is None:
            return False
        known = self._known(fields, row)
        node = _filled(self.passes.node, known, row, score)
        return FormulaCompiler(known, Findings(), of_score=score, values=self.values).condition(node).truth == "always"

    def _known(self, fields: Mapping[str, FieldResult], row: RowValues) -> dict[str, ScoreRange]:
        """Return the range of each applicable field: a single value, or all possible values if the field failed."""
        failed = {name for name, field in fields.items() if is_counted(self.spec, field.outcome)}
        there = {name: field.score for name, field in fields.items() if field.status != "not_applicable"}
        known = {
            name: self.ranges[name] if name in failed or value is None else as_range(value)
            for name, value in there.items()
        }
        for one in self.formulas:
            if one.name in known and failed & one.compiled.fields:
                failed.add(one.name)
                known[one.name] = _interval(one.compiled, known, row, self.values)
        return known

    @cached_property
    def ways(self) -> dict[str, Growth]:
        """The direction in which the record's score moves when the score of a field grows, for each field.

        Raises:
            SpecError: spec-too-large.
        """
        steps = {one.name: 2 + sum(1 for _ in tree.walk_formula(one.compiled.node)) for one in self.formulas}
        ways: dict[str, Growth] = {}
        followed = 0
        for name in self.ranges:
            moved = self._moved(name)
            followed += sum(steps.get(one, 0) for one in moved)
            if followed > MAX_FOLLOWED:
                message = f"following each field through the formulas takes more than {MAX_FOLLOWED:,} steps"
                raise SpecError.of("spec-too-large", message, self.spec.span, help="let fewer formulas read others")
            ways[name] = self._way(moved)
        return ways

    def _way(self, moved: Mapping[str, Growth]) -> Growth:
        """Return how the record's score changes when the scores of some fields change so."""
        if isinstance(self.aggregate, Compiled):
            return self._of_formula(self.aggregate, moved)
        join = self.aggregate.join
        is_weighed = join is not None and "unweighted" not in join.primitive.traits
        ways = [way for one, way in moved.items() if one in self.ranges and (self._weights.get(one) or not is_weighed)]
        return _of_program(self.aggregate, both(*ways))

    @cached_property
    def _weights(self) -> dict[str, float]:
        return {field.name: field.weight for field in self.spec.fields}

    def _moved(self, name: str) -> dict[str, Growth]:
        """Return how the scores of the fields that depend on the field ``name`` change when its score grows."""
        moved: dict[str, Growth] = {name: "up"}
        for one in self.formulas:
            if not moved.keys().isdisjoint(one.compiled.fields):
                moved[one.name] = self._of_formula(one.compiled, moved)
        return moved

    def _of_formula(self, compiled: Compiled, moved: Mapping[str, Growth]) -> Growth:
        def leaf(node: tree.Formula) -> Growth:
            return moved.get(node.name, "still") if isinstance(node, tree.Field) else "still"

        return Directions(leaf, self._range).of(compiled.node)

    def _range(self, node: tree.Formula) -> ScoreRange:
        return FormulaCompiler(self.ranges, Findings(), of_score=self.score, values=self.values).value(node).interval


def _of_program(program: Program, way: Growth) -> Growth:
    """Return how the result of an aggregator and its rescorers changes when the scores change in direction ``way``."""
    if program.join is None or "monotone" not in program.join.primitive.laws:
        return "still" if way == "still" else "open"
    for step in program.rescorers:
        laws = step.primitive.laws
        way = way if "monotone" in laws or way == "still" else _TURNED[way] if "antitone" in laws else "open"
    return way


def _interval(
    compiled: Compiled, known: Mapping[str, ScoreRange], row: RowValues, values: Mapping[str, tuple[Path, Type]]
) -> ScoreRange:
    """Return the range of a formula's value, given the ranges of fields (``known``) and the row of a record."""
    node = _filled(compiled.node, known, row)
    found = FormulaCompiler(known, Findings(), values=values).score(node)
    sure = {"always": as_range(1.0), "never": as_range(0.0), "unknown": UNIT}
    return sure[found.truth] if found.kind == "truth" else found.interval


def _filled(
    node: tree.Formula, known: Mapping[str, ScoreRange], row: RowValues, score: ScoreRange | None = None
) -> tree.Formula:
    """Return a formula with each part of known value, from ranges of one number (``known``, by field, and ``score``) or
    from the row, replaced by a constant; a part that can't be evaluated stays as it is."""
    intervals = {**known, **({SCORE: score} if score is not None else {})}
    values = {name: one.low for name, one in intervals.items() if one.low == one.high}
    names = {SCORE if isinstance(part, tree.ScoreRef) else getattr(part, "name", "") for part in _leaves(node)}
    if names <= {*values, ""}:
        try:
            found = evaluation(node, WORDS)({**values, ROW: row})
        except Exception:  # whatever it fails at, it is not known
            found = None
        if isinstance(found, bool):
            return tree.Bool(found, node.span)
        if isinstance(found, (int, float)) and math.isfinite(found):
            size = tree.Number(abs(found), node.span)
            return size if found >= 0 else tree.Unary("-", size, node.span)
    return tree.with_operands(node, [_filled(part, known, row, score) for part in tree.operands(node)])


def _leaves(node: tree.Formula) -> list[tree.Formula]:
    return [part for part in tree.walk_formula(node) if isinstance(part, (tree.Field, tree.ScoreRef))]


# ---- what `check` says of it


def check_zeros(spec: TaskSpec, fields: Sequence[CompiledField], least: LeastScore, findings: Findings) -> None:
    """Report policies `zero` that leave a failure without a worst score, or count it as the best value of a distance;
    ``fields`` are those that compare values."""
    scorers = {one.spec.name: range_of(one.program) for one in fields}
    lacking = {one.spec.name for one in fields if one.may_be_missing and not one.prediction.is_computed}
    lowest = f"where an answer may score {least.worst(least.score):g}"
    for field in spec.fields:
        counted = [name for name, counts in _policies(spec, field.name in lacking).items() if counts]
        if field.name not in least.ways or not counted:
            continue
        if least.value is None and not least.is_sure(field.name) and least.of_field(field.name) is None:
            found = least.where({**least.ranges, field.name: as_range(0.0)})
            top = found.low if least.worst(found) == found.high else found.high
            message = f"of `{field.name}` as 0 the record could score {top:g}, {lowest}"
            _no_least(message, counted[0], field.span, findings)
        own = scorers.get(field.name)  # none where the scorer has a mistake
        if own is not None and own.low >= 0 and own.high == math.inf and least.of_field(field.name) == 0.0:
            findings.diagnostics.warning(
                "bad-value",
                f"`{counted[0]}: zero` makes a failure the best score of `{field.name}`, which has no upper end",
                field.span,
                help=f"write `{counted[0]}: unscored`, turn the distance into a score, as `exp_decay` does, or say "
                "that lower is better, as `better: {mean: lower}` does",
            )
    if least.value is None and not findings.diagnostics.has_errors:
        formulas = [one.compiled for one in least.formulas]
        formulas += [least.aggregate] if isinstance(least.aggregate, Compiled) else []
        reads = any(path.root in _ANSWERED for one in formulas for path in one.paths)
        for name, counts in (("on_error", True), ("on_unparsed", reads)):
            if counts and getattr(spec, name) == "zero":
                node = least.aggregate.node if isinstance(least.aggregate, Compiled) else least.aggregate
                _no_least(f"a failed record would score 0, {lowest}", name, node.span or spec.span, findings)


def _no_least(message: str, policy: str, span: Span | None, findings: Findings) -> None:
    findings.error(
        "no-least-score",
        f"`{policy}: zero` would make a failure better than an answer: {message}",
        span,
        help=f"write `{policy}: unscored`, or bound the score, as `clip(…, 0, 1)` in a formula does",
    )


def _policies(spec: TaskSpec, may_lack: bool) -> dict[str, bool]:
    """Return, by name, the policies for failures of a field, which a response may lack if ``may_lack`` is true; the
    value tells whether the policy gives a failure a score."""
    return {
        "on_unparsed": spec.on_unparsed == "zero",
        "on_error": spec.on_error == "zero",
        "on_missing": may_lack and spec.on_missing == "zero",
    }
