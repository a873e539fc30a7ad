"""Random JSON Schemas and values for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, -1, "", "a", "b", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "null"])


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    few, bound = st.lists(inner, min_size=1, max_size=3), st.integers(0, 3)
    by_name = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS | st.lists(KINDS, min_size=1, max_size=2, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "properties": by_name,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b|c"]), inner, max_size=2),
            "additionalProperties": inner,
            "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
            "propertyNames": inner,
            "items": inner,
            "uniqueItems": st.booleans(),
            "if": inner,
            "then": inner,
            "else": inner,
            "allOf": few,
            "anyOf": few,
            "oneOf": few,
            "not": inner,
            "pattern": st.sampled_from(["^a", "b$"]),
            "minLength": bound,
            "maxLength": bound,
            "minItems": bound,
            "maxItems": bound,
            "minProperties": bound,
            "maxProperties": bound,
            "minimum": bound,
            "maximum": bound,
            "exclusiveMinimum": bound,
            "exclusiveMaximum": bound,
            "$ref": st.sampled_from(["#/definitions/x", "#/definitions/y"]),
        },
    )


SCHEMAS = st.recursive(st.booleans() | keywords(st.booleans()), keywords, max_leaves=5)
