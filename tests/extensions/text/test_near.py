"""Texts of which one is a part of the other, and transcripts, where the official packages leave something open."""

from __future__ import annotations

import pytest

import scoring
from scoring.extensions.text.near import partial_ratio
from scoring.extensions.text.transcripts import normalize_transcript


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
