"""Steps that follow one another, on single values and on columns."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.compiler.running.steps import Chain, ChainStep, with_settings
from scoring.result import Outcome, Unparsed


def first(values: list[Any]) -> Any:
    return next(iter(values))


def test_a_step_that_raises_stop_iteration_fails_for_its_own_value() -> None:
    assert Chain([ChainStep(first)], "prediction").column([[1], [], [2], []]) == [
        1,
        Outcome.unscored("this can't be computed: its own error: StopIteration"),
        2,
        Outcome.unscored("this can't be computed: its own error: StopIteration"),
    ]


@pytest.mark.parametrize("size", range(7))
def test_any_number_of_steps_runs_in_order(size: int) -> None:
    steps = [ChainStep(lambda text, mark=mark: text + mark) for mark in "abcdefg"[:size]]
    assert Chain(steps, "prediction").run("-", {}) == "-" + "abcdefg"[:size]


def test_a_reference_that_does_not_parse_is_no_fault_of_the_response() -> None:
    def fail(value: Any) -> Any:
        raise Unparsed("no number")

    chain = Chain([ChainStep(fail)], "reference")
    with pytest.raises(Exception, match="the reference: no number"):
        chain.run("x", {})
    assert chain.column(["x"]) == [Outcome.unscored("the reference: no number")]


def test_fields_that_prepare_a_side_alike_prepare_it_once() -> None:
    fields = {
        "exact": {"score": "lower | strip | equal"},
        "near": {"score": "lower | strip | levenshtein"},
        "other": {"score": "lower | levenshtein"},
        "read": {"score": "sides(prediction=lower | strip) | equal"},
    }
    task = scoring.load({"kind": "task", "name": "t", "fields": fields})
    exact, near, other, read = (field.scorer for field in task.parts.fields)
    assert exact._left is near._left is read._left
    assert exact._right is near._right is not read._right
    assert other._left is not near._left
    records = [{"response": one, "reference": "paris"} for one in (" Paris", "Pars ", 3, None, "paris")]
    assert task.score_batch(records) == [task.score(record) for record in records]
    assert near._left.cached is None, "nothing of a batch is held on to"


def power(value: float, /, *, by: int = 2, plus: float = 0) -> float:
    return value**by + plus


def test_settings_are_set_without_moving_the_function_itself() -> None:
    cubed = with_settings(power, {"by": 3})
    assert (cubed(2), power(2), cubed.__code__ is power.__code__) == (8, 4, True)
    assert with_settings(power, {}) is power
    assert with_settings(lambda value, **named: named, {"by": 3})(2) == {"by": 3}


def test_fields_share_no_preparation_where_only_one_keeps_the_reasons_of_failures() -> None:
    fields = {"kept": {"score": "number | equal"}, "caught": {"score": "attempt(number | equal)"}}
    task = scoring.load({"kind": "task", "name": "t", "fields": fields})
    records = [{"response": one, "reference": "2"} for one in ("x", "2", "y", "3")]
    found = task.score_batch(records)
    assert found == [task.score(record) for record in records]
    kept, caught = found[0].fields["kept"].outcome, found[0].fields["caught"].outcome
    assert (kept.reason, caught.value) == ("not a number: 'x'", 0.0)
