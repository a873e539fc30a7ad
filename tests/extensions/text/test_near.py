"""Texts of which one is a part of the other, and transcripts, where the official packages leave something open."""

from __future__ import annotations

import sys
import types

import pytest

import scoring
from scoring.extensions.text import transcripts
from scoring.extensions.text.near import partial_ratio
from scoring.extensions.text.transcripts import normalize_english_transcript, normalize_transcript


@pytest.mark.parametrize(("one", "other", "ratio"), [("", "", 1.0), ("", "a", 0.0), ("a b", "x a b y", 1.0)])
def test_a_part_is_found_whichever_side_has_it(one: str, other: str, ratio: float) -> None:
    assert partial_ratio(one, other) == partial_ratio(other, one) == ratio


def test_too_many_parts_are_not_compared() -> None:
    found = scoring.scorer("partial_ratio").score("a" * 2_000, "b" * 2_000)
    assert (found.status, found.reason) == (
        "unscored",
        "texts of 2,000 and 2,000 characters have too many parts to be compared",
    )
    assert partial_ratio("a" * 100_000, "a" * 100_000) == 1.0


@pytest.mark.parametrize(("text", "made"), [("<" * 9, " "), ("a (b", "a b"), ("]a[", " a "), ("x) (y", "x y")])
def test_an_open_bracket_removes_nothing(text: str, made: str) -> None:
    assert normalize_transcript(text) == made


def test_without_whispers_normaliser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts._english_normalizer.cache_clear()
    monkeypatch.setitem(sys.modules, "whisper_normalizer.english", None)
    found = scoring.scorer("normalize_english_transcript | equal").score("a", "a")
    assert found.reason == "Whisper's normaliser of English needs the extra `speech`: pip install 'scoring-dsl[speech]'"


def test_what_whispers_normaliser_is_given_has_nothing_that_costs_it_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    class Normalizer:
        ignore_patterns = r"\b(um)\b"

        def __call__(self, text: str) -> str:
            given.append(text)
            return text

    transcripts._english_normalizer.cache_clear()
    module = types.SimpleNamespace(EnglishTextNormalizer=Normalizer)
    monkeypatch.setitem(sys.modules, "whisper_normalizer.english", module)
    for text, kept in (("<" * 9, "|" * 9), ("Um um um 'a", "  'a"), ("(a)b(", "b|")):
        assert normalize_english_transcript(text) == kept
    transcripts._english_normalizer.cache_clear()
    assert len(given) == 3
