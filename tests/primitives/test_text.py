"""Transforms and comparators of text."""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.primitives.text.compare import contains, equal, starts_with
from scoring.primitives.text.edges import collapse_spaces, remove_characters, remove_punctuation, split, strip
from scoring.primitives.text.edit import levenshtein
from scoring.primitives.text.letters import casefold, lower, to_ascii, upper
from scoring.primitives.text.replacing import normalize_unicode, order_combining_marks, replace
from scoring.primitives.text.words import drop_articles
from scoring.registry import registry


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Café", "Cafe"),
        ("Łódź", "Lodz"),
        ("“x” – y…", '"x" - y...'),
        ("５", "5"),
        ("ﬁ", "fi"),
        ("😀", ""),
        ("𝐀", "A"),
        ("−5", "-5"),
        ("2½", "2 1/2"),
        ("乮", ""),
        ("シー", "shi-"),
    ],
)
def test_to_ascii_finds_the_closest_letters(text: str, plain: str) -> None:
    assert to_ascii(text) == plain
    assert to_ascii(plain) == plain


def test_case() -> None:
    assert (lower("ÀB"), upper("ß"), casefold("ẞ")) == ("àb", "SS", "ss")


def test_characters_at_the_ends_and_within() -> None:
    assert strip("\t a \n") == "a"
    assert strip("--a--", characters="-") == "a"
    assert collapse_spaces("  a\u00a0 b\n") == "a b"
    assert remove_characters("a-b c", characters="- ") == "abc"
    assert remove_punctuation("«A», b_c!") == "A bc"
    assert replace("aXbX", old="X", new="") == "ab"
    assert replace("ab", old="", new="-") == "ab"
    assert split("a;b;", separator=";") == ["a", "b", ""]
    assert normalize_unicode("e\u0301", form="NFC") == "é"


@pytest.mark.parametrize(
    ("text", "rest"), [("The the cat", "cat"), ("a A an", ""), ("Anna theme", "Anna theme"), ("cat the", "cat")]
)
def test_articles_are_whole_words_in_any_case(text: str, rest: str) -> None:
    assert drop_articles(text) == rest


def test_articles_of_one_s_own() -> None:
    assert drop_articles("an egg the egg", articles=["the"]) == "an egg egg"


def test_equal_compares_values() -> None:
    assert equal([1, 2], [1, 2]) == 1.0
    assert equal("1", 1) == 0.0
    assert equal(None, None) == 1.0
    assert contains("abc", "bc") == 1.0
    assert contains("abc", "cb") == 0.0
    assert starts_with("abc", "ab") == 1.0


SCALARS = st.sampled_from([True, False, 0, 1, 2, "1", "true", None])
STRICT = [
    (True, 1), (False, 0), (1.0, True), ([1, True], [1, 1]), ([[0]], [[False]]), ({"a": {"b": True}}, {"a": {"b": 1}}),
    ({True: "x"}, {1: "x"}), (frozenset({True}), frozenset({1})), (frozenset({(1, "a")}), frozenset({(True, "a")})),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), STRICT, ids=repr)
def test_a_boolean_is_no_number(one: Any, other: Any) -> None:
    compare = scoring.scorer("equal")
    assert compare.score(one, other).value == compare.score(other, one).value == 0.0
    assert [found.value for found in compare.score_many([one, one, other], [other, one, other])] == [0.0, 1.0, 1.0]
    assert scoring.scorer("align(equal)").score([one], [other]).value == 0.0
    assert scoring.scorer("booleans_as_numbers | equal").score(one, other).value == 1.0


def test_a_boolean_is_no_number_in_lists_and_sets() -> None:
    pairs: list[tuple[list[Any], list[Any]]] = [([True, "a"], [1, "a"]), ([[True, "a"]], [[1, "a"]])]
    for one, other in pairs:
        assert scoring.scorer("to_set | equal").score(one, other).value == 0.0
        assert scoring.scorer("to_set | jaccard").score(one, other).value == (1 / 3 if "a" in one else 0.0)
        assert scoring.scorer("to_set | set_f1").score(one, other).value == (0.5 if "a" in one else 0.0)
        assert scoring.scorer("to_set | booleans_as_numbers | jaccard").score(one, other).value == 1.0
    assert scoring.scorer("to_set | jaccard").score([True, 0], [1, False]).value == 0.0
    assert scoring.scorer("to_set | jaccard").score([True, 2], [True, 3]).value == 1 / 3


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=2), inner), max_leaves=6))
def test_strict_values_are_those_that_json_tells_apart(value: Any) -> None:
    other = as_numbers(value)
    same = json.dumps(value) == json.dumps(other)
    assert scoring.scorer("equal").score(value, other).value == float(same)
    assert scoring.scorer("equal").score(value, value).value == 1.0


def as_numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: as_numbers(item) for key, item in value.items()}
    return int(value) if isinstance(value, bool) else value


def test_the_batch_form_gives_the_same_bits() -> None:
    chance = random.Random(0)
    words = ["".join(chance.choice("abcé ") for _ in range(chance.randint(0, 12))) for _ in range(400)]
    pairs = list(zip(words[:200], words[200:], strict=True))
    batch = registry.of_function(levenshtein).batch
    assert batch is not None
    plain = [levenshtein(one, other) for one, other in pairs]
    assert list(batch([one for one, _ in pairs], [other for _, other in pairs])) == plain


@pytest.mark.property
@given(st.text(alphabet="aé\u0301\u0327\u0344\u0323가ㄱ", max_size=40), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_accents_in_order_normalise_to_the_same(part: str, form: Any) -> None:
    text = part + "e" + "\u0301\u0327\u0323" * 400 + part
    assert unicodedata.normalize(form, order_combining_marks(text)) == unicodedata.normalize(form, text)
