"""Answers that are wrong though they are near the right one: what finds them blames nobody who compares loosely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import scoring
from scoring.extensions.audit.laws import AuditPair, try_laws
from scoring.extensions.audit.near import NEAR_LAWS, make_near_answers
from scoring.extensions.audit.wrong import AuditCase
from scoring.result import Outcome

PHRASES = ["the harbour at night", "a letter from the mayor", "rising sea levels", "the train leaves before the sun"]
LISTS = [["oak", "elm", "ash"], ["red", "blue"], ["one", "two", "three"], ["north", "south"]]
DATES = ["2021-03-17", "1999-12-31", "2004-07-04", "2015-01-09"]
NUMBERS = ["12", "3.5", "1890", "7"]


def laws_broken(score: Callable[[Any, Any], Any], reference: Any) -> set[str]:
    """The laws of near answers that a function breaks."""

    def outcome(answer: Any, gold: Any) -> Outcome:
        try:
            return Outcome(float(score(answer, gold)))
        except Exception as error:
            return Outcome.of_exception(error)

    found = try_laws("it", [AuditPair(None, reference, outcome)]).verdicts
    return {law for law in NEAR_LAWS if found[law].holds is False}


LITTLE = {"the", "at", "not"}
FAULTS: list[tuple[str, Callable[[Any, Any], Any], Any]] = [
    ("negation", lambda a, b: [w for w in a.split() if w not in LITTLE] == [w for w in b.split() if w not in LITTLE],
     "the harbour at night"),
    ("word_order", lambda a, b: sorted(a.split()) == sorted(b.split()), "the harbour at night"),
    ("spaces", lambda a, b: a.replace(" ", "") == b.replace(" ", ""), "the harbour at night"),
    ("position", lambda a, b: a.split()[1:] == b.split()[1:], "rising sea levels"),
    ("position", lambda a, b: a[1:] == b[1:], ["oak", "elm", "ash"]),
    ("position", lambda a, b: a[:4] == b[:4], "2021-03-17"),
    ("repeats", lambda a, b: list(dict.fromkeys(a)) == b, ["oak", "elm", "ash"]),
    ("digits", lambda a, b: int(float(a.replace(",", ""))) == int(float(b.replace(",", ""))), "12"),
    ("digits", lambda a, b: a.split(",")[0] == b.split(",")[0], "12"),
    ("dates", lambda a, b: sorted(a.split("-")) == sorted(b.split("-")), "2021-03-17"),
    ("dates", lambda a, b: sorted(a.split("/")) == sorted(b.split("/")), "17/3/2021"),
]  # fmt: skip


@pytest.mark.parametrize(("law", "score", "reference"), FAULTS, ids=[f"{law} {what}" for law, _, what in FAULTS])
def test_what_is_overlooked_is_found_by_its_law_alone(law: str, score: Any, reference: Any) -> None:
    assert laws_broken(score, reference) == {law}


@pytest.mark.parametrize(
    "reference", ["the harbour at night", ["oak", "elm", "ash"], "2021-03-17", "12", "7.5", "9/8/2021"]
)
def test_who_compares_exactly_is_not_blamed(reference: Any) -> None:
    assert laws_broken(lambda answer, gold: answer == gold, reference) == set()


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.9])
@pytest.mark.parametrize(
    "comparator",
    [
        "levenshtein",
        "indel",
        "gestalt",
        "chrf",
        "rouge",
        "meteor",
        "casefold | words | bag_f1",
        "words | to_set | jaccard",
    ],
)
def test_whoever_compares_loosely_overlooks_anything_small(comparator: str, threshold: float) -> None:
    assert blamed(f"{comparator} | at_least({threshold})", PHRASES) == set()


@pytest.mark.parametrize(
    ("score", "references"),
    [
        ("levenshtein | at_least(0.8)", DATES),
        ("gestalt | at_least(0.8)", NUMBERS),
        ("indel | at_least(0.7)", NUMBERS),
        ("number | within(relative=0.1)", NUMBERS),
        ("number | within(absolute=0.5)", NUMBERS),
        ("number | rounded | equal", NUMBERS),
        ("align(levenshtein) | at_least(0.7)", LISTS),
        ("to_set | jaccard | at_least(0.5)", LISTS),
        ("find_number | equal", ["12 km away", "room 7 upstairs", "about 15 people", "only 3 left"]),
        ("equal_formulas", ["x plus y", "alpha beta gamma", "pi", "one half"]),
        ("bag_f1 | at_least(0.6)", LISTS),
    ],
)
def test_nor_is_who_compares_numbers_dates_and_lists_loosely(score: str, references: list[Any]) -> None:
    assert blamed(score, references) == set()


@pytest.mark.parametrize(
    ("score", "references", "law", "reason"),
    [
        ("words | sort | equal", PHRASES, "word_order", "`words` makes a list of a text"),
        ('rouge(variant="rouge1")', PHRASES, "word_order", "`rouge` compares without an order"),
        ("chrf", PHRASES, "spaces", "`chrf` compares letters without the spaces between them"),
        (
            'remove_characters(characters=" -") | equal',
            PHRASES,
            "spaces",
            "`remove_characters` is configured for spaces",
        ),
        (
            "find_number | equal",
            ["12 km away", "7 more rooms"],
            "position",
            "`find_number` is about extraction, not about the words of a text",
        ),
        ("meteor", PHRASES, "reference", "`meteor` gives equal texts less than 1"),
        ("to_set | equal", LISTS, "repeats", "`to_set` makes a set, in which nothing appears twice"),
        ("unique | equal", LISTS, "repeats", "`unique` counts duplicates once"),
    ],
)
def test_what_a_step_says_of_itself_needs_no_exception(
    score: str, references: list[Any], law: str, reason: str
) -> None:
    found = audited(score, references)
    assert law not in {one["law"] for one in found.findings}
    (said,) = [one for one in found.to_json()["scorers"][0]["laws"] if one["law"] == law]
    assert (said["excepted"], said["holds"]) == (reason, False)


def test_nothing_is_tried_on_whole_responses_and_on_what_a_law_is_not_about() -> None:
    raw = AuditCase("the harbour at night", "the harbour at night", is_raw=True)
    assert [one for law in NEAR_LAWS for one in make_near_answers(law, raw)] == []
    for value in ("sqrt(2)", "$12.50", {"a": 1}, [0, 0, 10, 20], "", "A"):
        tried = {law for law in NEAR_LAWS for _ in make_near_answers(law, AuditCase(value, value))}
        assert tried <= {"repeats", "position"} if isinstance(value, list) else not tried


def audited(score: str, references: list[Any]) -> Any:
    records = [{"id": place, "response": one, "reference": one} for place, one in enumerate(references)]
    return scoring.audit({"kind": "task", "name": "t", "score": score}, records)


def blamed(score: str, references: list[Any]) -> set[str]:
    return {one["law"] for one in audited(score, references).findings} & set(NEAR_LAWS)
