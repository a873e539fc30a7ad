"""A column form is the plain form, value by value; what fails alone fails alone in a column, too."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.registry import registry
from scoring.registry.model import Primitive

TEXTS = st.lists(st.text(alphabet="aBß éİ \t\n\x1c\u2003", max_size=8), max_size=12)


def transforms() -> list[Primitive]:
    return [found for found in registry if found.batch is not None and found.kind == "transform" and not found.params]


def test_there_are_some() -> None:
    assert {"lower", "casefold", "collapse_spaces", "to_text"} <= {found.name for found in transforms()}


@pytest.mark.property
@pytest.mark.parametrize("found", transforms(), ids=lambda found: found.name)
@given(texts=TEXTS)
def test_a_transform_gives_the_same_one_by_one(found: Primitive, texts: list[str]) -> None:
    assert found.batch is not None
    assert found.batch(list(texts)) == [found.function(text) for text in texts]


NUMBERS = st.one_of(
    st.integers(-(10**25), 10**25),
    st.sampled_from([2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1]),
    st.floats(),
    st.from_regex(r"-?(0|[1-9][0-9]{0,24})([.][0-9]{1,24})?([eE][-+]?[0-9]{1,3})?", fullmatch=True).map(
        "number {}".format
    ),
)
STRINGS = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\[{\x7f\u2028\ud800\0'), max_size=6)
JSON = st.recursive(
    NUMBERS | STRINGS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    """A text of JSON, an object in most cases, as it is written in many ways, and often with a slip."""
    value = draw(st.one_of(st.dictionaries(STRINGS, JSON, max_size=4), JSON))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    text = re.sub(r'"number (.*?)"', r"\1", text)
    depth = draw(st.sampled_from([0] * 9 + [3, 199, 200, 201, 1_100]))
    text = '{"a": [' * (depth // 2) + text + "]}" * (depth // 2)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 2))
        text = text[:start] + draw(st.sampled_from(["", *'"{}[]:,-0\\.eE \n\x0b\ufeff', "NaN", "9" * 20])) + text[end:]
    around = draw(st.sampled_from(["{}"] * 6 + [" {}\n", "```json\n{}\n```", "Answer: {}", "{} {}"]))
    return around.replace("{}", text)


@pytest.mark.property
@settings(max_examples=500)
@given(st.lists(json_texts(), min_size=1, max_size=3), st.sampled_from(["object", "any"]), st.booleans())
def test_json_is_read_in_columns_as_it_is_alone(texts: list[str], accept: str, strict: bool) -> None:
    parse = registry.get("json")
    assert parse is not None
    assert parse.batch is not None
    try:
        found = parse.batch(texts, accept=accept, strict=strict)
    except Exception:  # as `at_once` has it: they go one by one
        return
    assert repr(found) == repr([parse.function(text, accept=accept, strict=strict) for text in texts])


def test_plain_json_is_read_in_columns() -> None:
    parse = registry.get("json")
    assert parse is not None
    assert parse.batch is not None
    texts = ['{"a": "b", "n": [1.5, -3, {"c": null}]}', ' {"a": 1, "a": 2}\n', '{"n": 123456789012345678}', "{}"]
    assert parse.batch(texts) == [{"a": "b", "n": [1.5, -3, {"c": None}]}, {"a": 2}, {"n": 123456789012345678}, {}]
    assert parse.batch(["[1]"], accept="any") == [[1]]


@pytest.mark.parametrize("expression", ["words | equal", "to_set | jaccard", "split(' ') | align(equal)", "equal"])
def test_long_columns_are_scored_as_short_ones_are(expression: str) -> None:
    compare = scoring.scorer(expression)
    ours = [f"w{place % 7} w{place % 11}" for place in range(600)]
    theirs: list[Any] = [f"w{place % 5} w{place % 11}" if place % 97 else None for place in range(600)]
    alone = [compare.score(one, other) for one, other in zip(ours, theirs, strict=True)]
    assert compare.score_many(ours, theirs) == alone


MIXED = st.lists(st.one_of(st.text("aB \t", max_size=5), st.integers(0, 3), st.none(), st.floats(0, 1), st.booleans()))


@pytest.mark.property
@pytest.mark.parametrize(
    "expression",
    [
        "lower | collapse_spaces | levenshtein | zero_below(0.5)",
        "to_text | casefold | levenshtein",
        "number | equal",
        "levenshtein",
        'matches(r"\\s*[aB]$")',
        'matches(r"\\s*[aB]", whole=true)',
        'replace_pattern(r"\\s+", by="-") | replace_pattern("(a)|B", by=r"\\1") | equal',
        "to_text | words | equal",
        "attempt(lower | equal, otherwise=0.25)",
    ],
)
@given(predictions=MIXED, data=st.data())
def test_a_column_gives_what_pairs_give(expression: str, predictions: list[Any], data: st.DataObject) -> None:
    references = [data.draw(st.sampled_from([prediction, "a B", 3, None])) for prediction in predictions]
    compare = scoring.scorer(expression)
    alone = [compare.score(one, other) for one, other in zip(predictions, references, strict=True)]
    assert compare.score_many(predictions, references) == alone


def test_white_space_of_every_kind_is_collapsed() -> None:
    spaces = [chr(code) for code in range(0x110000) if chr(code).isspace()]
    collapse = scoring.parser("collapse_spaces")
    assert {collapse.parse(f" a{space}{space}b{space}") for space in spaces} == {"a b"}


def test_equal_scores_look_the_same_whichever_came_first() -> None:
    from scoring.compiler.programs.failures import outcome_of

    assert [repr(outcome_of(score).value) for score in (1, True, 1.0, -0.0, 0, 0.0)] == ["1.0"] * 3 + ["0.0"] * 3
