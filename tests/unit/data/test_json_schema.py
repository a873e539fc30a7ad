"""The JSON Schema validator of the house, held to what the package `jsonschema` says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from scoring.data.json_schema import UnknownSchema, accepts, violations
from tests.support.schemas import SCHEMAS, VALUES

BESIDE = {"names.json": {"word": {"pattern": "^[a-z]+$"}, "words": {"items": {"$ref": "#/word"}}}}


def with_definitions(schema: dict[str, Any], other: Any) -> dict[str, Any]:
    resolved = False if "$ref" in str(other) else other
    return {**schema, "definitions": {"x": {"type": "object"}, "y": resolved}}


def ours(data: Any, schema: dict[str, Any]) -> set[tuple[Any, ...]]:
    return {("false",) if one.keyword == "false" else (one.keyword, *one.path) for one in violations(data, schema)}


def theirs(data: Any, schema: dict[str, Any]) -> set[tuple[Any, ...]]:
    """Keywords and paths; where a schema is simply `false`, `jsonschema` does not say where it stands."""
    found = Draft7Validator(schema).iter_errors(data)
    return {(one.validator, *one.absolute_path) if one.validator else ("false",) for one in found}


@pytest.mark.property
@settings(max_examples=300)
@given(VALUES, SCHEMAS.filter(lambda schema: isinstance(schema, dict)), SCHEMAS)
def test_values_are_accepted_and_violate_as_by_jsonschema(data: Any, schema: dict[str, Any], other: Any) -> None:
    """One law for both: drawing a schema takes longer than all that is asked of it."""
    schema = with_definitions(schema, other)
    assert accepts(data, schema) == Draft7Validator(schema).is_valid(data)
    assert ours(data, schema) == theirs(data, schema)


def test_a_document_beside_the_schema_is_read() -> None:
    schema = {"properties": {"name": {"$ref": "names.json#/word"}, "names": {"$ref": "names.json#/words"}}}
    assert accepts({"name": "a", "names": ["b"]}, schema, BESIDE)
    found = list(violations({"name": "A", "names": ["b", "C"]}, schema, BESIDE))
    assert [(one.keyword, one.path) for one in found] == [("pattern", ("name",)), ("pattern", ("names", 1))]


@pytest.mark.parametrize("schema", [{"$ref": "other.json#/word"}, {"$ref": "#/gone"}, {"$ref": "#"}, {"contains": {}}])
def test_a_schema_that_is_not_known_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(UnknownSchema):
        accepts([], schema, BESIDE)
    with pytest.raises(UnknownSchema):
        list(violations([], schema, BESIDE))
