"""The signs of words, arguments and what is common, and the trees that read them: by hand, and of hostile texts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.extensions.editors.analogies import ANALOGIES, Analogies
from scoring.extensions.editors.candidates import NextName
from scoring.extensions.editors.commonness import COMMONNESS, Commonness
from scoring.extensions.editors.completing import candidates_in
from scoring.extensions.editors.continuations import Continuations
from scoring.extensions.editors.forest import DecisionTrees
from scoring.extensions.editors.ranking import Ranking
from scoring.extensions.editors.returning import RETURNS
from scoring.extensions.editors.siblings import SIBLINGS, Siblings, earlier_arguments
from scoring.extensions.editors.situation import situation_at
from scoring.extensions.editors.uses import StepUse
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
    totals = {one.name: sum(wording.signs(one)[:9]) for one in CANDIDATES}
    assert max(totals, key=lambda name: totals[name]) == best


def test_a_share_of_letters_by_hand() -> None:
    """`unfence` has the runs `^unf`, `unfe`, `nfen`, `fenc`, `ence`, `nce$`; "fenc" has `^fen`, `fenc`, `enc$`."""
    signs = Wording(CANDIDATES[:1], ["fences"]).signs(CANDIDATES[0])
    assert signs[0] == 0.0
    assert signs[1] == pytest.approx(1 / 6, abs=1e-12)
    assert signs[3:] == (0.0, 0.0)  # it is the best of one


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
    assert common.signs("lower")[1:] == (2 / 3, 0.0, 0.0)
    assert common.signs("bench/x")[1:] == (1 / 3, 2.0, 1.0)
    assert common.signs("other_bench/q")[1:] == (0.0, 1.0, 1.0)
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
    assert totals[:30] == [0.61] * 30  # 0.4 behind, as after 40 trees


def test_what_other_entries_make_of_their_names() -> None:
    uses = [
        StepUse("to_dict", "", "sides.prediction", 0, 0, path=("scorers", "as_dicts", "score")),
        StepUse("to_set", "strip", "", 0, 1, path=("scorers", "as_sets", "score")),
        StepUse("equal", "sides", "", 0, 1, path=("scorers", "as_dicts", "score")),
    ]
    analogies = Analogies(uses, ("scorers", "as_boxes", "score"), [], "sides.prediction")
    assert analogies.signs("to_boxes") == (2.0, 1.0)
    assert analogies.signs("tagged_boxes") == (0.0, 0.0)  # no entry has one that is tagged
    assert analogies.signs("to_dict") == (0.0, 0.0)
    assert analogies.signs("equal") == (0.0, 0.0)


PACK_TEXT = """\
kind: pack
name: own
version: 1.0.0
transforms:
  tidy: {transform: lower | strip}
  cut: {transform: upper | length}
  said: {transform: 'strip | ^'}
"""


def test_what_candidates_return() -> None:
    offset = PACK_TEXT.index("^")
    found = situation_at(PACK_TEXT.replace("^", ""), Path("own.yaml"), offset)
    candidates = candidates_in(found)
    ranking = Ranking(found)
    signs = {one.name: dict(zip(RETURNS, ranking.returning(candidates).signs(one), strict=True)) for one in candidates}
    assert signs["tidy"]["kind of the result"] == signs["lower"]["kind of the result"] == 3.0
    assert signs["cut"]["kind of the result"] == signs["length"]["kind of the result"] == 2.0
    assert signs["lower"]["kind of what flows"] == 3.0
    assert signs["tidy"]["candidates of that result"] > signs["cut"]["candidates of that result"]
    assert signs["tidy"]["first step used here"] == math.log1p(1)
    assert signs["tidy"]["habit of its first step"] < 0.0 == signs["lower"]["habit of its first step"]


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), max_size=70))
def test_what_is_kept_has_the_sum_of_all_trees_and_what_is_left_is_no_better(rows: list[list[int]]) -> None:
    trees = [[0, 1, 1, [1, 0, 2, 5]]] * 60 + [[1, 2, 3, 0]] * 60
    found = DecisionTrees([[0, 1, 2], [0, 1, 2]], trees).totals(rows)
    whole = [(60 * (1 if a <= 1 else 2 if b <= 0 else 5) + 60 * (3 if b <= 2 else 0)) / 1000 for a, b in rows]
    assert len(found) == len(rows)
    kept = [one for one, other in zip(found, whole, strict=True) if one == other]
    assert len(kept) >= min(len(rows), 25)
    assert not rows or max(found) in kept


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5), st.text(max_size=20))
def test_any_text_has_finite_signs(before: str, words: list[str], name: str) -> None:
    one = NextName(name, "step", name, "", before)
    signs = (
        *Wording([one, *CANDIDATES], words, [before], [], [name], words).signs(one),
        *Siblings(before, words).signs(name),
        *Commonness(before, Continuations([before])).signs(name),
        *Analogies([StepUse(name, "", "", 0, 0, path=(before,))], (*words, before), words, "").signs(name),
    )
    assert len(signs) == len(WORDING) + len(SIBLINGS) + len(COMMONNESS) + len(ANALOGIES)
    assert all(map(math.isfinite, signs))
