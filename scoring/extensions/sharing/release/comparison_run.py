"""Running the programs of two versions on the same inputs in batches, to find the inputs on which they differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.compiler.identity.signature import library_version
from scoring.compiler.programs.failures import failure
from scoring.compiler.programs.program import Program
from scoring.compiler.running.run import ScorerRunner, TransformRunner
from scoring.compiler.tasks.compiled_parts import aggregate_fields
from scoring.diagnostics.words import EFFECTS
from scoring.extensions.sharing.release.formatting import Refusal
from scoring.result import FieldResult, Outcome
from scoring.statistics.rows import Rows
from scoring.values import Type

TriedInput: TypeAlias = Mapping[str, Any]
"""The input of a definition: ``prediction``, ``reference``, and whatever else it reads of a record."""
TriedRun: TypeAlias = Callable[[Sequence[TriedInput]], list[Any]]
_LAST_BIT = 1e-9
_NOT_RUN = ("judge", "programs")


def hindrance(program: Program) -> str:
    """Return the reason why a compiled program can't be run to find differences (it calls a judge model, executes other
    programs, reads more than scores, or a library is missing); "" if it can.

    A judge's answers and the effects of programs are not part of a definition, and obtaining them costs money or
    requires trust.
    """
    used = {effect for node in program.all_nodes() for effect in node.primitive.uses}
    reasons = [EFFECTS[effect] for effect in _NOT_RUN if effect in used]
    if reasons:
        return f"it {reasons[0]}"
    join = program.join if program.form == "metric" else None
    if join is not None and (join.primitive.reads != "scores" or join.primitive.inputs != (Type("Rows"),)):
        return "it reads more of the data than scores"
    missing = sorted(name for name in used - EFFECTS.keys() if library_version(name) == "none")
    return f"`{missing[0]}` is not installed" if missing else ""


def run_of(role: str, program: Program | Refusal) -> TriedRun:
    """Return a function that maps inputs of a definition to its results.

    Args:
        role: The role of the definition, such as `scorer` or `metric`.
        program: Its compiled program, or the compiler's refusal, which is then the result for every input.
    """
    if isinstance(program, Refusal):
        refusal = program
        return lambda inputs: [refusal] * len(inputs)
    if role in ("aggregate", "metric"):
        return partial(_each, _aggregate(program) if role == "aggregate" else _metric(program))
    if role == "scorer":
        scorer = ScorerRunner(program)
        return lambda inputs: scorer.outcomes(
            _column("prediction", inputs), _column("reference", inputs), _rows(inputs) if scorer.dynamic else None
        )
    transform = TransformRunner(program)
    return lambda inputs: transform.column(_column("prediction", inputs), _rows(inputs) if transform.dynamic else None)


def _column(name: str, inputs: Sequence[TriedInput]) -> list[Any]:
    return [one.get(name) for one in inputs]


def _rows(inputs: Sequence[TriedInput]) -> list[dict[str, Any]]:
    return [{"record": {}, "context": None, **one} for one in inputs]


def _each(score: Callable[[TriedInput], Any], inputs: Sequence[TriedInput]) -> list[Any]:
    found = []
    for one in inputs:
        try:
            found.append(score(one))
        except Exception as error:
            found.append(failure(error))
    return found


def _aggregate(program: Program) -> Callable[[TriedInput], Any]:
    join = aggregate_fields(program)

    def score(tried_input: TriedInput) -> Any:
        scores = dict(tried_input.get("prediction") or {})
        fields = {name: FieldResult(name, Outcome(value)) for name, value in scores.items()}
        return join(fields, {"record": {}, "context": None, **tried_input})

    return score


def _metric(program: Program) -> Callable[[TriedInput], Any]:
    join = program.join
    assert join is not None

    def score(tried_input: TriedInput) -> Any:
        scores = list(tried_input.get("prediction") or ())
        return join.primitive.function(Rows.of_scores(scores), **join.static).value()

    return score


class Moved(Struct, frozen=True):
    """An input for which two versions of a definition or a task give different results, with both results."""

    tried_input: TriedInput
    before: Any
    after: Any

    @property
    def kind(self) -> tuple[int, str, str]:
        """The kind of the difference, for sorting by importance: 0 for different scores, 1 for scores that differ only
        by rounding, 2 for different statuses; then the old and the new status."""
        one, other = _status(self.before), _status(self.after)
        if one == other == "scored":
            values = (found.value if isinstance(found, Outcome) else found for found in (self.before, self.after))
            return int(_is_last_bit(*values)), one, other
        return 2, one, other


def _status(found: Any) -> str:
    if isinstance(found, Refusal):
        return "refused"
    return found.status if isinstance(found, Outcome) else "scored"


def _is_last_bit(one: Any, other: Any) -> bool:
    """Return True if two values are numbers that are equal or differ only by rounding."""
    is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return is_number and (one == other or abs(one - other) <= _LAST_BIT * max(abs(one), abs(other)))


class Trial:
    """Two versions of a definition with the same settings of its parameters, ready to run on inputs.

    Attributes:
        scored: The number of inputs so far for which the old version returned a score or a value.
    """

    def __init__(self, settings: Mapping[str, Any], before: TriedRun, after: TriedRun) -> None:
        self.settings, self.before, self.after = settings, before, after
        self.scored = 0

    def moved(self, inputs: Sequence[TriedInput]) -> list[Moved]:
        """Run both versions on some inputs, and return the inputs for which the results differ, each with both
        results."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers at the ends of what a float holds, from NumPy
            found, others = self.before(inputs), self.after(inputs)
        self.scored += sum(not isinstance(one, Outcome) or one.status == "scored" for one in found)
        made = map(Moved, inputs, found, others)
        return [one for one in made if not same_result(one.before, one.after)]


def same_result(one: Any, other: Any) -> bool:
    """Return True if two results are equal: numbers bit for bit, outcomes by status and value, whatever their reasons.

    Examples:
        >>> same_result(Outcome(0.5), Outcome(0.5, reason="half")), same_result(Outcome(0.3), Outcome(0.1 + 0.2))
        (True, False)
        >>> same_result(math.nan, math.nan), same_result(1, True), same_result(["a", 1], ["a", 1.0])
        (True, False, False)
    """
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, Outcome):
            if left.status != right.status:
                return False
            waiting.append((left.value, right.value))
        elif isinstance(left, dict):
            if list(left) != list(right):
                return False
            waiting += zip(left.values(), right.values(), strict=True)
        elif isinstance(left, list | tuple):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif hasattr(left, "tolist"):
            waiting.append((left.tolist(), right.tolist()))
        elif not _same_leaf(left, right):
            return False
    return True


def _same_leaf(one: Any, other: Any) -> bool:
    if isinstance(one, float):
        if one != one or other != other:
            return one != one and other != other
        return bool(one == other) and math.copysign(1.0, one) == math.copysign(1.0, other)
    if isinstance(one, set | frozenset):
        return one == other and sorted(map(repr, one)) == sorted(map(repr, other))
    return bool(one == other)
