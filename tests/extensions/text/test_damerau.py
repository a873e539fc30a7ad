"""The edit distance with swaps, and what its bound leaves out."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.text.damerau import damerau_levenshtein
from scoring.registry import registry
from scoring.result import Unscored


@pytest.mark.parametrize(
    ("one", "other", "similarity"),
    [("", "", 1.0), ("a", "", 0.0), ("ab", "ba", 0.5), ("ca", "abc", 1 / 3), ("kitten", "sitting", 4 / 7)],
)
def test_damerau_levenshtein_is_the_true_distance(one: str, other: str, similarity: float) -> None:
    # "ca" to "abc" takes 2 edits; the restricted distance would say 3.
    assert damerau_levenshtein(one, other) == pytest.approx(similarity)
    assert damerau_levenshtein(other, one) == pytest.approx(similarity)


def test_the_batch_form_of_the_distance_gives_the_same_bits() -> None:
    chance = random.Random(0)
    words = ["".join(chance.choice("abcé ") for _ in range(chance.randint(0, 12))) for _ in range(400)]
    pairs = list(zip(words[:200], words[200:], strict=True))
    batch = registry.of_function(damerau_levenshtein).batch
    assert batch is not None
    plain = [damerau_levenshtein(one, other) for one, other in pairs]
    assert list(batch([one for one, _ in pairs], [other for _, other in pairs])) == plain


def test_texts_that_would_take_minutes_are_refused() -> None:
    with pytest.raises(Unscored, match="too long"):
        damerau_levenshtein("a" * 100_000, "b" * 100_000)
    assert damerau_levenshtein("a" * 1_000_000, "a") == pytest.approx(1e-6)


@pytest.mark.property
@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12), st.sampled_from([0.1, 0.5, 0.75, 0.9, 1.0]))
def test_a_bound_of_the_distance_moves_no_score(one: str, other: str, threshold: float) -> None:
    near = scoring.scorer(f"damerau_levenshtein | zero_below({threshold})")
    found = near.score_many([one, other], [other, one])
    with mock.patch("scoring.extensions.text.damerau.LONG", 1):
        assert [near.score(one, other), near.score(other, one)] == found == near.score_many([one, other], [other, one])
    plain = damerau_levenshtein(one, other)
    assert found[0].value == (plain if plain >= threshold else 0.0)


def test_long_texts_that_cannot_reach_a_threshold_are_not_aligned() -> None:
    near = scoring.scorer("damerau_levenshtein | zero_below(0.9)")
    sides = ["abc" * 2_000, "x"], ["de f" * 1_500, "x"]
    refused = mock.Mock(side_effect=AssertionError("aligned"))
    with mock.patch("scoring.extensions.text.damerau.similarity_of", return_value=refused):
        assert near.score(sides[0][0], sides[1][0]).value == 0.0
        assert near.score("x", "x").status == "unscored"
    assert [outcome.value for outcome in near.score_many(*sides)] == [0.0, 1.0]


def test_lists_of_long_texts_are_refused_by_their_sizes() -> None:
    align = scoring.scorer("align(damerau_levenshtein)")
    long, short = (["a" * 3_000] * 8, ["b" * 3_000] * 8), (["b" * 3_000], ["b" * 3_000])
    reason = str(align.score(*long).reason)
    assert reason.startswith("lists of 24,000 and 24,000 characters")
    refused, fine = align.score_many([long[0], short[0]], [long[1], short[1]])
    assert (refused, fine.value) == (align.score(*long), 1.0)
