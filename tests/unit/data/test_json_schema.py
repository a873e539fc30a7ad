"""Data held to JSON Schema by `jsonschema`: what we add to it, and what its errors become."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.data.json_schema import followed, violations

BESIDE = {"names.json": {"word": {"pattern": "^[a-z]+$"}, "words": {"items": {"$ref": "#/word"}}}}


def found(data: Any, schema: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(one.keyword, *one.path) for one in violations(data, schema, BESIDE)]


def test_a_document_beside_the_schema_is_read() -> None:
    schema = {"properties": {"name": {"$ref": "names.json#/word"}, "names": {"$ref": "names.json#/words"}}}
    assert found({"name": "a", "names": ["b"]}, schema) == []
    assert found({"name": "A", "names": ["b", "C"]}, schema) == [("pattern", "name"), ("pattern", "names", 1)]


@pytest.mark.parametrize("reference", ["other.json#/word", "#/gone", "http://127.0.0.1:1/schema.json"])
def test_a_reference_that_leads_nowhere_is_never_fetched(reference: str) -> None:
    with pytest.raises(Exception, match=r"Unresolvable|PointerToNowhere"):
        found([], {"$ref": reference})


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        ("^[a-z]+$", "ab", True),
        ("^[a-z]+$", "ab\n", False),  # Python's `$` stands before a last line end, too
        (r"^\$$", "$", True),
        ("^[$]$", "$", True),
    ],
)
def test_a_dollar_sign_is_the_end_of_the_text(pattern: str, text: str, holds: bool) -> None:
    assert (found(text, {"pattern": pattern}) == []) == holds


def test_a_name_is_told_from_a_value() -> None:
    """Given a schema for keys, and a key that is called like its keyword, then only the first is a matter of keys."""
    names = {"additionalProperties": {"propertyNames": {"pattern": "^[a-z]$"}}}
    (one,) = violations({"x": {"A": 1}}, names)
    assert (one.keyword, one.path, one.value, one.in_key) == ("pattern", ("x",), "A", True)
    (one,) = violations({"propertyNames": 1}, {"properties": {"propertyNames": {"type": "string"}}})
    assert (one.path, one.in_key) == (("propertyNames",), False)


def test_each_alternative_says_what_is_wrong_with_it() -> None:
    schema = {"properties": {"a": {"anyOf": [{"type": "string"}, {"items": {"minimum": 2}}, False]}}}
    (one,) = violations({"a": [1]}, schema)
    assert [[(each.keyword, each.path) for each in branch] for branch in one.branches] == [
        [("type", ("a",))],
        [("minimum", ("a", 0))],
        [("false", ("a",))],
    ]


def test_references_are_followed_for_their_words() -> None:
    documents = ({"a": {"$ref": "#/b"}, "round": {"$ref": "#/round"}}, {"b": {"type": "string"}})
    assert followed({"$ref": "#/a"}, documents) == {"type": "string"}
    assert followed({"$ref": "#/round"}, documents) == followed({"$ref": "#/gone"}, documents) == {}
