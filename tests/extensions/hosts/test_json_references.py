"""`references_as="json"`: references that a host can carry as text alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import scoring
from scoring.errors import InputError

SAID = '{"a": 1, "b": ["x"]}'
FIELDS: list[dict[str, Any]] = [
    {"a": "equal"},
    {"a": "equal", "b": "equal"},
    {"f": {"prediction": "parsed.a", "reference": "reference.a", "score": "equal"}},
    {"f": {"prediction": "parsed.b", "reference": "gold", "score": "equal"}},
]


def task(fields: dict[str, Any] | None = None, **more: Any) -> Any:
    values = {"values": {"gold": "reference.b"}} if "gold" in str(fields) else {}
    shape = {"score": "equal"} if fields is None else {"parse": "json", "fields": fields}
    return scoring.load({"kind": "task", "name": "t", **shape, **values, **more})


@pytest.mark.parametrize("fields", FIELDS)
def test_every_call_of_a_host_reads_references_from_json(fields: dict[str, Any]) -> None:
    one = task(fields)
    results = [
        one.score_parts(SAID, SAID, references_as="json"),
        asyncio.run(one.ascore_parts(SAID, SAID, references_as="json")),
        one.score_columns([SAID], [SAID], references_as="json").results[0],
    ]
    with one.worker(seconds=20) as worker:
        results.append(worker.score_parts(SAID, SAID, references_as="json"))
        results.append(worker.score_columns([SAID], [SAID], references_as="json").results[0])
    assert [result.score for result in results] == [1.0] * 5


def test_data_say_in_the_spec_that_references_are_json() -> None:
    """What docs/hosts.md names for `evaluate`, to whose runs the option would be lost."""
    field = {"prediction": "parsed.a", "reference": "gold.a", "score": "equal"}
    values = {"gold": 'reference | json(accept="any", strict=true)'}
    one = scoring.load({"kind": "task", "name": "t", "parse": "json", "values": values, "fields": {"f": field}})
    assert one.evaluate([{"id": 1, "response": SAID, "reference": SAID}]).metrics["mean"] == 1.0


def test_each_reference_is_what_its_json_says() -> None:
    given = ["1", '"a"', "null", '[1, "x"]', "true", None, scoring.MISSING]
    answers = [1, "a", "n", [1, "x"], True, "n", "n"]
    found = task().score_columns(answers, given, references_as="json")
    assert found.scores[[0, 1, 3, 4]].tolist() == [1.0] * 4
    reasons = {place: found.reasons[place] for place in (2, 5, 6)}
    assert reasons == dict.fromkeys((2, 5, 6), "the record has no reference")


def test_mixed_columns_of_an_engine_are_right_as_json() -> None:
    arrow = pytest.importorskip("pyarrow")
    column = arrow.array(['"a"', '["a", "b"]'])
    found = task().score_columns(["a", ["a", "b"]], column, references_as="json")
    assert found.scores.tolist() == [1.0, 1.0]


def test_what_is_no_json_leaves_its_record_unscored() -> None:
    found = task().score_columns(["a", "a", 1], ["Paris", '"a"', 1], references_as="json")
    assert found.statuses == ["unscored", "scored", "unscored"]
    assert found.reasons[0].startswith("the reference can't be read: not JSON")
    assert found.reasons[2] == "the reference is Number, and references are to be JSON texts"


def test_where_it_has_no_effect_it_is_refused() -> None:
    with pytest.raises(InputError, match="no reference is a text, but Number"):
        task().score_columns([1, 2], [1, None], references_as="json")
    alone = scoring.load({"kind": "task", "name": "t", "score": 'matches("a")'})
    with pytest.raises(InputError, match="t reads no reference"):
        alone.score_parts("a", "{}", references_as="json")
    with pytest.raises(InputError, match="references are `values` or `json`, not"):
        task().score_columns(["a"], ["a"], references_as="yaml")
