"""Calls of functions held to allowed values: a wrong call scores 0, and what is wrong with the data is said."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

TOOLS = [
    {
        "name": "now",
        "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
    },
    {
        "name": "then",
        "parameters": {"properties": {"at": {"type": "array", "items": {"type": "float"}}}, "required": []},
    },
]  # fmt: skip
COMPARE = scoring.scorer("allowed_call(functions=context.tools)")


def score(call: Any, reference: Any, tools: Any = TOOLS) -> Any:
    found = COMPARE.score(call, reference, context={"tools": tools})
    return found.value if found.is_scored else found.reason


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"city": "Suva"}, 1.0),
        ({"city": "SU-VA"}, 1.0),
        ({"city": "Nadi"}, 0.0),
        ({}, 0.0),
        ({"city": "Suva", "days": 2}, 1.0),
        ({"city": "Suva", "days": "2"}, 0.0),
        ({"city": "Suva", "days": 2.0}, 0.0),
        ({"city": "Suva", "hours": 2}, 0.0),
        ({"city": 3}, 0.0),
    ],
)
def test_each_argument_has_an_allowed_value(arguments: dict[str, Any], expected: float) -> None:
    assert score({"name": "now", "arguments": arguments}, {"now": {"city": ["Suva"], "days": [2, ""]}}) == expected


def test_the_name_counts_and_lists_are_looked_into() -> None:
    reference = {"then": {"at": [[1.5, 2.0]]}}
    assert score({"name": "then", "arguments": {"at": [1.5, 2.0]}}, reference) == 1.0
    assert score({"name": "then", "arguments": {"at": ["1.5"]}}, reference) == 0.0
    assert score({"name": "now", "arguments": {"at": [1.5, 2.0]}}, reference) == 0.0
    assert score({"name": "then", "arguments": {}}, reference) == 0.0


@pytest.mark.parametrize(
    ("call", "reference", "tools", "reason"),
    [
        ({"name": "now"}, {"now": {}}, TOOLS, "a call is a mapping with a `name` and `arguments`, as `function_calls`"),
        ({"name": "now", "arguments": {}}, {}, TOOLS, "the reference names one function, and this has 0 entries"),
        ({"name": "now", "arguments": {}}, {"now": 3}, TOOLS, "what `now` may be called with is Number, not a mapping"),
        ({"name": "now", "arguments": {}}, {"soon": {}}, TOOLS, "`functions` does not describe `soon`"),
        ({"name": "now", "arguments": {}}, {"now": {}}, [{"name": "now"}], "the description of `now` has no `p"),
        ({"name": "now", "arguments": {"city": "x"}}, {"now": {"city": "x"}}, TOOLS, "what `city` may be is Text, no"),
        (
            {"name": "f", "arguments": {"x": 1}}, {"f": {"x": [1]}},
            {"name": "f", "parameters": {"properties": {"x": {"type": "int"}}, "required": []}},
            "`x` has no type of string, integer, float,",
        ),
    ],
)  # fmt: skip
def test_data_of_another_shape_says_what_is_wrong(call: Any, reference: Any, tools: Any, reason: str) -> None:
    assert str(score(call, reference, tools)).startswith(reason)
