"""A scorer as one function of a pair: its two chains, the step that joins them, and the steps of the score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from scoring.compiler.programs.columns import StepFunction
from scoring.compiler.programs.failures import failure, outcome_of
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.compiler.running.steps import Chain, ChainFunction
from scoring.depth import has_fresh_stack, on_fresh_stack
from scoring.result import NotApplicable, Outcome

PairFunction: TypeAlias = Callable[[Any, Any, RowValues], Any]
OutcomeFunction: TypeAlias = Callable[..., Outcome]
_USUAL = {score: Outcome(score) for score in (0.0, 1.0)}  # outcomes can't change, so records share them


def pair_function(
    left: Chain,
    right: Chain,
    join: StepFunction,
    after: Chain | None,
    as_score: Callable[[Any], Any],
    bounds: tuple[float, float],
    *,
    joins_row: bool,
) -> PairFunction:
    """Return a scorer as a function of a prediction, a reference and a row; it returns the score, or raises if a step
    fails.

    ``left`` and ``right`` prepare the two values, ``join`` scores them, and also takes the row if ``joins_row``;
    ``after`` are the steps that change the score. ``as_score`` returns a score as a float in its range, or raises
    Unscored; a float within ``bounds`` needs no call of it.
    """

    low, high = bounds

    def run_join(prediction: Any, reference: Any, row: RowValues) -> Any:
        score = join(prediction, reference)
        return score if type(score) is float and low <= score <= high else as_score(score)

    if left.is_empty and right.is_empty and after is None and not joins_row:
        return run_join
    one_side, other_side = (_untouched if side.is_empty else side.run for side in (left, right))
    rest = _untouched if after is None else after.run

    def run(prediction: Any, reference: Any, row: RowValues) -> Any:
        score = join(one_side(prediction, row), other_side(reference, row))
        return score if type(score) is float and low <= score <= high else as_score(score)

    def run_all(prediction: Any, reference: Any, row: RowValues) -> Any:
        one, other = one_side(prediction, row), other_side(reference, row)
        return as_score(rest(join(one, other, row) if joins_row else join(one, other), row))

    return run_all if joins_row or after is not None else run


def _untouched(value: Any, row: RowValues) -> Any:
    return value


def outcome_function(run: PairFunction, otherwise: float | None) -> OutcomeFunction:
    """Return a function with the arguments of ``run`` that returns a pair's outcome and never raises; ``otherwise`` is
    the score of a pair that fails, None if it gets an outcome without a score."""

    def outcome(prediction: Any, reference: Any, row: RowValues = NO_ROW) -> Outcome:
        try:
            score = run(prediction, reference, row)
            if type(score) is float:
                return _USUAL.get(score) or Outcome(score + 0.0)
            return outcome_of(score)
        except Exception as error:
            if type(error) is RecursionError and not has_fresh_stack():
                return on_fresh_stack(outcome, prediction, reference, row)
            return failure(error) if otherwise is None or isinstance(error, NotApplicable) else outcome_of(otherwise)

    return outcome


def bounded(join: StepFunction, upper: StepFunction, after: ChainFunction) -> StepFunction:
    """Return a joining step that first computes an upper bound of the score, ``upper``, and returns 0 if the rescorers,
    ``after``, reduce even this bound to 0.

    With a bound of 1, ``join`` is always called: it may reject the pair, also where a score of 1 would be reduced to 0.
    """

    def run_bounded(left: Any, right: Any) -> Any:
        bound = upper(left, right)
        return join(left, right) if bound >= 1.0 or after(bound, NO_ROW) else 0.0

    return run_bounded


def attempted(run: PairFunction, otherwise: float) -> PairFunction:
    """Return ``run``, changed to return ``otherwise`` for a pair that fails; only NotApplicable is still raised."""

    def attempt(prediction: Any, reference: Any, row: RowValues) -> Any:
        try:
            return run(prediction, reference, row)
        except NotApplicable:
            raise
        except Exception as error:
            if type(error) is RecursionError and not has_fresh_stack():
                return on_fresh_stack(attempt, prediction, reference, row)
            return otherwise

    return attempt
