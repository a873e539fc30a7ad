"""Fields that are formulas: their scores are computed from the record and from fields that are scored before them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from scoring.compiler.formulas.formula import LIKE, Compiled, FormulaCompiler
from scoring.compiler.formulas.formula_calls import is_like
from scoring.compiler.formulas.formula_parts import ROW
from scoring.compiler.programs.failures import failure, outcome_of
from scoring.compiler.programs.messages import Findings, comma_list
from scoring.compiler.programs.stages import ROW_VALUES, RowValues, Stage, field_key
from scoring.compiler.tasks.fields import settle, settled_range
from scoring.format.model import FieldSpec, TaskSpec
from scoring.lang import formula as tree
from scoring.lang.formula_printer import print_formula
from scoring.lang.tree import Path
from scoring.lang.words import is_name
from scoring.outcomes import FieldColumn, Outcomes
from scoring.ranges import EVERYTHING, GREATEST, ScoreRange
from scoring.result import FieldResult, Outcome, Unscored
from scoring.values import Type


class FormulaField:
    """A field whose score is computed by a formula; ``worst`` is the score of a failure under the policy `zero`."""

    def __init__(self, spec: FieldSpec, compiled: Compiled, task: TaskSpec, worst: float | None = 0.0) -> None:
        self.name = spec.name
        self.weight = spec.weight
        self.compiled = compiled
        self.text = print_formula(_as_written(compiled.node))
        self._spec, self._task = spec, task
        self._settle = partial(settle, task, worst=worst)

    def counting(self, worst: float | None) -> FormulaField:
        """Return a copy of the field in which ``worst`` is the score of a failure under the policy `zero`."""
        return FormulaField(self._spec, self.compiled, self._task, worst)

    def stage(self) -> Stage:
        """Return the stage that scores the field from the row and the results of the fields that it reads."""
        reads = [field_key(name) for name in sorted(self.compiled.fields)]
        return Stage(field_key(self.name), (*reads, ROW_VALUES), self._one, self._column)

    def _one(self, *arguments: Any) -> FieldResult:
        *fields, row = arguments
        outcome = self._settle(self._outcome({field.name: field.outcome for field in fields}, row))
        return FieldResult(self.name, outcome, self.weight, None, None)

    def _column(self, *arguments: Any) -> FieldColumn:
        *fields, rows = arguments
        outcomes = Outcomes.nothing(len(rows))
        for place, row in enumerate(rows):
            outcomes.put(place, self._settle(self._outcome({one.name: one.outcomes[place] for one in fields}, row)))
        nothing: list[Any] = [None] * len(rows)
        return FieldColumn(self.name, self.weight, outcomes, nothing, nothing)

    def _outcome(self, outcomes: Mapping[str, Outcome], row: RowValues) -> Outcome:
        for name, outcome in outcomes.items():
            if outcome.value is None and outcome.status in ("unparsed", "unscored"):
                return Outcome(None, outcome.status, f"{name}: {outcome.reason or outcome.status}")
        try:
            return outcome_of(formula_score(self.compiled, outcomes, row))
        except Exception as error:
            return failure(error)


def _as_written(node: tree.Formula) -> tree.Formula:
    """Return a formula in which computed values of packs are written as authors do, as `values.house.letter`."""
    if isinstance(node, Path) and node.root == "values" and node.segments:
        first, *rest = node.segments
        return Path("values", (*str(first).split("."), *rest), node.span)
    return tree.with_operands(node, [_as_written(part) for part in tree.operands(node)])


def formula_score(compiled: Compiled, fields: Mapping[str, Outcome], row: RowValues) -> float:
    """Return the value of a formula, given the outcomes of a record's fields and its row; true counts as 1.

    Raises:
        Unscored: when the value is not a finite number, or is too large.
        NotApplicable: when a field that the formula needs is not applicable.
    """
    scores: dict[str, Any] = {
        name: outcome.value for name, outcome in fields.items() if outcome.status != "not_applicable"
    }
    score = compiled.evaluate({**scores, ROW: row})
    if not math.isfinite(score):
        raise Unscored(f"the formula gives {score}, which is not a finite number")
    if abs(score) > GREATEST:
        raise Unscored(f"the formula gives {score}, which is too large to count")
    return compiled.interval.settled(float(score))


def compile_formulas(
    task: TaskSpec, ranges: dict[str, ScoreRange], findings: Findings, values: Mapping[str, tuple[Path, Type]]
) -> list[FormulaField]:
    """Return the fields of a task that are formulas, each after those that it reads.

    ``ranges`` has the range of each field's score; those of the formulas are added to it. ``values`` has the bare
    words, other than fields, that formulas may use.
    """
    waiting = {one.name: one for one in task.fields if one.formula is not None}
    reads = {name: _read_in(one.formula, waiting) for name, one in waiting.items()}
    order, readers = {name: place for place, name in enumerate(waiting)}, _readers(reads)
    found: list[FormulaField] = []
    ready = [one for name, one in waiting.items() if not reads[name]]
    while waiting:
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
            compiled = FormulaCompiler(dict(ranges), findings, values=values).score(one.formula)
            found.append(FormulaField(one, compiled.rounded(), task))
        for one, field in zip(ready, found[-len(ready) :], strict=True):
            ranges[one.name] = settled_range(task, field.compiled.interval)
        # Only what reads one of these may be ready now.
        freed = {name for one in ready for name in readers.get(one.name, ())}
        ready = [
            waiting[name]
            for name in sorted(freed & waiting.keys(), key=order.__getitem__)
            if waiting.keys().isdisjoint(reads[name])
        ]
    return found


def _readers(reads: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the names that read each name."""
    found: dict[str, list[str]] = {}
    for name, read in reads.items():
        for one in read:
            found.setdefault(one, []).append(name)
    return found


def _read_in(formula: tree.Formula | None, fields: Collection[str]) -> list[str]:
    """Return those of the ``fields`` whose names occur in a formula, before the names in it are resolved."""
    names: set[str] = set()
    likes: list[str] = []
    for part in tree.walk_formula(formula) if formula is not None else ():
        if isinstance(part, tree.Field):
            names.add(part.name)
        elif isinstance(part, tree.Text) and not is_name(part.value):
            names.add(part.value)
        elif isinstance(part, tree.Function) and part.name == LIKE:
            likes += [wanted.value for wanted in part.args if isinstance(wanted, tree.Text)]
    alike = [name for name in fields if any(is_like(name, like) for like in likes)] if likes else []
    return [*(name for name in names if name in fields), *alike]
