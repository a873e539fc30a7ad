"""The laws of an audit: each is broken by a scorer that breaks it, and by no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.engine.audit.changes import CHANGES, is_changed, typos
from scoring.engine.audit.laws import LAWS, Audit, AuditPair, audit
from scoring.engine.audit.pairs import audit_pack, audit_task
from scoring.format.load import Loader
from scoring.result import NotApplicable, Outcome
from tests.support.golden import REPOSITORY


def tried(score: Callable[[Any, Any], Any], reference: Any, prediction: Any = None) -> Audit:
    def outcome(answer: Any, gold: Any) -> Outcome:
        try:
            return Outcome(float(score(answer, gold)))
        except Exception as error:
            return Outcome.of_exception(error)

    return audit("it", [AuditPair(prediction, reference, outcome)])


def broken(found: Audit) -> list[str]:
    return [verdict.law for verdict in found.failed()]


def test_a_sound_scorer_breaks_nothing() -> None:
    found = tried(lambda answer, gold: answer == gold, "Main Street 24")
    assert broken(found) == []
    assert all(found.verdicts[law].holds for law in LAWS)


def test_a_reference_that_does_not_score_1() -> None:
    assert broken(tried(lambda answer, gold: 0.5 * (answer == gold), "abcdef")) == ["reference"]
    found = tried(lambda answer, gold: 1 / 0, "abcdef")
    assert found.verdicts["reference"].broken[0].found == "unscored: ZeroDivisionError: division by zero"


def test_an_empty_answer_that_scores() -> None:
    """`in` takes the empty text for a part of everything, a bug of more than one benchmark."""
    assert broken(tried(lambda answer, gold: answer in gold, "abcdef")) == ["empty"]


def test_typos_that_help() -> None:
    assert broken(tried(lambda answer, gold: answer == gold or (len(set(answer)) % 2), "abcd")) == ["typos"]


@pytest.mark.parametrize(
    ("law", "reference"),
    [
        ("case", "Main Street"),
        ("whitespace", "Main Street"),
        ("order", ["a", "b"]),
        ("keys", {"a": 1, "b": 2}),
        ("numbers", [1, 2]),
    ],
)
def test_a_change_that_is_not_overlooked(law: str, reference: Any) -> None:
    def exact(answer: Any, gold: Any) -> bool:
        return repr(answer) == repr(gold)

    strict, blind = tried(exact, reference), tried(lambda answer, gold: bool(answer), reference)
    assert strict.verdicts[law].holds is False
    assert blind.verdicts[law].holds is True
    assert broken(strict) == []
    assert [verdict.law for verdict in strict.failed([law])] == [law]


def test_several_references_are_answers_one_by_one() -> None:
    found = tried(lambda answer, gold: answer in gold, ["Rome", "Roma"])
    assert (found.verdicts["reference"].tried, found.verdicts["reference"].holds) == (2, True)


def test_what_is_not_applicable_is_not_tried() -> None:
    def refuses(answer: Any, gold: Any) -> float:
        raise NotApplicable("nothing to score", mark=-1)

    assert all(verdict.tried == 0 for verdict in tried(refuses, "a", "b").verdicts.values())


def test_swapped_arguments_are_noticed() -> None:
    found = tried(lambda answer, gold: len(set(answer) & set(gold)) / max(1, len(set(answer))), "abcd", "ab")
    assert found.verdicts["swapped"].holds is False


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=8,
    )
)
def test_changes_never_fail_and_leave_their_input_alone(value: Any) -> None:
    before = repr(value)
    for change in CHANGES.values():
        change(value)
    assert repr(value) == before
    assert not is_changed(value, value)


@given(st.text(max_size=40))
def test_each_typo_adds_to_those_before(text: str) -> None:
    wrong = [sum(a != b for a, b in zip(text, found, strict=True)) for found in typos(text)]
    assert wrong == sorted(set(wrong))
    assert len(wrong) <= 4


def test_a_task_is_audited_on_its_examples_and_on_records() -> None:
    task = scoring.load(
        {
            "kind": "task",
            "name": "t",
            "parse": "json",
            "fields": {"a": "casefold | equal", "b": "equal"},
            "record": {"reference": "gold"},
            "examples": [{"response": '{"a": "x", "b": "Y"}', "reference": {"a": "X", "b": "Y"}, "expect": 1}],
        }
    )
    found = audit_task(task, [{"id": 1, "response": "{}", "gold": {"a": "Q", "b": "Z"}}])
    assert [one.name for one in found] == ["a", "b"]
    assert [one.verdicts["reference"].tried for one in found] == [2, 2]
    assert [one.verdicts["case"].holds for one in found] == [True, False]


def pack(name: str) -> dict[str, list[str]]:
    loader = Loader()
    path = Path(REPOSITORY / "specs" / name / "pack.yaml")
    return {one.name: broken(one) for one in audit_pack(loader.file(path), loader) if broken(one)}


def test_the_documented_megabench_pack_is_sound() -> None:
    assert pack("megabench") == {}


def test_the_known_faults_of_released_code_are_found() -> None:
    found = pack("megabench-upstream")
    assert found["set_equality"] == ["empty"]
    assert found["code_result_exact_str_match"] == ["reference"]
    assert pack("mmesgbench-upstream")["fuzzy"] == ["reference"]
