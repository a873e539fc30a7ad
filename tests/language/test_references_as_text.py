"""A reference that is JSON text is no mapping of fields: it is told so, for one field as for several."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

WRITTEN = '{"a": 1, "b": 2}'


def results(fields: dict[str, Any], reference: Any, response: str = WRITTEN, **more: Any) -> list[Any]:
    one = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, **more})
    record = {"id": 1, "response": response, "reference": reference}
    return [
        one.score(record),
        one.score_parts(response, reference),
        one.score_lists([response, response], [reference, {"a": 1}], [None] * 2, [1, 2], [None] * 2)[0],
        one.evaluate([record]).records[0],
    ]


@pytest.mark.parametrize("fields", [{"a": "equal"}, {"a": "equal", "b": "equal"}])
def test_one_field_and_several_say_the_same(fields: dict[str, Any]) -> None:
    for result in results(fields, WRITTEN):
        assert (result.score, result.status) == (None, "unscored")
        assert "the reference is Text, not a mapping of fields" in result.reason


@pytest.mark.parametrize("reference", ["1", "{", "{}", '["a"]', '{"c": 1}', "a: 1"])
def test_other_texts_are_no_value_of_the_only_field_either(reference: str) -> None:
    for result in results({"a": "equal"}, reference):
        assert (result.score, result.status) == (None, "unscored")
        assert "`reference: reference` takes all of it" in result.reason


def test_texts_are_compared_where_a_place_is_named_or_nothing_is_parsed() -> None:
    for result in results({"a": {"reference": "reference", "score": "equal"}}, WRITTEN, '{"a": "x"}'):
        assert (result.score, result.status) == (0.0, "scored")
    one = scoring.load({"kind": "task", "name": "t", "fields": {"a": "equal"}})
    assert one.score_parts(WRITTEN, WRITTEN).score == 1.0
