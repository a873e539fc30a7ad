"""The signs of words, arguments and what is common, and the trees that read them: by hand, and of hostile texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.commonness import COMMONNESS, Commonness
from scoring.extensions.editors.continuations import Continuations
from scoring.extensions.editors.forest import DecisionTrees
from scoring.extensions.editors.siblings import SIBLINGS, Siblings, earlier_arguments
from scoring.extensions.editors.wording import WORDING, Wording, stems

CANDIDATES = [
    NextName("unfence", "step", "unfence", "", "Return the content of the first code fence."),
    NextName("lower", "step", "lower", "", "Convert the text to lower case.", ("casefold",)),
    NextName("absolute_error", "step", "absolute_error", "", "Return the distance of two numbers."),
]


def test_words_lose_the_endings_of_english_and_the_commonest_are_left_out() -> None:
    assert stems("Code fences around them are ignored") == ["code", "fenc", "around", "them", "ignor"]


@pytest.mark.parametrize(
    ("doc", "best"),
    [
        ("1 for the same text, code fences around either of them ignored.", "unfence"),
        ("1 minus ten times the absolute difference.", "absolute_error"),
        ("Equal in lower case.", "lower"),
    ],
)
def test_what_the_doc_speaks_of_is_the_best_by_name_letters_or_summary(doc: str, best: str) -> None:
    wording = Wording(CANDIDATES, ["score"], doc.split(), [])
    totals = {one.name: sum(wording.signs(one)[: len(WORDING) // 2]) for one in CANDIDATES}
    assert max(totals, key=lambda name: totals[name]) == best


def test_a_share_of_letters_by_hand() -> None:
    """`unfence` has the runs `^unf`, `unfe`, `nfen`, `fenc`, `ence`, `nce$`; "fenc" has `^fen`, `fenc`, `enc$`."""
    signs = Wording(CANDIDATES[:1], ["fences"]).signs(CANDIDATES[0])
    assert signs[0] == 0.0
    assert signs[1] == pytest.approx(1 / 6, abs=1e-12)
    assert signs[3:] == (0.0, 0.0, 0.0)  # it is the best of one


def test_the_steps_of_the_arguments_before() -> None:
    assert earlier_arguments("variants(lower | strip, lower | find('a,b') | upper, lower | ") == [
        ["lower", "strip"],
        ["lower", "find", "upper"],
    ]
    assert earlier_arguments("sides(prediction=words | length, reference=") == [["words", "length"]]
    assert earlier_arguments("lower | strip") == []
    assert earlier_arguments("all_of(lower) | ") == []


def test_arguments_that_began_alike_say_how_it_goes_on() -> None:
    siblings = Siblings("variants(lower | strip, upper | find, lower | words, lower | ", ["lower"])
    assert siblings.signs("words") == (1.0, 1 / 3, 1.0, 1.0, 3.0)
    assert siblings.signs("strip") == (1 / 3, 1 / 3, 1.0, 0.0, 3.0)
    assert siblings.signs("find") == (0.0, 1 / 3, 1.0, 0.0, 3.0)


def test_what_is_common_in_shipped_specs() -> None:
    common = Commonness(
        "bench/answers", Continuations(["a: lower | bench/x", "b: other_bench/y | maths.z", "c: lower"])
    )
    assert common.signs("lower")[1:] == (2 / 3, 0.0, 0.0, 0.0)
    assert common.signs("bench/x")[1:] == (1 / 3, 2.0, 1.0, 0.0)
    assert common.signs("other_bench/q")[1:] == (0.0, 1.0, 1.0, 0.0)
    assert common.signs("maths.z")[4] == 2.0
    assert common.signs("maths.q")[4] == 1.0
    assert common.signs("lower")[0] > common.signs("maths.z")[0] > common.signs("never")[0]


def test_trees_add_up_what_they_say_of_the_signs() -> None:
    forest = DecisionTrees([[0.5, 1.5], [10.0]], [[0, 0, 100, [1, 0, 200, 300]], [0, 1, 0, 1000]])
    assert forest.totals([[0.5, 99.0], [1.0, 10.0], [2.0, 11.0]]) == [0.1, 0.2, 1.3]
    assert forest.totals([]) == []


def test_candidates_that_are_far_behind_are_not_asked_everything_and_stay_behind() -> None:
    trees = [[0, 0, 0, 10]] * 100 + [[0, 0, 5000, 1]] * 10
    rows = [[0.0]] * 30 + [[1.0]] * 50
    totals = DecisionTrees([[0.5]], trees).totals(rows)
    assert totals[30:] == [1.01] * 50
    assert totals[:30] == [0.01] * 30


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5), st.text(max_size=20))
def test_any_text_has_finite_signs(before: str, words: list[str], name: str) -> None:
    one = NextName(name, "step", name, "", before)
    signs = (
        *Wording([one, *CANDIDATES], words, [before], []).signs(one),
        *Siblings(before, words).signs(name),
        *Commonness(before, Continuations([before])).signs(name),
    )
    assert len(signs) == len(WORDING) + len(SIBLINGS) + len(COMMONNESS)
    assert all(map(math.isfinite, signs))
