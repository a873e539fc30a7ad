"""Steps that follow one another, on single values and on columns."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.compiler.chain import Chain
from scoring.compiler.straight import ChainStep, with_settings
from scoring.result import Outcome, Unparsed


def first(values: list[Any]) -> Any:
    return next(iter(values))


def test_a_step_that_raises_stop_iteration_fails_for_its_own_value() -> None:
    assert Chain([ChainStep(first)], "prediction").column([[1], [], [2], []]) == [
        1,
        Outcome.unscored("StopIteration"),
        2,
        Outcome.unscored("StopIteration"),
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


def power(value: float, /, *, by: int = 2, plus: float = 0) -> float:
    return value**by + plus


def test_settings_are_set_without_moving_the_function_itself() -> None:
    cubed = with_settings(power, {"by": 3})
    assert (cubed(2), power(2), cubed.__code__ is power.__code__) == (8, 4, True)
    assert with_settings(power, {}) is power
    assert with_settings(lambda value, **named: named, {"by": 3})(2) == {"by": 3}
