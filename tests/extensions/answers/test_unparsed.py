"""What answers do not hold is unparsed, by the policy of the task."""

from __future__ import annotations

import pytest

import scoring


@pytest.mark.parametrize("step", ["float_value", "whole_value", "map_items(float_value)"])
def test_the_policy_holds_for_every_reader_of_numbers_in_answers(step: str) -> None:
    step = f"to_list | {step}" if "items" in step else step
    fields = {"n": {"score": f"sides(prediction={step}) | equal"}}
    record = {"id": 1, "response": "no number", "reference": 1}
    for policy, score in (("zero", 0.0), ("unscored", None)):
        task = scoring.load({"kind": "task", "name": "t", "fields": fields, "on_unparsed": policy})
        found = task.score(record).fields["n"]
        assert (found.status, found.score) == ("unparsed", score)


def test_a_reference_that_does_not_read_is_the_fault_of_the_data() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "float_value | equal", "on_unparsed": "zero"})
    found = task.score({"id": 1, "response": "1", "reference": "no number"})
    assert (found.status, found.score) == ("unscored", None)
    assert found.reason == "the reference: 'no number' is not a number"
