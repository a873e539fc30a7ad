"""Run a compiled program: on one pair, on columns, on all pairs of two lists.

A program becomes closures once. A step that needs a value of the row takes the row as a further argument; all
others never see it. Failures are values (outcomes), so that one bad pair never spoils its column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from scoring.compiler.chain import Chain, ChainFunction, ChainStep, StepFunction, checked, with_settings
from scoring.compiler.failures import failure, outcome_of
from scoring.compiler.program import BoundStep, Program, lift_attempts, uses
from scoring.compiler.row import NO_ROW, RowValues, argument_reader
from scoring.effects import taking_notes
from scoring.outcomes import Outcomes
from scoring.result import NotApplicable, Outcome, Unscored
from scoring.values import Type, show_type

PairFunction: TypeAlias = Callable[[Any, Any, RowValues], Any]


class TransformRunner:
    """A compiled pipeline of transforms; call it with one value."""

    def __init__(self, program: Program, side: str = "prediction") -> None:
        self.program = program
        self.text = program.text
        chain = chain_of(program.prediction, side)
        self.dynamic = chain.dynamic
        self.run = chain.run
        self.column = chain.column

    def __call__(self, value: Any, /) -> Any:
        return self.run(value, NO_ROW)

    def one(self, value: Any, row: RowValues) -> Any:
        """The transformed value, or the outcome that says why there is none; an outcome passes through."""
        if type(value) is Outcome:
            return value
        try:
            return self.run(value, row)
        except Exception as error:
            return failure(error)

    def bind(self, row: RowValues) -> Callable[[Any], Any]:
        """The same pipeline for one row."""
        return partial(_run_for, self.run, row) if self.dynamic else self


def _run_for(run: ChainFunction, row: RowValues, value: Any) -> Any:
    return run(value, row)


class ScorerRunner:
    """A compiled scorer; call it with a prediction and a reference."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.text = program.text
        program, self._otherwise = lift_attempts(program)
        join = program.join
        assert join is not None
        left, right = (_final(join, index) for index in (0, 1))
        self._left = chain_of(program.prediction, "prediction", left)
        self._right = chain_of(program.reference, "reference", right)
        self._join, self._join_dynamic = _called(join)
        self._batch = _batch(join)
        self._after = chain_of(program.rescorers, "score") if program.rescorers else None
        self._open = program.is_open
        self._notes = uses("notes", [program])
        self.dynamic = program.is_dynamic
        # The score of one pair, from both values and the row; it raises what the primitives raise.
        self.run = self._composed() if self._otherwise is None else _attempted(self._composed(), self._otherwise)

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self.run(prediction, reference, NO_ROW)

    def _composed(self) -> PairFunction:
        """All that is done for one pair as one function, without a look at what kind of program it is."""
        left, right, join, held = self._left.run, self._right.run, self._join, self._held
        after = self._after.run if self._after is not None else None

        def run(prediction: Any, reference: Any, row: RowValues) -> Any:
            score = join(left(prediction, row), right(reference, row))
            return score if type(score) is float and 0.0 <= score <= 1.0 else held(score)

        def run_all(prediction: Any, reference: Any, row: RowValues) -> Any:
            one, other = left(prediction, row), right(reference, row)
            score = join(one, other, row) if joins_row else join(one, other)
            return held(score if after is None else after(score, row))

        joins_row = self._join_dynamic
        return run_all if joins_row or after is not None else run

    def _finished(self, score: Any, row: RowValues) -> Any:
        """The score after the rescorers."""
        return self._held(score if self._after is None else self._after.run(score, row))

    def _held(self, score: Any) -> Any:
        """The score as a float, held to [0, 1] unless the pipeline declares another range."""
        if type(score) is float and 0.0 <= score <= 1.0:
            return score
        if isinstance(score, complex) and self._open:
            return score
        try:
            plain = float(score)
        except (TypeError, ValueError, OverflowError):
            raise Unscored(f"the pipeline gave {show_type(score)}, not a score") from None
        if not self._open and not -1e-9 <= plain <= 1 + 1e-9:
            raise Unscored(f"the score {plain} lies outside [0, 1]")
        return plain

    def bind(self, row: RowValues) -> Callable[[Any, Any], Any]:
        """The same scorer for one row."""
        return BoundScorer(self, row) if self.dynamic else self

    def outcome(self, prediction: Any, reference: Any, row: RowValues = NO_ROW) -> Outcome:
        """The outcome of one pair; never raises. It carries what the steps noted about it."""
        if not self._notes:
            return self._plain_outcome(prediction, reference, row)
        with taking_notes() as notes:
            outcome = self._plain_outcome(prediction, reference, row)
        # A score can have a reason too, such as the test case that a program failed.
        reason = notes.pop("reason", None)
        return replace(outcome, reason=outcome.reason or reason, notes=notes or None) if reason or notes else outcome

    def _plain_outcome(self, prediction: Any, reference: Any, row: RowValues) -> Outcome:
        try:
            return outcome_of(self.run(prediction, reference, row))
        except Exception as error:
            return failure(error)

    def column(
        self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None = None
    ) -> Outcomes:
        """The outcomes of two columns, pair by pair."""
        if self._notes:
            known = rows if rows is not None else [NO_ROW] * len(predictions)
            return Outcomes.of(self.outcome(*pair) for pair in zip(predictions, references, known, strict=True))
        found = self._column(predictions, references, rows)
        if self._otherwise is not None:
            fallback = outcome_of(self._otherwise)
            for place in [at for at, one in found.odd.items() if one.status in ("unparsed", "unscored")]:
                found.put(place, fallback)
        return found

    def outcomes(
        self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None = None
    ) -> list[Outcome]:
        """The same one by one, for callers who want them so; equal outcomes are one."""
        if self._notes or self._otherwise is not None:
            return list(self.column(predictions, references, rows))
        scores = self._scores(predictions, references, rows)
        if set(map(type, scores)) != {float}:
            return list(map(self._outcome, scores))
        shared = {score: self._outcome(score) for score in set(scores)}
        return [shared[score] for score in scores]

    def _column(self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None) -> Outcomes:
        scores = self._scores(predictions, references, rows)
        # Most columns hold nothing but scores in the unit interval, often the same few.
        if set(map(type, scores)) == {float}:
            different = set(scores)
            if all(0.0 <= score <= 1.0 for score in different):
                # -0.0 is shown as 0.0; it is equal to it, so one of the two stands in the set.
                return Outcomes.scored([score + 0.0 for score in scores] if 0.0 in different else scores)
        return Outcomes.of(map(self._outcome, scores))

    def _scores(self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None) -> list[Any]:
        """What the steps give for each pair: scores, and outcomes where something failed."""
        left, right = self._left.column(predictions, rows), self._right.column(references, rows)
        scores = self._joined(left, right, rows)
        return scores if self._after is None else self._after.column(scores, rows)

    def _outcome(self, score: Any) -> Outcome:
        """The outcome of what a column's last step gave."""
        if type(score) is Outcome:
            return score
        try:
            return outcome_of(self._held(score))
        except Exception as error:
            return failure(error)

    def _joined(self, left: list[Any], right: list[Any], rows: Sequence[RowValues] | None) -> list[Any]:
        if self._batch is not None and len(left) > 1:
            scores = _whole_batch(self._batch, left, right)
            if scores is not None:
                return scores
        join, dynamic = self._join, self._join_dynamic
        results: list[Any] = []
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            if type(one) is Outcome or type(other) is Outcome:
                results.append(one if type(one) is Outcome else other)
                continue
            try:
                if dynamic:
                    results.append(join(one, other, rows[index] if rows is not None else NO_ROW))
                else:
                    results.append(join(one, other))
            except Exception as error:
                results.append(failure(error))
        return results

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[list[float]]:
        """The scores of all pairs; each side is prepared once.

        Raises what the first failing pair raises.
        """
        if self._otherwise is not None:
            return [[self(one, other) for other in references] for one in predictions]
        left = [self._left.run(value, NO_ROW) for value in predictions]
        right = [self._right.run(value, NO_ROW) for value in references]
        if self._batch is None or len(left) * len(right) < 2:
            return [[self._finished(self._join(one, other), NO_ROW) for other in right] for one in left]
        flat = self._batch([one for one in left for _ in right], right * len(left))
        scores, width = [self._finished(score, NO_ROW) for score in flat], len(right)
        return [scores[row * width : (row + 1) * width] for row in range(len(left))]


def _attempted(run: PairFunction, otherwise: float) -> PairFunction:
    """The same, with a score for whatever fails."""

    def attempt(prediction: Any, reference: Any, row: RowValues) -> Any:
        try:
            return run(prediction, reference, row)
        except NotApplicable:
            raise
        except Exception:
            return otherwise

    return attempt


class BoundScorer:
    """A scorer that reads values of the row, for one row."""

    __slots__ = ("_row", "_runner", "text")

    def __init__(self, runner: ScorerRunner, row: RowValues) -> None:
        self._runner = runner
        self._row = row
        self.text = runner.text

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self._runner.run(prediction, reference, self._row)


def runner(program: Program) -> ScorerRunner | TransformRunner:
    """The program, ready to run."""
    return ScorerRunner(program) if program.form == "scorer" else TransformRunner(program)


def chain_of(nodes: Sequence[BoundStep], side: str, final: tuple[Type, str] | None = None) -> Chain:
    """The steps of some nodes, each behind the check that it needs."""
    steps: list[ChainStep] = []
    for node in nodes:
        wanted = node.checks[0] if node.checks else None
        if wanted is not None:
            steps.append(checked(wanted, node.step, side))
        step, dynamic = _called(node)
        steps.append(ChainStep(step, dynamic, _batch(node)))
    return Chain(steps, side, final)


def _final(node: BoundStep, index: int) -> tuple[Type, str] | None:
    """What the joining step must check one side for."""
    wanted = node.checks[index] if index < len(node.checks) else None
    return (wanted, node.step) if wanted is not None else None


def _arguments(node: BoundStep) -> tuple[dict[str, Any], list[Any]]:
    """The arguments of a node by name, and those in order; pipelines as runners."""
    named: dict[str, Any] = dict(node.static)
    variadic: list[Any] = []
    for name, value in node.nested.items():
        if isinstance(value, Program):
            named[name] = runner(value)
        elif isinstance(value, tuple):
            variadic = [runner(program) for program in value]
        else:
            named[name] = {key: runner(program) for key, program in value.items()}
    return named, variadic


def _called(node: BoundStep) -> tuple[StepFunction, bool]:
    """The node as a function of its data, and whether it takes the row as a last argument."""
    function = node.primitive.function
    named, variadic = _arguments(node)
    if not node.is_dynamic:
        return _static(function, named, variadic, len(node.primitive.inputs)), False
    moving = [name for name, value in named.items() if _moves(value)]
    readers = {
        name: argument_reader(node.step, node.primitive.param(name), path) for name, path in node.dynamic.items()
    }

    def call(*data: Any) -> Any:
        row = data[-1]
        settings = dict(named)
        for name in moving:
            settings[name] = _bound(settings[name], row)
        for name, read in readers.items():
            settings[name] = read(row)
        return function(*data[:-1], *(_bound(value, row) for value in variadic), **settings)

    return call, True


def _static(function: StepFunction, named: dict[str, Any], variadic: list[Any], arity: int) -> StepFunction:
    if variadic and arity == 2:
        return lambda left, right: function(left, right, *variadic, **named)
    if variadic:
        return lambda value: function(value, *variadic, **named)
    return with_settings(function, named)


def _moves(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_moves(item) for item in value.values())
    return isinstance(value, (ScorerRunner, TransformRunner)) and value.dynamic


def _bound(value: Any, row: RowValues) -> Any:
    if isinstance(value, dict):
        return {key: _bound(item, row) for key, item in value.items()}
    return value.bind(row) if isinstance(value, (ScorerRunner, TransformRunner)) else value


def _batch(node: BoundStep) -> StepFunction | None:
    """The batch form of a step, where there is one and nothing needs the row."""
    batch = node.primitive.batch
    if batch is None or node.is_dynamic:
        return None
    named, variadic = _arguments(node)
    return None if variadic else partial(batch, **named) if named else batch


def _whole_batch(batch: StepFunction, left: list[Any], right: list[Any]) -> list[Any] | None:
    """The batch form on the pairs that have not failed yet; None where it raises and pairs must go one by one."""
    try:
        if Outcome not in {*map(type, left), *map(type, right)}:
            return list(batch(left, right))
        good = [i for i, pair in enumerate(zip(left, right, strict=True)) if Outcome not in map(type, pair)]
        scores = batch([left[index] for index in good], [right[index] for index in good])
    except Exception:
        return None
    results: list[Any] = [one if type(one) is Outcome else other for one, other in zip(left, right, strict=True)]
    for index, score in zip(good, scores, strict=True):
        results[index] = score
    return results
