"""The quick readers of MEGA-Bench's answers give what the released rules give when they are written down plainly."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.packs.megabench_upstream import places
from scoring.packs.megabench_upstream.json import candidate_spans, parse_json

_PIECES = [
    "{", "}", "[", "]", '"', "'", ",", ":", " ", "\n", "\\", '\\"', "\\'", '"a"', "'a'", '"a": ', '"[1, 2]"', "1",
    '"[\'b\', \'c\']"', '"{\\"b\\": 1}"', '" {}"', '"\t[true]"', "null", "None", "true", "it's", '"it\'s"', "é",
    '{"a": "b", "c": "d"}', '{"a": "None", "b": null}', "__DOUBLE_QUOTE__", '"[N"', '"\xa0[1]"',
]  # fmt: skip
BODIES = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
OBJECTS = BODIES.map(lambda text: "{" + text.replace("{", "").replace("}", "") + "}")


def _by_the_rule(candidate: str) -> list[Any]:
    """What one candidate gives, step by step as the released code does it."""
    text = candidate.replace('\\"', "__DOUBLE_QUOTE__").replace("\\'", "__SINGLE_QUOTE__")
    for string in re.findall(r'"(?:\\.|[^"\\])*"', text):
        try:
            inner = json.loads(string[1:-1].replace("__DOUBLE_QUOTE__", '"').replace("__SINGLE_QUOTE__", "'"))
        except json.JSONDecodeError:
            continue
        if isinstance(inner, (dict, list)):
            text = text.replace(string, json.dumps(inner))
    text = text.replace("__DOUBLE_QUOTE__", '\\"').replace("__SINGLE_QUOTE__", "\\'")
    for tried in (text, text.replace('\\"', '\\\\"').replace("\\'", "\\\\'")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return [ast.literal_eval(tried)]
        except (SyntaxError, ValueError):
            continue
    for tried in (text, re.sub(r"(?<!\w)'|'(?!\w)", '"', text)):
        try:
            return [json.loads(tried)]
        except json.JSONDecodeError:
            continue
    return []


def _outcome(read: Any, text: str) -> str:
    try:
        return repr(read(text))
    except Exception as error:  # an unhashable key raises in both
        return type(error).__name__


def _plainly(text: str) -> Any:
    body = text.strip()
    found = [value for start, end in candidate_spans(body) or () for value in _by_the_rule(body[start:end])]
    return found[-1] if found else [] if body.startswith("[") else {}


@pytest.mark.property
@settings(max_examples=1500)
@given(st.one_of(OBJECTS, BODIES))
@example('{"a": "[\'b\', \'c\']", "d": "it\'s"}')
@example('{"a": "[1, {\\"b\\": 2}]"}')
@example('{"a": " [1]", "b": "\xa0[1]"}')
@example('{"a": "C:\\"}')
def test_it_finds_what_the_rule_finds(text: str) -> None:
    assert _outcome(parse_json, text) == _outcome(_plainly, text)


@pytest.mark.property
@given(OBJECTS)
def test_one_object_alone_stands_where_the_search_finds_it(text: str) -> None:
    shifted = [(start - 1, end - 1) for start, end in candidate_spans(f" {text}") or ()]
    assert candidate_spans(text) == shifted


@pytest.mark.property
@given(st.lists(st.sampled_from(["<box>", "</box>", "1, 2", "\n", "\r", "<box", "é"]), max_size=9).map("".join))
def test_tags_are_found_alike_however_many_there_are(text: str) -> None:
    many = f"{'<box>' * 30}\n{text}"
    found = re.findall("<box>(.*?)</box>", text)
    assert places._tagged(text, "box") == found
    assert places._tagged(many, "box") == found


# Texts on which the released search was timed: it took at most 50 ms on the first, and at least 200 ms on the second.
_TIMED = [
    ("{[]" * 14, "{[]" * 16),
    ("{" + "[1]," * 9, "{" + "[1]," * 11),
    ("{" + "[{},{}]," * 8, "{" + "[{},{}]," * 12),
    ("[{a:[1]," * 6, "[{a:[1]," * 8),
    ("[{" * 14, "[{" * 18),
    ("[1," * 14, "[1," * 18),
    ("{" + "{[1],[2],[3]}," * 500, "{" * 2_000),
]


@pytest.mark.parametrize(("quick", "slow"), _TIMED)
def test_the_limit_of_the_search_is_where_the_released_one_stops(quick: str, slow: str) -> None:
    assert candidate_spans(quick) is not None
    assert candidate_spans(slow) is None


def test_a_cut_answer_gives_its_last_whole_object() -> None:
    """The search goes on behind the brace that nothing closes."""
    rows = ", ".join(f'{{"id": {number}, "tags": [1, 2], "more": []}}' for number in range(20))
    assert parse_json('{"rows": ' + rows + ', {"id": ') == {"id": 19, "tags": [1, 2], "more": []}
