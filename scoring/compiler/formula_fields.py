"""Fields that are formulas: scores made of the record and of other fields, which are scored before them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from scoring.compiler.expression_values import NO_ROW, RowValues
from scoring.compiler.failures import failure, outcome_of
from scoring.compiler.fields import settle, settled_range
from scoring.compiler.formula import LIKE, Compiled, FormulaCompiler, is_like
from scoring.compiler.formula_calls import ROW
from scoring.compiler.messages import Findings, comma_list
from scoring.format.model import FieldSpec, TaskSpec
from scoring.lang import formula as tree
from scoring.lang.printer import print_formula
from scoring.lang.tree import Path
from scoring.lang.words import is_name
from scoring.outcomes import FieldColumn, Outcomes
from scoring.ranges import EVERYTHING, GREATEST, ScoreRange
from scoring.result import FieldResult, Outcome, Unscored
from scoring.values import Type


class FormulaField:
    """Scores one field by its formula; ``worst`` is the score of failures that a policy counts."""

    def __init__(self, spec: FieldSpec, compiled: Compiled, task: TaskSpec, worst: float | None = 0.0) -> None:
        self.name = spec.name
        self.weight = spec.weight
        self.compiled = compiled
        self.text = print_formula(_as_written(compiled.node))
        self._spec, self._task = spec, task
        self._settle = partial(settle, task, worst=worst)

    def counting(self, worst: float | None) -> FormulaField:
        """Return the field, with another score for a failure that a policy counts."""
        return FormulaField(self._spec, self.compiled, self._task, worst)

    def one(self, fields: Mapping[str, FieldResult], row: RowValues) -> FieldResult:
        """Return the field's result for one record, from those of the fields that are scored before it."""
        outcome = self._settle(self._outcome({name: fields[name].outcome for name in self.compiled.fields}, row))
        return FieldResult(self.name, outcome, self.weight, None, None)

    def column(self, fields: Mapping[str, FieldColumn], rows: Sequence[RowValues] | None, size: int) -> FieldColumn:
        """Return the field's results for many records, from the columns of the fields that are scored before it."""
        read = [(name, fields[name].outcomes) for name in self.compiled.fields]
        outcomes = Outcomes.nothing(size)
        for place in range(size):
            held = {name: column[place] for name, column in read}
            outcomes.put(place, self._settle(self._outcome(held, rows[place] if rows is not None else NO_ROW)))
        nothing: list[Any] = [None] * size
        return FieldColumn(self.name, self.weight, outcomes, nothing, nothing)

    def _outcome(self, held: Mapping[str, Outcome], row: RowValues) -> Outcome:
        for name, outcome in held.items():
            if outcome.value is None and outcome.status in ("unparsed", "unscored"):
                return Outcome(None, outcome.status, f"{name}: {outcome.reason or outcome.status}")
        try:
            return outcome_of(formula_score(self.compiled, held, row))
        except Exception as error:
            return failure(error)


def _as_written(node: tree.Formula) -> tree.Formula:
    """Return a formula in which a value of a pack is named as people name it, `values.house.letter`, and not by one
    name."""
    if isinstance(node, Path) and node.root == "values" and node.segments:
        first, *rest = node.segments
        return Path("values", (*str(first).split("."), *rest), node.span)
    return tree.with_operands(node, [_as_written(part) for part in tree.operands(node)])


def formula_score(compiled: Compiled, fields: Mapping[str, Outcome], row: RowValues) -> float:
    """Return the value of a formula for the applicable fields of a record; true is 1.

    Raises:
        Unscored: when it gives no number that counts.
        NotApplicable: when a field that it needs is not applicable.
    """
    scores: dict[str, Any] = {
        name: outcome.value for name, outcome in fields.items() if outcome.status != "not_applicable"
    }
    score = compiled.evaluate({**scores, ROW: row})
    if not math.isfinite(score):
        raise Unscored(f"the formula gives {score}, which is no finite number")
    if abs(score) > GREATEST:
        raise Unscored(f"the formula gives {score}, which is too large to count")
    return compiled.interval.settled(float(score))


def compile_formulas(
    task: TaskSpec, ranges: dict[str, ScoreRange], findings: Findings, places: Mapping[str, tuple[Path, Type]]
) -> list[FormulaField]:
    """Return the fields of a task that are formulas, each after those that it reads.

    ``ranges`` has what each field may score, as far as it is known, to which that of formulas is added; ``places`` is
    what bare words may stand for beside fields.
    """
    waiting = {one.name: one for one in task.fields if one.formula is not None}
    found: list[FormulaField] = []
    while waiting:
        ready = [one for one in waiting.values() if not _read_in(one.formula, waiting)]
        if not ready:
            first = next(iter(waiting.values()))
            findings.error(
                "definition-cycle",
                f"the formula of `{first.name}` needs `{first.name}` itself",
                first.span,
                help=f"these fields read one another: {comma_list(waiting)}",
            )
            ranges.update(dict.fromkeys(waiting, EVERYTHING))
            break
        for one in ready:
            del waiting[one.name]
        # Each knows the fields before it alone, so that what is written below is told from what is not there.
        for one in ready:
            assert one.formula is not None
            compiled = FormulaCompiler(dict(ranges), findings, places=places).score(one.formula)
            found.append(FormulaField(one, compiled.rounded(), task))
        for one, field in zip(ready, found[-len(ready) :], strict=True):
            ranges[one.name] = settled_range(task, one, field.compiled.interval)
    return found


def _read_in(formula: tree.Formula | None, fields: Iterable[str]) -> list[str]:
    """Return the fields that a formula may read, before its names are resolved."""
    named: set[str] = set()
    likes: list[str] = []
    for part in tree.walk_formula(formula) if formula is not None else ():
        if isinstance(part, tree.Field):
            named.add(part.name)
        elif isinstance(part, tree.Text) and not is_name(part.value):
            named.add(part.value)
        elif isinstance(part, tree.Function) and part.name == LIKE:
            likes += [wanted.value for wanted in part.args if isinstance(wanted, tree.Text)]
    return [name for name in fields if name in named or any(is_like(name, like) for like in likes)]
