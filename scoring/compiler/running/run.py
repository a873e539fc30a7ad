"""Run compiled programs: on one pair of prediction and reference, on columns of them, or on all pairs of two lists.

A program is turned into closures once. A step that needs a value of the row takes the row as a further argument; all
others do not. Failures are values (outcomes), so that one bad pair does not affect the others in its column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from scoring.compiler.formulas.ranges import range_of, step_range
from scoring.compiler.identity.meaning import chain_meaning
from scoring.compiler.programs.columns import StepFunction, distinct_texts, map_rows, pairs_at_once
from scoring.compiler.programs.failures import caught, failure, outcome_of
from scoring.compiler.programs.program import BoundStep, Program, keep_order, lift_attempts, uses
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.compiler.running.pair_function import OutcomeFunction, attempted, bounded, outcome_function, pair_function
from scoring.compiler.running.pairs import Joining, ScorerPairs
from scoring.compiler.running.range_checks import behind_check, score_in_range
from scoring.compiler.running.steps import Chain, ChainStep, checked, saves_calls, with_arguments
from scoring.depth import has_fresh_stack, on_fresh_stack
from scoring.diagnostics.words import EFFECTS
from scoring.lang.tree import Path
from scoring.outcomes import Outcomes
from scoring.ranges import GREATEST, ScoreRange
from scoring.registry.annotations import FieldScores
from scoring.registry.model import Primitive
from scoring.registry.pairs import ColumnScorer, PairIndices, PairScores, ScoreTable
from scoring.result import Outcome, Unscored
from scoring.values import Type


class TransformRunner:
    """A compiled pipeline of transforms, ready to run; calling it with a value returns the transformed value."""

    def __init__(self, program: Program, side: str = "prediction") -> None:
        self.program = program
        self.text = program.text
        chain = chain_of(program.prediction, side)
        self.dynamic = chain.dynamic
        self.run = chain.run
        self.one = chain.one
        self.column = chain.column

    def __call__(self, value: Any, /) -> Any:
        # As `in_full_depth` does it, without the call that all would pay.
        try:
            return self.run(value, NO_ROW)
        except RecursionError:
            if has_fresh_stack():
                raise
        return on_fresh_stack(self, value)

    def bind(self, row: RowValues) -> Callable[[Any], Any]:
        """Return the pipeline as a function of a value alone, whose steps read the given row."""
        return (lambda value: self.run(value, row)) if self.dynamic else self


class BoundScorer:
    """A scorer bound to one row; calling it with a prediction and a reference returns their score."""

    __slots__ = ("_row", "_runner", "text")

    def __init__(self, runner: ScorerRunner, row: RowValues) -> None:
        self._runner, self._row, self.text = runner, row, runner.text

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self._runner.run(prediction, reference, self._row)

    def over(self, left: list[Any], right: list[Any]) -> Any:
        """Return a scorer of pairs of positions in two columns, see `ScorerRunner.over`, for the bound row."""
        return self._runner.over(left, right, self._row)

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any]) -> ScoreTable:
        """Return the scores of all predictions with all references, see `ScorerRunner.matrix`, for the bound row."""
        return self._runner.matrix(predictions, references, self._row)


class ScorerRunner:
    """A compiled scorer, ready to run; calling it with a prediction and a reference returns their score, or raises."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.text = program.text
        program, self._otherwise = lift_attempts(program)
        join = program.join
        assert join is not None
        self._left = chain_of(program.prediction, "prediction", _final(join, 0))
        self.reads_reference = self.program.reads_reference
        prepared = program.reference_steps
        self._right = chain_of(prepared, "reference", _final(join, 1) if join.looks_at_reference else None)
        self._prepares = {"_left": program.prediction, "_right": prepared}
        outputs = (node.primitive.output.name for node in (*program.prediction, *prepared))
        self._makes_lists = not {"List", "Set"}.isdisjoint(outputs)
        self._program, self._step = program, _ready(join)
        # Rescorers would make a number of what is none, and hide what lies out of range: they are given neither.
        joined = step_range(join)
        self._after = chain_of(program.rescorers, "score", interval=joined) if program.rescorers else None
        if self._after is not None and join.primitive.upper is not None and keep_order(program.rescorers):
            self._step = self._step._replace(run=bounded(self._step.run, join.primitive.upper, self._after.run))
        self.range = range_of(self.program)
        self._low, self._high = limits = max(self.range.low, -GREATEST), min(self.range.high, GREATEST)
        # Where each failure is given a score, nobody reads its reason.
        self._failed = failure if self._otherwise is None else caught
        self._left.failed = self._right.failed = self._failed
        self._joining = Joining(self._step, self._after, self._in_range, limits, self._otherwise)
        self._notes = uses({"notes"}, [program])
        self._has_effects = uses(EFFECTS.keys(), [program])
        self.dynamic = program.is_dynamic
        # Where only the joining step could take columns, pairs go one by one: no column of lists fits into a cache.
        columns = [node.primitive for node in (*program.prediction, *prepared) if node.primitive.batch is not None]
        is_plain = not (self.dynamic or self._has_effects or self._step.over) and all(map(saves_calls, columns))
        self._by_pair = is_plain and (self._makes_lists or (self._step.column is None and not columns))
        # The score of one pair, from both values and the row; it raises what the primitives raise.
        run = pair_function(
            self._left, self._right, self._step.run, self._after, self._in_range, limits, joins_row=self._step.dynamic
        )
        self.run = run if self._otherwise is None else attempted(run, self._otherwise)
        # The outcome of one pair, which never raises, with what the steps noted about it.
        self._plain_outcome = outcome_function(run, self._otherwise)
        self.outcome: OutcomeFunction = self._noted if self._notes else self._plain_outcome

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self.run(prediction, reference, NO_ROW)

    @cached_property
    def _paths(self) -> list[Path]:
        """The paths into the row that the scorer reads, sorted by their text."""
        return sorted(self._program.own_paths(), key=str)

    def _in_range(self, score: Any) -> Any:
        """Return the score as a float in the pipeline's range, or raise Unscored; see `score_in_range`."""
        if type(score) is float and self._low <= score <= self._high:
            return score
        return score_in_range(score, self.range)

    def bind(self, row: RowValues) -> Callable[[Any, Any], Any]:
        """Return the scorer as a function of a prediction and a reference alone, whose steps read the given row."""
        return BoundScorer(self, row) if self.dynamic else self

    def _noted(self, prediction: Any, reference: Any, row: RowValues = NO_ROW) -> Outcome:
        from scoring.effects import taking_notes  # which few scorers leave

        with taking_notes() as notes:
            outcome = self._plain_outcome(prediction, reference, row)
        # A score can have a reason too, such as the test case that a program failed.
        reasons = notes.pop("reason", None)  # several where the step that tells it runs several times
        reason = "; ".join(map(str, reasons)) if isinstance(reasons, list) else reasons
        return replace(outcome, reason=outcome.reason or reason, notes=notes or None) if reason or notes else outcome

    def column(
        self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None = None
    ) -> Outcomes:
        """Return the outcome of each prediction with the reference, and the row if any, at the same position."""
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
        """Return the outcomes of `column` as a list of objects; equal outcomes may be the same object."""
        if self._notes or self._step.over is not None:
            return list(self.column(predictions, references, rows))
        # Lists of all values at once take longer than one after the other: no cache of the processor holds them.
        scores, size = list[Any](), _MANY if self._makes_lists else max(len(predictions), 1)
        for start in range(0, len(predictions), size):
            at = slice(start, start + size)
            scores += self._scores(predictions[at], references[at], rows and rows[at])
        if set(map(type, scores)) == {float}:
            low, high = self._low, self._high
            shared = {s: Outcome(s + 0.0) if low <= s <= high else self._outcome(s) for s in set(scores)}
            return list(map(shared.__getitem__, scores))
        found = list(map(self._outcome, scores))
        if self._otherwise is None:
            return found
        fallback = outcome_of(self._otherwise)
        return [fallback if one.status in ("unparsed", "unscored") else one for one in found]

    def _column(self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None) -> Outcomes:
        if self._step.over is not None and self._step.by_rows is None and len(predictions) > 1:
            with suppress(Exception):  # whatever it is, it is raised again for the pairs that it concerns
                return self._in_batches(predictions, references, rows)
        scores = self._scores(predictions, references, rows)
        # Most columns hold nothing but scores in the unit interval, often the same few.
        if set(map(type, scores)) == {float}:
            different, low, high = set(scores), self._low, self._high
            if all(low <= score <= high for score in different):
                # -0.0 is shown as 0.0; it is equal to it, so one of the two stands in the set.
                return Outcomes.scored([score + 0.0 for score in scores] if 0.0 in different else scores)
        return Outcomes.of(map(self._outcome, scores))

    def _in_batches(self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None) -> Outcomes:
        """Return the outcomes of two columns for a combinator; records whose rows are equal in what the program reads
        are scored in one batch."""
        if rows is None or not self._paths:
            found = self.over(predictions, references)(PairIndices.each(len(predictions)))
            return Outcomes.of_arrays(found.values, found.failed)
        from scoring.compiler.programs.expression_values import comparable

        groups: dict[Any, list[int]] = {}
        for place, row in enumerate(rows):
            groups.setdefault(tuple(comparable(path, row) for path in self._paths), []).append(place)
        found = PairScores(np.full(len(predictions), np.nan))
        for indices in groups.values():
            left, right = [predictions[at] for at in indices], [references[at] for at in indices]
            found.put(np.array(indices), self.over(left, right, rows[indices[0]])(PairIndices.each(len(indices))))
        return Outcomes.of_arrays(found.values, found.failed)

    def _scores(self, predictions: list[Any], references: list[Any], rows: Sequence[RowValues] | None) -> list[Any]:
        """Return, for each pair, the result of the last step: a score, or an outcome for a failure."""
        left, right = self._left, self._right
        by_pair = self._by_pair and not (left.is_shared or right.is_shared or distinct_texts(references[:_MANY]))
        if by_pair and Outcome not in {*map(type, predictions), *map(type, references)}:
            return map_rows(self.run, [predictions, references, [NO_ROW] * len(references)], self._failed)
        scores = self._joined(left.column(predictions, rows), right.column(references, rows), rows)
        return scores if self._after is None else self._after.column(scores, rows)

    def _outcome(self, score: Any) -> Outcome:
        """Return the outcome of a pair, given the result of its last step: a score, or already an outcome."""
        if type(score) is Outcome:
            return score
        try:
            return outcome_of(self._in_range(score))
        except Exception as error:
            return self._failed(error)

    def _joined(self, left: list[Any], right: list[Any], rows: Sequence[RowValues] | None) -> list[Any]:
        step = self._step
        if step.column is not None and len(left) > 1:
            scores = pairs_at_once(step.column, left, right)
            if scores is not None:
                return scores
        known = rows if rows is not None else [NO_ROW] * len(left)
        if step.by_rows is not None and len(left) > 1:
            found: list[Any] = step.by_rows(left, right, known)
            return found
        if not step.dynamic and Outcome not in {*map(type, left), *map(type, right)}:
            return map_rows(step.run, [left, right], self._failed)
        return [self._join_one(*parts) for parts in zip(left, right, known, strict=True)]

    def _join_one(self, left: Any, right: Any, row: RowValues) -> Any:
        if type(left) is Outcome or type(right) is Outcome:
            return left if type(left) is Outcome else right
        try:
            return self._step.run(left, right, row) if self._step.dynamic else self._step.run(left, right)
        except Exception as error:
            if type(error) is RecursionError and not has_fresh_stack():
                return on_fresh_stack(self._join_one, left, right, row)
            return self._failed(error)

    def preparations(self) -> dict[str, str]:
        """Return a text for each side whose steps need no row; scorers with equal texts run equal steps on the side,
        after the same checks: what a task has parsed to a text is not checked again, what it reads elsewhere is."""
        fails = self._otherwise is None
        return {
            side: f"{chain_meaning(nodes)} {[node.checks for node in nodes]} {getattr(self, side).final} {fails}"
            for side, nodes in self._prepares.items()
            if nodes and not any(node.is_dynamic for node in nodes)
        }

    def over(self, left: list[Any], right: list[Any], row: RowValues = NO_ROW) -> ScorerPairs:
        """Return a function that scores pairs of positions in two columns of one row, which are prepared once."""
        prepared = self._left.column(left, repeat(row)), self._right.column(right, repeat(row))
        return ScorerPairs(self._joining, row, *prepared)

    def matrix(self, predictions: Sequence[Any], references: Sequence[Any], row: RowValues = NO_ROW) -> ScoreTable:
        """Return the scores of all predictions with all references, as one row of scores for each prediction.

        If pairs fail, the exception of the first one, row by row, is raised.
        """
        cells = len(predictions) * len(references)
        # What asks, runs or notes does so pair by pair where one value is compared with several.
        if cells > 1 and not (self._has_effects and 1 in (len(predictions), len(references))):
            if cells > (_SMALL if self._step.over is None else _SMALL // 8):
                return self.over(list(predictions), list(references), row).table(len(predictions), len(references))
            if self._otherwise is None:
                with suppress(Exception):  # the first pair that fails raises it again
                    left = [self._left.run(one, row) for one in predictions]
                    return self._joining.small_table(row, left, [self._right.run(one, row) for one in references])
        return [[self.run(one, other, row) for other in references] for one in predictions]


_MANY = 250
"""The number of pairs that are prepared at once where lists are made of them, or looked through for repeated ones."""
_SMALL = 256
"""Tables with at most this many cells, or an eighth if each cell is itself a table, are filled without arrays."""


def aggregator(program: Program) -> Callable[[FieldScores], Any]:
    """Return a program that starts with an aggregator as a function from a record's field scores to its score."""
    node = program.join
    assert node is not None
    function, settings = node.primitive.function, dict(node.static)
    then = [(step.primitive.function, dict(step.static)) for step in program.rescorers]

    def run(fields: FieldScores) -> Any:
        score = function(fields, **settings)
        if then and score != score:
            raise Unscored("the aggregate is not a number (NaN), so nothing can be computed from it")
        for step, arguments in then:
            score = step(score, **arguments)
        return score

    return run


def runner(program: Program) -> Any:
    """Return a program, ready to run: a `ScorerRunner`, a `TransformRunner`, or the result of `aggregator`."""
    if program.form == "aggregate":
        return aggregator(program)
    return ScorerRunner(program) if program.form == "scorer" else TransformRunner(program)


def chain_of(
    nodes: Sequence[BoundStep], side: str, final: tuple[Type, str] | None = None, interval: ScoreRange | None = None
) -> Chain:
    """Return the chain that runs the steps ``nodes``, each after the type check that it needs; for ``side`` and
    ``final`` see `Chain`. ``interval`` is the range of the score that enters the first step, which is checked."""
    steps: list[ChainStep] = []
    for node in nodes:
        wanted = node.checks[0] if node.checks else None
        if wanted is not None:
            steps.append(checked(wanted, node.step, side))
        step = _ready(node)
        steps += [step] if interval is None else behind_check(step, interval)
        interval = None
    return Chain(steps, side, final)


def _final(node: BoundStep, index: int) -> tuple[Type, str] | None:
    """Return the type that a joining step requires of its input ``index``, and the step's name; None if any will do."""
    wanted = node.checks[index] if index < len(node.checks) else None
    return (wanted, node.step) if wanted is not None else None


def _arguments(node: BoundStep, made: MadeReady) -> tuple[dict[str, Any], list[Any]]:
    """Return the keyword and positional arguments of a step, in which ``made`` replaces each pipeline by a function."""
    keywords: dict[str, Any] = dict(node.static)
    variadic: list[Any] = []
    for name, value in node.nested.items():
        if isinstance(value, Program):
            keywords[name] = made(value, name)
        elif isinstance(value, tuple):
            variadic = [made(program, f"{place}") for place, program in enumerate(value, 1)]
        else:
            keywords[name] = {key: made(program, key) for key, program in value.items()}
    return keywords, variadic


MadeReady: TypeAlias = Callable[[Program, str], Any]
"""Prepares a nested pipeline for calls, under its name or its number."""
StepSettings: TypeAlias = Callable[[RowValues], tuple[list[Any], dict[str, Any]]]
"""The arguments of a step for a row: those in order, and those by name."""


def _ready(node: BoundStep) -> ChainStep:
    """Return a step, with its arguments fixed or read from the row, in all forms in which it can run."""
    function, batch, table = node.primitive.function, node.primitive.batch, node.primitive.table
    arity, settings = len(node.primitive.inputs), settings_of(node)
    is_combinator = node.primitive.kind == "combinator"
    form = node.primitive.by_row
    # What asks, runs or notes does so pair by pair, in an order that people can follow.
    if is_combinator and (not EFFECTS.keys().isdisjoint(node.primitive.uses) or uses(EFFECTS.keys(), node.programs())):
        batch = form = None
    in_row = ChainStep(lambda *data: _in_row(function, settings, data[-1], *data[:-1]), True, may_fail=is_combinator)
    if form is not None:
        from scoring.compiler.running.items import by_rows, over_rows

        return in_row._replace(over=partial(over_rows, form, settings), by_rows=partial(by_rows, form, settings))
    over = partial(_over, node.primitive, settings) if is_combinator and batch is not None and arity == 2 else None
    if node.is_dynamic:
        return in_row._replace(over=over)
    variadic, named = settings(NO_ROW)
    if node.primitive.prepares is not None:
        with suppress(Exception):  # whatever it is, the step raises it for the values that it concerns
            named = {**named, **node.primitive.prepares(**node.static)}
    run, column, table = (
        with_arguments(form, variadic, named, arity) for form in (function, None if over else batch, table)
    )
    return ChainStep(run, column=column, table=table, over=over, may_fail=is_combinator)


def _over(primitive: Primitive, settings: StepSettings, row: RowValues, *columns: list[Any]) -> ColumnScorer:
    """Return a function that scores pairs of positions in two ``columns`` by a combinator's batch form, in a row."""
    assert primitive.batch is not None
    score: ColumnScorer = _in_row(primitive.batch, settings, row, *columns)
    if hasattr(primitive.batch, "watched"):
        from scoring.effects import watch_effects

        return watch_effects(score, primitive.name, primitive.uses)
    return score


def _in_row(function: StepFunction, settings: StepSettings, row: RowValues, *data: Any) -> Any:
    variadic, keywords = settings(row)
    return function(*data, *variadic, **keywords)


def settings_of(node: BoundStep, made: MadeReady | None = None) -> StepSettings:
    """Return a function from a row to a step's arguments, of which ``made`` (or `runner`) prepares the pipelines."""
    keywords, variadic = _arguments(node, made or (lambda program, name: runner(program)))
    if not node.is_dynamic:
        return lambda row: (variadic, keywords)
    from scoring.compiler.programs.expression_values import argument_reader

    param, bind_items = node.primitive.param, None
    readers = {name: argument_reader(node.step, param(name), path) for name, path in node.dynamic.items()}
    if node.primitive.asks_of_items:
        from scoring.compiler.running.items import bound_to_items, item_pipelines

        bind_items = partial(bound_to_items, item_pipelines(node.primitive, keywords, readers))
    moving = [name for name, value in keywords.items() if _moves(value)]

    def settle(row: RowValues) -> tuple[list[Any], dict[str, Any]]:
        settled = dict(keywords)
        for name in moving:
            settled[name] = _bound(settled[name], row)
        for name, read in readers.items():
            settled[name] = read(row)
        if bind_items is not None:
            settled.update(bind_items(settled.get("over", ()), row))
        return [_bound(value, row) for value in variadic], settled

    return settle


def _moves(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_moves(item) for item in value.values())
    return isinstance(value, (ScorerRunner, TransformRunner)) and value.dynamic


def _bound(value: Any, row: RowValues) -> Any:
    if isinstance(value, dict):
        return {key: _bound(item, row) for key, item in value.items()}
    return value.bind(row) if isinstance(value, (ScorerRunner, TransformRunner)) else value
