"""The word that was meant."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.diagnostics.suggest import nearest

NAMES = [
    "number",
    "lower",
    "mae",
    "mse",
    "tolerance",
    "near_str_match",
    "exact_str_match",
    "zero_below",
    "to_set",
    "iou",
]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("numbr", "number"),
        ("nubmer", "number"),
        ("MAE", "mae"),
        ("tol", "tolerance"),
        ("NearStrMatch", "near_str_match"),
        ("near-str-match", "near_str_match"),
        ("toset", "to_set"),
        ("zero_bellow", "zero_below"),
        ("zero_belo", "zero_below"),
        ("banana", None),
        ("", None),
        ("m", None),
        ("x" * 100, None),
        ("to", None),
    ],
)
def test_nearest_name(word: str, meant: str | None) -> None:
    assert nearest(word, NAMES) == meant


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("balanced_accuracy", "relaxed accuracy"),
        ("win_rate", "hit rate"),
        ("cosine_similarity", "code similarity"),
        ("match", "smatch"),
        ("std", "stdin stdout"),
        ("abs_error", "rms error"),
    ],
)
def test_another_word_is_no_misspelled_one(word: str, other: str) -> None:
    assert nearest(word, ["ours"], {other: "ours"}) is None


@pytest.mark.parametrize(
    ("word", "other"),
    [("relxed_accuracy", "relaxed accuracy"), ("hit_rat", "hit rate"), ("letter", "letter to text"), ("em", "em")],
)
def test_another_name_may_be_misspelled_or_begun(word: str, other: str) -> None:
    assert nearest(word, ["ours"], {other: "ours"}) == "ours"


def test_a_prefix_of_several_names_is_no_hint_by_itself() -> None:
    assert nearest("strip", ["strip_left", "strip_right"]) is None


@pytest.mark.property
@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=6))
@example("\x1f", [""])  # no words on either side
def test_suggests_a_candidate_other_than_the_word(word: str, candidates: list[str]) -> None:
    meant = nearest(word, candidates)
    assert meant is None or (meant in candidates and meant != word)
