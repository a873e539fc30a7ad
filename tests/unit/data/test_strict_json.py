"""Strict JSON writes whatever a run can hold."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.json_write import canonical, digest, dumps, dumps_pretty
from scoring.depth import WRITTEN


def refuse(constant: str) -> Any:
    raise AssertionError(f"a bare {constant}")


def read(text: str) -> Any:
    return json.loads(text.encode(), parse_constant=refuse)


@pytest.mark.parametrize(
    ("value", "tagged"),
    [
        (math.nan, {"$float": "nan"}),
        (-math.inf, {"$float": "-inf"}),
        (1 + 2j, {"$complex": [1.0, 2.0]}),
        (complex(math.nan, 0), {"$complex": [{"$float": "nan"}, 0.0]}),
        ({"b", "a"}, {"$set": ["a", "b"]}),
        ({1: "a", "1": "b"}, {"$dict": [[1, "a"], ["1", "b"]]}),
        ((1, "a"), [1, "a"]),
        (b"\xff", {"$bytes": "\xff"}),
        (..., {"$ellipsis": True}),
        (object(), {"$object": "object"}),
        ("\ud800x", "\ud800x"),
    ],
)
def test_what_json_cannot_hold_becomes_a_tag(value: Any, tagged: Any) -> None:
    assert read(dumps(value)) == tagged
    assert read(dumps_pretty(value)) == tagged


def test_numpy_values_become_plain_numbers_and_lists() -> None:
    import numpy

    assert read(dumps({"a": numpy.float64(0.5), "b": numpy.arange(3)})) == {"a": 0.5, "b": [0, 1, 2]}


def test_an_endless_integer_and_endless_nesting_are_cut() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert read(dumps(10**1_000_000)) == {"$cut": "integer of 3321929 bits"}
    assert f'{{"$cut":"nested deeper than {WRITTEN}"}}' in dumps(deep)


def test_the_digest_ignores_key_order_only() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest({"a": [1, 2]}) != digest({"a": [2, 1]})
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner),
)


@pytest.mark.property
@given(json_values)
def test_json_values_survive(value: Any) -> None:
    assert read(dumps(value)) == value
