"""The laws of an audit: each is broken by a scorer that breaks it, and by no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.extensions.audit.changes import CHANGES, is_changed, typed_over, typos
from scoring.extensions.audit.described import LAWS
from scoring.extensions.audit.figures import OF_METRICS
from scoring.extensions.audit.laws import CHECKS, OF_SCORERS, AuditPair, smaller, try_laws
from scoring.extensions.audit.pairs import audit_pack, audit_task, sample
from scoring.extensions.audit.rules import ADVICE, DECLARED, GROUP_OF, LAW_NAMES, AuditRules
from scoring.extensions.audit.verdict import NOTHING_DECLARED, Audit, Declared
from scoring.extensions.audit.wrong import AuditCase, differs
from scoring.extensions.vision.data_set.audit import MUST, OPTIONAL
from scoring.format.load import Loader
from scoring.result import NotApplicable, Outcome
from tests.support.golden import REPOSITORY


def tried(
    score: Callable[[Any, Any], Any],
    reference: Any,
    prediction: Any = None,
    question: Any = None,
    declared: Declared = NOTHING_DECLARED,
) -> Audit:
    def outcome(answer: Any, gold: Any) -> Outcome:
        try:
            return Outcome(float(score(answer, gold)))
        except Exception as error:
            return Outcome.of_exception(error)

    return try_laws("it", [AuditPair(prediction, reference, outcome, question)], declared)


def broken(found: Audit) -> list[str]:
    return [verdict.law for verdict in found.failed()]


def advised(found: Audit) -> list[str]:
    return [verdict.law for verdict in found.advice()]


def smallest(found: Audit, law: str) -> tuple[Any, Any]:
    fault = found.verdicts[law].smallest
    assert fault is not None
    return fault.answer, fault.reference


def plain(value: Any) -> Any:
    """A value without case, space around and forms of numbers: what a careful scorer compares."""
    text = str(value).strip().casefold()
    try:
        return float(text)
    except ValueError:
        return " ".join(text.split())


def same(answer: Any, gold: Any) -> bool:
    return type(answer) is type(gold) and plain(answer) == plain(gold)


def test_a_sound_scorer_breaks_nothing() -> None:
    found = tried(same, "Main Street 24", "main street")
    assert broken(found) == []
    untried = {"empty_reference", "numbers", "marks", "order", "keys", "question", "repeats", "digits", "dates"}
    assert {law for law in OF_SCORERS if found.verdicts[law].holds is None} == untried - {"empty_reference"}


def test_every_law_is_told_and_tried_somewhere() -> None:
    assert set(CHECKS) == set(OF_SCORERS)
    assert tuple(LAWS) == LAW_NAMES
    assert set(OF_SCORERS) | set(OF_METRICS) | {*MUST, *OPTIONAL} == set(LAWS)
    assert set(DECLARED) == set(CHANGES) | {"marks", "accents", "swapped", "question"}
    assert set(ADVICE) == {"question", "newline", "whitespace", "case", "numbers"}


def test_a_reference_that_does_not_score_1() -> None:
    assert broken(tried(lambda answer, gold: 0.5 * same(answer, gold), "abcdef")) == ["reference"]
    found = tried(lambda answer, gold: 1 / 0, "abcdef")
    assert found.verdicts["reference"].broken[0].found == "unscored: its own error: ZeroDivisionError: division by zero"


def words(value: str) -> list[str]:
    return value.casefold().split()


# A scorer with a fault, a reference on which it shows, the law that finds it, and the fault at its smallest.
FAULTS: list[tuple[Callable[[Any, Any], Any], Any, str, tuple[Any, Any] | None]] = [
    (lambda answer, gold: plain(answer) in plain(gold), "abcdef", "empty", ("", "a")),
    (lambda answer, gold: not gold or same(answer, gold), "abcdef", "empty_reference", ("zorvak", "")),
    (lambda answer, gold: max(same(answer, sign) for sign in gold), "energy", "letter", ("e", "ener")),
    (lambda answer, gold: same(answer[:1], gold[:1]), "B", "affix", ("Bzorv", "B")),
    (lambda answer, gold: answer.endswith(gold), "Qh5", "affix", ("zorvQ", "Q")),
    (lambda answer, gold: all(one in words(answer) for one in words(gold)), "Rome", "stuffing", None),
    (lambda answer, gold: set(words(answer)) <= set(words(gold)), "one two three", "part", ("one", "one two t")),
    (lambda answer, gold: set(plain(answer)) == set(plain(gold)), "listen", "anagram", ("tsil", "list")),
    (lambda answer, gold: len(answer) > 100 or same(answer, gold), "Rome", "long", None),
    (lambda answer, gold: abs(float(answer) - float(gold)) <= abs(float(gold)), "250", "threshold", ("4", "2")),
    (lambda answer, gold: bool(answer.strip()), "Rome", "others", ("London", "A")),
]


@pytest.mark.parametrize(("score", "reference", "law", "fault"), FAULTS, ids=[f"{law}" for _, _, law, _ in FAULTS])
def test_a_fault_is_found_and_made_small(score: Any, reference: Any, law: str, fault: Any) -> None:
    found = tried(score, reference)
    assert law in broken(found)
    assert fault in (None, smallest(found, law))
    verdict = found.verdicts[law]
    assert verdict.smallest is not None
    assert verdict.smallest.score is not None


def test_a_small_fault_still_says_something() -> None:
    spec = {"kind": "task", "name": "t/prices", "score": "number | within(relative=0.01)"}
    records = [{"id": place, "response": one, "reference": one} for place, one in enumerate(("$12.50", "$3.99"))]
    found = next(one for one in scoring.audit(spec, records).findings if one["law"] == "reference")
    assert found["smallest"]["answer"] == "$1"


def test_the_question_is_no_answer() -> None:
    def shares_words(answer: Any, gold: Any) -> bool:
        return bool(set(words(answer)) & set(words(gold)))

    asked = "Which street leads to the harbour?"
    assert "question" in advised(tried(shares_words, "harbour street", question=asked))
    assert tried(same, "Main Street", question=asked).verdicts["question"].holds is True


def similarity(answer: str, gold: str) -> float:
    shared = sum(one == other for one, other in zip(plain(answer), plain(gold), strict=False))
    return shared / max(len(answer), len(gold), 1)


@pytest.mark.parametrize(
    ("score", "holds"),
    [
        (lambda answer, gold: value if (value := similarity(answer, gold)) >= 0.5 else 0.0, False),
        (lambda answer, gold: value if (value := similarity(answer, gold)) > 0.5 else 0.0, True),
        (similarity, True),
        (lambda answer, gold: similarity(answer, gold) >= 0.5, None),  # says itself where it passes
    ],
    ids=["kept", "left out", "not cut", "all or nothing"],
)
def test_the_boundary_at_one_half(score: Any, holds: bool | None) -> None:
    assert tried(score, "Lisbon").verdicts["boundary"].holds is holds


@pytest.mark.parametrize("comparison", ["at_least", "zero_below"])
def test_boxes_are_no_texts_so_the_boundary_of_anls_is_not_theirs(comparison: str) -> None:
    spec = {"kind": "task", "name": "t", "score": f"iou | {comparison}(0.5)"}
    boxes = [[place, place, place + 10, place + 20] for place in range(0, 400, 40)]
    records = [{"id": place, "response": one, "reference": one} for place, one in enumerate(boxes)]
    found = scoring.audit(spec, records)
    assert (found.findings, found.advice) == ([], [])


def test_no_comparison_with_nan_holds() -> None:
    def near(answer: Any, gold: Any) -> bool:
        return not abs(float(answer) - float(gold)) > 0.01 * abs(float(gold))

    assert smallest(tried(near, "250"), "threshold") == ("nan", "2")


def test_typos_that_help() -> None:
    assert "typos" in broken(tried(lambda answer, gold: answer == gold or (len(set(answer)) % 2), "abcd"))


@pytest.mark.parametrize(
    ("law", "reference"),
    [
        ("newline", "Main Street"),
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
    assert law not in broken(strict)
    assert (law in advised(strict)) is (GROUP_OF[law] == "form")
    assert (law in [verdict.law for verdict in strict.failed(is_strict=True)]) is (GROUP_OF[law] == "form")
    assert law in [verdict.law for verdict in strict.failed([law])]


def test_of_the_marks_behind_a_move_both_or_none_are_overlooked() -> None:
    assert tried(lambda answer, gold: answer.rstrip("#") == gold.rstrip("#"), "Qh5+").verdicts["marks"].holds is False
    assert tried(lambda answer, gold: answer.rstrip("+#") == gold.rstrip("+#"), "Qh5+").verdicts["marks"].holds is True
    assert tried(lambda answer, gold: answer == gold, "Qh5+").verdicts["marks"].holds is True


def test_several_references_are_answers_one_by_one() -> None:
    found = tried(lambda answer, gold: answer in gold, ["Rome", "Roma"])
    assert (found.verdicts["reference"].tried, found.verdicts["reference"].holds) == (2, True)


def test_a_text_compared_with_each_of_several_references_is_no_list() -> None:
    """Where neither a list nor its texts score, an answer that was given tells what the scorer takes."""

    def loops(answer: str, golds: list[str]) -> float:
        return max(2 * (sign in answer) / (len(answer) + 1) for gold in golds for sign in gold)

    found = tried(loops, ["renewable energy"], "solar power")
    assert {"reference", "letter"} <= set(broken(found))


def test_what_is_not_applicable_is_not_tried() -> None:
    def refuses(answer: Any, gold: Any) -> float:
        raise NotApplicable("nothing to score", mark=-1)

    assert all(verdict.tried == 0 for verdict in tried(refuses, "a", "b").verdicts.values())


def test_a_metric_is_symmetric_only_where_that_is_declared() -> None:
    def share(answer: Any, gold: Any) -> float:
        return len(set(answer) & set(gold)) / max(1, len(set(answer)))

    assert "swapped" not in broken(tried(share, "abcd", "ab"))
    declared = Declared((("the spec", AuditRules({}, ("swapped",))),))
    assert "swapped" in broken(tried(share, "abcd", "ab", declared=declared))


def test_an_exception_has_its_reason_and_is_overruled_by_who_audits() -> None:
    declared = Declared((("the spec", AuditRules({"case": "names are names"})),))
    found = tried(lambda answer, gold: answer == gold, "Rome", declared=declared)
    assert found.verdicts["case"].reason == "names are names"
    assert "case" not in broken(found)
    assert "case" in [verdict.law for verdict in found.failed(["case"])]


def test_what_stands_nearest_is_said_last() -> None:
    near, far = AuditRules({}, ("case",)), AuditRules({"case": "elsewhere", "order": "elsewhere"})
    declared = Declared((("the field a", near), (None, far)))
    assert declared.verdict("case").reason is None
    assert (declared.verdict("order").reason, declared.verdict("order").place) == ("elsewhere", None)


def test_the_work_is_counted_and_what_is_left_is_told() -> None:
    calls = 0

    def outcome(answer: Any, gold: Any) -> Outcome:
        nonlocal calls
        calls += 1
        return Outcome(float(answer == gold))

    found = try_laws("it", [AuditPair(None, f"street {n}", outcome) for n in range(1000)], steps=500)
    assert (found.steps, found.is_spent) == (500, True)
    assert calls <= 500 + 100 * len(LAWS)  # to make faults small takes a fifth of the steps for each


def test_of_many_records_the_same_are_drawn() -> None:
    def records() -> Iterator[dict[str, int]]:
        return ({"id": number} for number in range(10_000))

    first, read = sample(records(), 200, 7)
    assert (len(first), read) == (200, 10_000)
    assert first == sample(records(), 200, 7)[0] != sample(records(), 200, 8)[0]
    assert [one["id"] for one in first] == sorted({one["id"] for one in first})
    assert sample(records(), 200_000, 7)[0] == list(records())


@given(
    st.text(max_size=30)
    | st.lists(st.text(max_size=3), max_size=6)
    | st.dictionaries(st.text(max_size=2), st.integers())
)
def test_smaller_cases_are_smaller(right: Any) -> None:
    case = AuditCase(right, right, ("a", "b", "c"))

    def size(one: AuditCase) -> int:
        return len(one.right) + len(one.others)

    assert all(size(one) < size(case) for one in smaller(case))


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_differs_differs_both_ways_and_never_from_itself(one: str, other: str) -> None:
    assert not differs(one, one)
    assert not differs(one, f" {one.upper()}\n") or one.upper().casefold() != one.casefold()
    if differs(one, other):
        assert differs(other, one)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=8,
    )
)
def test_an_audit_never_fails_whatever_the_values(value: Any) -> None:
    before = repr(value)
    for change in (change for changes in CHANGES.values() for change in changes):
        change(value)
    found = tried(lambda answer, gold: answer == gold, value, value)
    assert repr(value) == before
    assert not is_changed(value, value)
    assert found.verdicts["reference"].holds in (True, None)


@given(st.text(max_size=40), st.integers(1, 40))
def test_each_typo_adds_to_those_before(text: str, count: int) -> None:
    wrong = [sum(a != b for a, b in zip(text, found, strict=True)) for found in typos(text)]
    assert wrong == sorted(set(wrong))
    assert len(wrong) <= 4
    letters = sum(letter.isalnum() for letter in text)
    if letters >= count and "\u10d7" not in text:
        assert sum(a != b for a, b in zip(text, typed_over(text, count), strict=True)) == count


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
    assert [one.name for one in found] == ["a", "b", "(response)", "metric mean"]
    assert [one.verdicts["reference"].tried for one in found[:2]] == [2, 2]
    assert [one.verdicts["case"].holds for one in found[:2]] == [True, False]


def pack(name: str) -> dict[str, list[str]]:
    loader = Loader()
    path = Path(REPOSITORY / "specs" / name / "pack.yaml")
    return {one.name: broken(one) for one in audit_pack(loader.file(path), loader) if broken(one)}


def test_the_known_faults_of_released_code_are_found() -> None:
    found = pack("mmesgbench-upstream")
    assert {"reference", "letter"} <= set(found["fuzzy"])
    assert "empty_reference" in found["int"]
