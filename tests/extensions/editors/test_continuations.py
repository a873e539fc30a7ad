"""The signs from texts that go on after the same words: by hand, of hostile texts, and as the order uses them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.editors.continuations import CONTINUATIONS, Continuations, ContinuationSigns, tokens_of
from scoring.extensions.editors.ranking import SIGNS
from scoring.extensions.editors.situation import situation_at

SHIPPED = Continuations(["a: lower | strip | equal\nb: lower | strip | equal\n", "c: upper | strip | levenshtein\n"])


def test_what_comes_after_more_words_is_part_of_what_comes_after_fewer() -> None:
    one, two, three, four, *_ = SHIPPED.after(tokens_of("x: lower | strip |"))
    assert one == {"strip": 3, "equal": 2, "levenshtein": 1}
    assert two == {"equal": 2, "levenshtein": 1}
    assert three == two
    assert four == {"equal": 2}


def test_texts_do_not_go_on_in_one_another() -> None:
    assert not any(SHIPPED.after(["levenshtein"])[0].keys() - {"\0"})


def test_shares_by_hand() -> None:
    """After `|` there are 3 strip, 2 equal, 1 levenshtein; after `strip |` 2 and 1; after `lower | strip |` 2 equal."""
    signs = ContinuationSigns("lower | strip |", "", SHIPPED).signs("equal")
    assert signs[1] == 4.0
    assert signs[3] == 0.0  # the text itself says nothing of it
    first = (2 + 1.5 * 0.001) / (6 + 1.5)
    second = (2 + 1 * first) / (3 + 1)
    third = (2 + 1 * second) / (3 + 1)
    fourth = (2 + 0.5 * third) / (2 + 0.5)
    assert signs[0] == pytest.approx(math.log(fourth), abs=1e-12)


def test_the_text_itself_counts_before_and_behind_the_place() -> None:
    there, _, here, length, both = ContinuationSigns("a: foo | bar\nb: foo |", "\nc: foo | baz", SHIPPED).signs("baz")
    assert length == 3.0  # `: foo |`
    assert here > there
    assert both < here


def test_a_name_that_was_never_met_is_less_likely_than_any_that_was() -> None:
    signs = ContinuationSigns("x: lower |", "", SHIPPED)
    assert signs.signs("never_met")[0] < signs.signs("levenshtein")[0] < signs.signs("strip")[0]


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=20))
def test_any_text_has_finite_signs(before: str, behind: str, name: str) -> None:
    signs = ContinuationSigns(before, behind, SHIPPED).signs(name)
    assert len(signs) == len(CONTINUATIONS)
    assert all(map(math.isfinite, signs))


@pytest.mark.parametrize("sign", ["'", '"', "\\'", '\\"', "'\\", "\0", "|", "x|'", "\ue000"])
def test_hostile_texts_are_read_once(sign: str) -> None:
    """Half a million signs on each side: only what is near counts, and an open quotation ends soon."""
    signs = ContinuationSigns(sign * 500_000, sign * 500_000, SHIPPED).signs("equal")
    assert all(map(math.isfinite, signs))


def test_the_trees_know_the_signs() -> None:
    first = SIGNS.index(CONTINUATIONS[0])
    assert SIGNS[first : first + len(CONTINUATIONS)] == CONTINUATIONS


@pytest.mark.parametrize("word", ["", "eq", "equa"])
def test_what_is_half_written_is_not_what_stands_before(word: str) -> None:
    text = f"kind: task\nname: a\nscore: lower | {word}\nmetrics: [mean]\n"
    found = situation_at(text, Path("a.yaml"), text.index("\nmetrics"))
    assert found.texts == ("kind: task\nname: a\nscore: lower | ", "\nmetrics: [mean]\n")
