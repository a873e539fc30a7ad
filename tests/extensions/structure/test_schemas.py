"""`matches_schema`: JSON Schema as the package `jsonschema` has it, what nobody fetches, and work that is counted."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.extensions.structure import json_schema_match, schemas
from scoring.extensions.structure.json_schema_match import ReadySchema, is_too_deep, ready_schema
from scoring.extensions.structure.schemas import matches_schema
from scoring.result import Unscored

ORDER = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "lines"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Z]{2}\\d+$"},
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["price"],
                "properties": {"price": {"type": "number", "minimum": 0}, "note": {"type": ["string", "null"]}},
            },
        },
    },
}


@pytest.mark.parametrize(
    ("value", "whole", "share"),
    [
        ({"id": "AB1", "lines": [{"price": 3}]}, 1, 1),
        ({"id": "ab1", "lines": [{"price": 3}]}, 0, 1 / 2),
        ({"id": "AB1", "lines": []}, 0, 1 / 2),
        ({"lines": [{"price": 3, "note": None}]}, 0, 2 / 3),
        ({"id": "AB1", "lines": [{"price": "3"}]}, 0, 1 / 2),
        ({"id": "AB1", "lines": [{"price": True}]}, 0, 1 / 2),
        ({"id": "AB1", "lines": [{"price": 3}], "more": [1, 2]}, 0, 2 / 4),
        ({"id": "AB1", "lines": ["x", "y", {"price": 1}]}, 0, 2 / 4),
        ({}, 0, 0),
        ([1, 2, 3], 0, 0),
        ("text", 0, 0),
        (None, 0, 0),
    ],
)
def test_a_value_follows_its_schema_or_has_a_share(value: Any, whole: float, share: float) -> None:
    assert matches_schema(value, None, schema=ORDER) == whole
    assert matches_schema(value, None, schema=ORDER, credit="paths") == pytest.approx(share)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "https://example.invalid/x.json"}, "nothing is fetched"),
        ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, "nowhere"),
        ({"$ref": "#"}, "circles"),
        ({"type": "text"}, "not valid under any"),
        ({"properties": {"a": {"pattern": "(a+)+$"}}}, "refused"),
        ({"patternProperties": {"(a+)+$": True}}, "refused"),
        ({"properties": {"a": {"pattern": "("}}}, "refused"),
        ("{", "no JSON"),
        (3, "neither a mapping"),
        ({"const": {1, 2}}, "no JSON"),
    ],
)
def test_a_schema_that_cant_be_followed_leaves_the_record_unscored(
    schema: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(Unscored, match=why):
        matches_schema({"a": "aaaa!"}, None, schema=schema)


def test_a_schema_that_is_none_is_found_with_the_spec() -> None:
    with pytest.raises(scoring.SpecError, match="no JSON Schema"):
        scoring.scorer('matches_schema(schema={type="text"})')


def test_the_draft_is_declared_or_chosen() -> None:
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": True}
    assert matches_schema(3, None, schema=old) == 0
    with pytest.raises(Unscored, match="not of type"):
        matches_schema(3, None, schema=old, draft="2020-12")


def test_formats_are_looked_at_when_asked() -> None:
    schema = {"format": "date"}
    assert matches_schema("2024-02-30", None, schema=schema) == 1
    assert matches_schema("2024-02-30", None, schema=schema, formats="checked") == 0
    assert matches_schema("2024-02-29", None, schema=schema, formats="checked") == 1


def test_explain_tells_what_is_wrong_path_by_path() -> None:
    task = scoring.load({"kind": "task", "name": "t", "score": "matches_schema(schema=reference)"})
    result = task.score_parts({"id": "AB1", "lines": [{"price": "x"}]}, ORDER)
    stages = result.explain()["fields"][0]["stages"]
    assert stages[-1]["told"][1] == {"stage": "lines[0].price (type)", "value": "'x' is not of type 'number'"}


def _nested(depth: int) -> Any:
    schema: Any = {"type": "integer"}
    for _ in range(depth):
        schema = {"anyOf": [schema, schema]}
    return schema


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("x", _nested(12)),
        ({}, {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}] * 9}, "b": {"anyOf": [{"$ref": "#/$defs/c"}] * 9},
                        "c": {"anyOf": [{"$ref": "#/$defs/d"}] * 9}, "d": {"anyOf": [{"$ref": "#/$defs/e"}] * 9},
                        "e": {"anyOf": [{"$ref": "#/$defs/f"}] * 9}, "f": {"anyOf": [{"type": "null"}] * 9}},
              "$ref": "#/$defs/a"}),
        ([[i % 7, {"a": i}] for i in range(20_000)], {"uniqueItems": True}),
        ("a" * 100_000, {"anyOf": [{"pattern": f"^(a|b)*c{i}$"} for i in range(300)]}),
        ({f"k{i}": 1 for i in range(3000)}, {"patternProperties": {f"a.*b.*{i}": False for i in range(300)}}),
        ({f"k{i}": 1 for i in range(3000)}, {"patternProperties": {f"k.*{i}$": True for i in range(200)},
                                             "unevaluatedProperties": False}),
        (["x" * 1000] * 1000, {"items": {"enum": ["x" * 999 + str(i) for i in range(999)]}}),
        (list(range(200_000)), {"items": {"not": {"multipleOf": 0.1}}}),
        ([0] * 5000, {"items": {"enum": [[1] * 20] * 3000}}),
    ],
    ids=["alternatives", "references", "unique", "patterns", "keys", "unevaluated", "enum", "items", "lists"],
)  # fmt: skip
def test_hostile_schemas_and_values_cost_counted_steps(value: Any, schema: Any) -> None:
    started = time.process_time()
    with contextlib.suppress(Unscored):
        assert 0 <= matches_schema(value, None, schema=schema, credit="paths") <= 1
    assert time.process_time() - started < 20


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "", "a", "ab", "b1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
NAME = st.sampled_from("abc")


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null"]),
        "properties": st.dictionaries(NAME, inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$", "."]), inner, max_size=2),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "required": st.lists(NAME, unique=True, max_size=2),
        "items": inner,
        "prefixItems": several,
        "contains": inner,
        "uniqueItems": st.booleans(),
        "minItems": st.integers(0, 2),
        "enum": st.lists(JSON, min_size=1, max_size=3),
        "const": JSON,
        "pattern": st.sampled_from(["a", "^b", "\\d$"]),
        "minimum": st.integers(-2, 2),
        "multipleOf": st.sampled_from([0.5, 2]),
        "anyOf": several,
        "oneOf": several,
        "allOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "propertyNames": inner,
        "dependentRequired": st.dictionaries(NAME, st.lists(NAME, unique=True, max_size=2), max_size=2),
    }
    return st.fixed_dictionaries({}, optional=keywords)


SCHEMAS = st.recursive(st.booleans() | st.just({"$ref": "#/$defs/x"}), _schemas, max_leaves=8)


@pytest.mark.property
@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict) and "$ref" not in schema), JSON)
@settings(max_examples=300)
def test_it_says_what_the_package_says(schema: dict[str, Any], value: Any) -> None:
    schema = {**schema, "$defs": {"x": {"type": ["integer", "string"]}}}
    valid = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert matches_schema(value, None, schema=schema) == valid
    share = matches_schema(value, None, schema=schema, credit="paths")
    assert (share == 1) == valid
    assert 0 <= share <= 1


COMMON = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "minLength": 3},
        "kind": {"enum": ["a", "b"]},
        "note": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        "lines": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "object"}},
    },
}


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"id": "AB1", "kind": "a", "note": None, "lines": [{"price": 3}]}, True),
        ({"id": "AB1", "lines": [{"price": 3}, {"price": 3.0}]}, False),
        ({"id": "AB1", "note": "long"}, False),
        ({"id": "A1"}, False),
        ({"id": "AB1", "more": 1}, False),
        ({"id": ("AB1",)}, None),
        ({"id": "AB1" * 1_000_000}, None),
        ({"id": "AB1", "lines": [{"price": at} for at in range(5_000)]}, None),
    ],
    ids=["valid", "repeated", "long", "short", "surplus", "a tuple", "a long text", "large"],
)
def test_what_can_not_reach_the_limit_is_not_counted(value: Any, valid: bool | None) -> None:
    assert ready_schema(COMMON).is_valid(value) is valid


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "other.json"},
        {"oneOf": [{"type": "integer"}]},
        {"properties": {"a": {"pattern": "b"}}},
        {"patternProperties": {"a": True}},
        {"properties": {"const": {"$ref": "#"}}},
    ],
)
def test_what_may_look_again_or_searches_is_counted(schema: Any) -> None:
    assert ready_schema(schema).is_valid(3) is None


def test_a_schema_of_the_spec_is_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = scoring.scorer('matches_schema(schema={type="integer", minimum=3})')
    monkeypatch.setattr(schemas, "ready_schema", None)
    assert [scorer.score(value, None).value for value in (3, 2, "x")] == [1, 0, 0]
    assert [one.value for one in scorer.score_many([3, 2.0, "x"], [None] * 3)] == [1, 0, 0]


@pytest.mark.property
@given(
    SCHEMAS.filter(lambda schema: isinstance(schema, dict) and "$ref" not in schema),
    JSON,
    st.sampled_from(["draft-06", "draft-07", "2019-09", "2020-12"]),
    st.sampled_from([500, 2_000, 10_000, 100_000]),
)
@settings(max_examples=500)
def test_what_is_decided_without_counting_never_reaches_the_limit(
    schema: dict[str, Any], value: Any, draft: str, limit: int
) -> None:
    schema = {**schema, "$defs": {"x": {"type": ["integer", "string"]}}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_schema_match, "MOST_STEPS", limit)
        ready = ReadySchema(json.dumps(schema), draft, formats=False)
        decided = ready.is_valid(value)
        if decided is not None:
            assert decided is (not ready.faults(value, most=1))
            if decided:
                assert ready.faults(value) == []


def test_a_value_that_holds_itself_is_too_deep() -> None:
    round_and_round: list[Any] = []
    round_and_round += [round_and_round, round_and_round]
    assert is_too_deep(round_and_round)


@pytest.mark.parametrize("pattern", ["\\p{L}", "(", "a{9999999999}", "(?:" * 5000])
def test_a_pattern_that_python_cant_read_makes_a_schema_invalid_where_formats_are_checked(pattern: str) -> None:
    schema = {"properties": {"name": {"pattern": pattern}}}
    assert matches_schema({}, None, schema=schema) == 1
    with pytest.raises(Unscored, match=r"can't be followed"):
        matches_schema({}, None, schema=schema, formats="checked")
    regex = {"format": "regex"}
    assert [matches_schema(one, None, schema=regex, formats="checked") for one in (pattern, "a+", 3)] == [0, 1, 1]


@pytest.mark.parametrize("pattern", ["[a-c\u4e00-\u9fff]", "[a-c\\u4e00-\\u9fff]", "(?:\u4e00|\u4e01)", "(a)" * 100])
def test_compiling_patterns_takes_a_counted_number_of_steps(pattern: str) -> None:
    some, many = pattern * 5, pattern * 5_000
    assert matches_schema([some] * 20, None, schema={"items": {"format": "regex"}}, formats="checked") == 1
    for value, schema in (
        (many, {"format": "regex"}),
        ([pattern * 100] * 200, {"items": {"format": "regex"}}),
        ({}, {"properties": {"name": {"pattern": many}}}),
        ({}, {"properties": {f"n{at}": {"pattern": pattern * 100} for at in range(200)}}),
    ):
        with pytest.raises(Unscored, match=r"more than 30,000,000 steps"):
            matches_schema(value, None, schema=schema, formats="checked")
