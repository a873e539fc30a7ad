"""Cases of `switch`: texts, truth values, null and numbers, each chosen by what the record holds."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

# What contains the reference scores 1 in the first case, and 0 everywhere else.
PAIR = {"response": "a b", "reference": "b"}


def task(score: str, **more: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", "score": score, **more})


def by_case(case: str, value: object) -> float | None:
    one = task(f"switch(record.on, {case}=contains, default=equal)", on_null="value")
    single = one.score({**PAIR, "on": value})
    (column,) = one.evaluate([{**PAIR, "id": 1, "on": value}]).records
    assert column.score == single.score
    return single.score


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ("true", True),
        ("True", True),
        ("false", False),
        ('"1"', 1),
        ('"1"', 1.0),
        ('"1.0"', 1),
        ('"-2.5"', -2.5),
        ('"1e2"', 100),
        ("true", "true"),
        ('"1"', "1"),
        ('"007"', "007"),
        ("null", None),
    ],
)
def test_a_value_chooses_the_case_that_is_called_as_it_is_written(case: str, value: object) -> None:
    assert by_case(case, value) == 1.0


@pytest.mark.parametrize(
    ("case", "value"),
    [("true", 1), ('"1"', True), ("true", "True"), ('"0"', False), ('"007"', 7), ('"1"', "1.0"), ("null", "")],
)
def test_other_values_go_to_the_default(case: str, value: object) -> None:
    assert by_case(case, value) == 0.0


def test_without_a_default_the_reason_says_the_case_that_is_missing() -> None:
    found = task("switch(record.on, yes=contains)").score({**PAIR, "on": True})
    assert (found.status, found.reason) == ("unscored", "no case is called 'true' (cases: yes)")


@pytest.mark.parametrize(
    "pair", ["true=equal, True=contains", '"1"=equal, "1.0"=contains', "null=equal, None=contains"]
)
def test_two_cases_for_one_value_are_refused(pair: str) -> None:
    with pytest.raises(SpecError) as raised:
        task(f"switch(record.on, {pair})")
    (found,) = raised.value.diagnostics
    assert found.id == "name-conflict"
    assert "are for the same value" in found.message


def test_declared_values_may_be_truth_values_and_numbers() -> None:
    record = {"on": {"path": "on", "values": [True, False, 2]}}
    assert not task('switch(record.on, true=equal, false=contains, "2"=equal)', record=record).warnings
    with pytest.raises(SpecError, match="no case takes the value `false`"):
        task('switch(record.on, true=equal, "2"=equal)', record=record)
    (warning,) = task("switch(record.on, true=equal, False=equal, yes=equal, default=equal)", record=record).warnings
    assert warning.message == "the case `yes` is never reached"
