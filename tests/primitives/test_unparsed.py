"""What a transform can't read of a response is unparsed, whichever it is, and `on_unparsed:` says what follows."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.registry import registry
from scoring.registry.model import REQUIRED, Primitive

TEXTS = [
    "",
    " ",
    "not this",
    "{",
    "[1,",
    "[a]",
    "<a",
    "12 12",
    "(",
    "\\frac{",
    "\x00",
    "1e999",
    "nan",
    "<points x1=",
    "🙂",
]
OTHERS: list[Any] = [True, -1, 2.5, [], ["x", {}], {"a": []}]
# What transforms ask for that have no default.
GIVEN = {
    "pattern": 'r"(?P<d>\\d)!"',
    "index": "3",
    "table": "record.table",
    "options": "record.options",
    "n": "2",
    "characters": '"x"',
    "old": '"x"',
    "new": '"y"',
    "key": '"k"',
    "files": "record.table",
    "geometry": '"box"',
    "of": "prediction",
    "item": "1",
    "categories": '["P"]',
    "name": '"q"',
    "others": "record.others",
}
# Those that read nothing: one draws among options, one asks a judge; what a service or a limit fails at is no answer's.
READ_NOTHING = {"chance", "judge_extract", "value_of"}
TRANSFORMS = [
    one for one in registry if one.kind == "transform" and "upstream" not in one.name and one.name not in READ_NOTHING
]


def outcome(transform: Primitive, response: Any) -> scoring.RecordResult:
    given = [f"{param.name}={GIVEN[param.name]}" for param in transform.params if param.default is REQUIRED]
    call = f"{transform.name}({', '.join(given)})" if given else transform.name
    fields = {"read": f"sides(prediction={call}) | equal"}
    record = {"options": ["a", "b"], "table": {"k": "v"}, "others": [[1], [2]]}
    task = scoring.load({"kind": "task", "name": "t", "record": {name: name for name in record}, "fields": fields})
    return task.score({"id": 1, "response": response, "reference": "what nothing gives", **record})


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda one: one.name)
def test_what_a_transform_can_not_read_is_unparsed(transform: Primitive) -> None:
    for response in [*TEXTS, *OTHERS]:
        found = outcome(transform, response)
        if found.reason is not None and "needs the extra" in found.reason:
            pytest.skip(found.reason)
        assert found.status in ("scored", "unparsed"), f"{response!r}: {found.reason}"


@pytest.mark.parametrize("step", ["number", "integer"])
def test_the_policy_holds_for_every_reader_of_numbers(step: str) -> None:
    step = f"to_list | {step}" if "items" in step else step
    fields = {"n": {"score": f"sides(prediction={step}) | equal"}}
    record = {"id": 1, "response": "no number", "reference": 1}
    for policy, score in (("zero", 0.0), ("unscored", None)):
        task = scoring.load({"kind": "task", "name": "t", "fields": fields, "on_unparsed": policy})
        found = task.score(record).fields["n"]
        assert (found.status, found.score) == ("unparsed", score)


def test_a_reference_that_does_not_read_is_the_fault_of_the_data() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "number | equal", "on_unparsed": "zero"})
    found = task.score({"id": 1, "response": "1", "reference": "no number"})
    assert (found.status, found.score) == ("unscored", None)
    assert found.reason == "the reference: not a number: 'no number'"
