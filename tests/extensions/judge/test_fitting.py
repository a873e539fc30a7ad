"""The quick look at replies says that a value satisfies a schema only where the full check says so, too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.json_schema import violations
from scoring.extensions.judge.programs.fitting import fits_of

SCALARS = st.none() | st.booleans() | st.integers(-2, 4) | st.sampled_from([0.0, 1.0, 2.5, float("nan")])
SCALARS |= st.sampled_from(["", "yes", "no", "maybe"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner), max_leaves=6
)
SIZES, NUMBERS = st.integers(0, 3), st.sampled_from([-1, 0, 1, 1.5, 3])
KINDS = st.sampled_from(["object", "array", "string", "boolean", "integer", "number", "null"])


def _schemas(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS | st.lists(KINDS, min_size=1, max_size=3),
            "enum": st.lists(SCALARS, min_size=1, max_size=3),
            "const": SCALARS,
            "properties": st.dictionaries(st.sampled_from("ab"), inner),
            "required": st.lists(st.sampled_from("ab"), unique=True),
            "additionalProperties": st.booleans(),
            "items": inner,
            "minItems": SIZES,
            "maxItems": SIZES,
            "minLength": SIZES,
            "maxLength": SIZES,
            "minimum": NUMBERS,
            "maximum": NUMBERS,
            "title": st.just("a title"),
        },
    )


@pytest.mark.property
@given(_schemas(_schemas(_schemas(st.just({})))), VALUES)
def test_what_fits_violates_nothing(schema: dict[str, Any], value: Any) -> None:
    if fits_of(schema)(value):
        assert list(violations(value, schema)) == []


def test_usual_replies_need_no_full_check() -> None:
    verdicts = {"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["yes", "no"]}}
    schema = {
        "type": "object",
        "required": ["verdicts"],
        "additionalProperties": False,
        "properties": {"verdicts": verdicts, "score": {"type": "number", "minimum": 0, "maximum": 1}},
    }
    fits = fits_of(schema)
    assert fits({"verdicts": ["yes"]})
    assert fits({"verdicts": ["yes", "no"], "score": 0.5})
    assert not fits({"verdicts": []})
    assert not fits({"verdicts": ["yes"], "why": "so"})
    assert not fits({"verdicts": ["yes"], "score": 2})
    assert not fits({"score": 1})
