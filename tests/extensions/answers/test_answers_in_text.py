"""Parsers that find an answer, or an object, in the prose around it."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from scoring.extensions.answers.final import final_answer, nonempty, required
from scoring.packs.megabench.odd_tasks import final_drawing
from scoring.primitives.parsing.json_object import json
from scoring.result import Unparsed
from tests.support.waiting import cpu_time_below


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure:\n```json\n{"a": [1, 2]}\n```\nDone.', {"a": [1, 2]}),
        ("Answer: {'a': True}", {"a": True}),
        ('{"a": 0}\nAnswer: {"a": 1}', {"a": 1}),
        ('Answer: {"a": 1}\nthat is [2]', {"a": 1}),
        ('Answer: none of {"a": 1}', {"a": 1}),
        ('{"a": 1} {"a": 2', {"a": 1}),
        ('{"t": "a } b"}', {"t": "a } b"}),
        ('He said "yes {"a": 1}', {"a": 1}),
        ('{"x": 1} {\'c"d\': 2}', {'c"d': 2}),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_json_finds_the_object(response: Any, found: Any) -> None:
    assert json(response) == found


@pytest.mark.parametrize("response", ["", "no", "[1, 2]", "{'a': ", None, "{1, 2}"])
def test_json_refuses_what_holds_no_object(response: Any) -> None:
    with pytest.raises(Unparsed):
        json(response)


def test_json_may_accept_a_list() -> None:
    assert json("so [1, 2]", accept="any") == [1, 2]
    assert json('[1] and {"a": 1}', accept="any") == {"a": 1}


@pytest.mark.parametrize(
    "bait",
    [
        "[" * 1_000_000,
        "{" * 1_000_000,
        "[{" * 500_000,
        '{"' * 400_000,
        '"\\"' * 300_000 + "{",
        '{"a":' * 5000 + "1" + "}" * 5000,
        "[" + "9" * 1_000_000 + "]",
        "Answer:" * 150_000,
        "{[1]," * 200_000,
        "```json" * 100_000,
    ],
    ids=lambda bait: bait[:8],
)
def test_hostile_responses_cost_bounded_time(bait: str) -> None:
    from scoring.packs.megabench_upstream.fields import megabench_upstream_json

    for parser in (json, megabench_upstream_json, final_answer, final_drawing):
        with cpu_time_below(15), contextlib.suppress(Unparsed, ValueError, RecursionError):  # only the time matters
            parser(bait)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("B", "B"),
        ("Answer: B", "B"),
        ("**Answer:** B", "B"),
        ("**Answer: B** and more", "B"),
        ("*Answer:* B", "B"),
        ("**Final Answer:** B", "B"),
        ("answer : x\nAnswer： B", "B"),
        ("Answer: **B**", "B"),
        ("Answer: `B`", "B"),
        ("Answer: 'B'", "B"),
        ("Answer:\n```python\nx = 1\n```\nDone.", "x = 1"),
        ("Answer: [1, 2] because of [3]", "[1, 2]"),
        ("Answer: [1, 2", "[1, 2"),
        ("Answer: 2 * 3 * 4", "2 * 3 * 4"),
        ("Answer:", ""),
    ],
)
def test_final_answer(response: str, answer: str) -> None:
    assert final_answer(response) == answer


def test_an_explanation_is_dropped_behind_a_single_line() -> None:
    response = "Answer: $5\n\nBecause."
    assert final_answer(response) == "$5\n\nBecause."
    assert final_answer(response, single_line=True) == "$5"
    assert final_answer(response, like="one line") == "$5"
    assert final_answer(response, like="two\nlines") == "$5\n\nBecause."


def test_nonempty() -> None:
    assert nonempty(" a") == " a"
    with pytest.raises(Unparsed, match="empty"):
        nonempty(" \n")


@pytest.mark.parametrize(
    ("response", "found"), [("[1]", [1]), (' "1" ', "1"), ("1.5\n", 1.5), ("null", None), ('{"a": {}}', {"a": {}})]
)
def test_strict_json_is_the_whole_response(response: str, found: Any) -> None:
    assert json(response, accept="any", strict=True) == found


@pytest.mark.parametrize("response", ["", "{'a': 1}", '{"a": 1} done', "[1,]", "[" * 1_000_000, "[" * 300 + "]" * 300])
def test_strict_json_refuses_anything_else(response: str) -> None:
    with pytest.raises(Unparsed):
        json(response, accept="any", strict=True)
    with pytest.raises(Unparsed, match="no object"):
        json("[1]", strict=True)


def test_null_is_not_what_is_required() -> None:
    assert required(0) == 0
    with pytest.raises(Unparsed, match="missing"):
        required(None)
