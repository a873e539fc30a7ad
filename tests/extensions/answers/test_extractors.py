"""Ready-made extractors: what holds for any text, and what is refused. docs/extractors.md shows what they take."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.extensions.answers.marked import find_number, in_tags
from scoring.extensions.answers.options import choice_letter, named_option, nearest_option
from scoring.result import Unparsed
from tests.support.waiting import cpu_time_below

PIECES = [
    "A",
    "B",
    "C",
    "I",
    "a",
    "b",
    "(",
    ")",
    "answer is ",
    "Answer: ",
    "\\boxed{",
    "}",
    "**",
    "$",
    ". ",
    " ",
    "\n",
    "not ",
    "x",
]
TAGS = ["<a>", "</a>", "<A x='1'>", "</a >", "<ab>", "<", ">", "x", "\n", " "]
HOSTILE = ["A ", "(", "answer is ", "\\boxed{", "1,111,", "one ", "<answer>", "<answer ", "```", "1", " ", "\u0662"]
SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
EXTRACTORS = [
    "choice_letter", "find_number(words=true)", "in_tags", 'unfence(pick="last", missing="refuse")', "boxed",
    "final_answer", 'named_option(options=["a", "b"])',
]  # fmt: skip


@pytest.mark.property
@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_letter_is_one_of_those_that_are_asked_for(text: str) -> None:
    try:
        assert choice_letter(text, letters="ABC") in "ABC"
    except Unparsed:
        assert not re.search(r"(?<![^\s(])[BC](?![^\s).])(?<!not [BC])(?<!not \([BC])", text)


@pytest.mark.property
@given(text=st.lists(st.sampled_from(TAGS), max_size=12).map("".join), pick=st.sampled_from(["first", "last"]))
def test_tags_are_paired_as_a_pattern_that_takes_as_little_as_it_can_pairs_them(text: str, pick: Any) -> None:
    wanted = re.findall(r"(?is)<a(?:\s[^<>]*)?>(.*?)</a(?:\s[^<>]*)?>", text)
    try:
        assert in_tags(text, tag="a", pick=pick) == wanted[0 if pick == "first" else -1].strip()
    except Unparsed:
        assert not wanted


@pytest.mark.property
@given(value=st.integers(-(10**12), 10**12), before=st.sampled_from(["", "so ", "$", "#### ", "= ", "("]))
def test_a_written_number_is_found(value: int, before: str) -> None:
    for written in (f"{value}", f"{value:,}", f"{value}.0"):
        assert find_number(f"{before}{written}.") == value


@given(value=st.integers(0, 999_999_999))
def test_a_number_in_words_is_what_it_says(value: int) -> None:
    assert find_number(f"about {spelled(value)} of them", words=True) == value


def spelled(value: int) -> str:
    """A number in English words."""
    tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if value < 20:
        return SMALL[value]
    if value < 100:
        return tens[value // 10] + (f"-{SMALL[value % 10]}" if value % 10 else "")
    for size, name in ((1_000_000, " million"), (1000, " thousand"), (100, " hundred")):
        if value >= size:
            rest = value % size
            return spelled(value // size) + name + (f"{' and' if size == 100 else ''} {spelled(rest)}" if rest else "")
    raise AssertionError


@pytest.mark.parametrize("expression", EXTRACTORS)
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_long_text_of_anything_costs_little(expression: str, unit: str) -> None:
    text = unit * (300_000 // len(unit))  # what grows with the square would take minutes
    with cpu_time_below(5):
        given = scoring.scorer(f"sides(prediction={expression}, reference={expression}) | equal").score(text, text)
    assert given.status in ("scored", "unparsed", "unscored")
    assert given.status == "scored" or given.reason


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('choice_letter(letters="a-d")', "capitals from A to Z"),
        ('choice_letter(letters="")', "capitals from A to Z"),
        ('in_tags(tag="<answer>")', "the name of a tag"),
        ('find_number(pick="middle")', "does not know"),
        ("named_option", "needs its parameter `options`"),
    ],
)
def test_settings_that_mean_nothing_are_refused(expression: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        scoring.parser(expression)


@pytest.mark.parametrize("options", ["red", 3, None, ["red", None], ["red"] * 27, {"A": ["red"]}])
def test_a_record_without_options_is_unscored(options: Any) -> None:
    task = scoring.load(
        {
            "kind": "task",
            "name": "t",
            "record": {"options": "options"},
            "score": "named_option(options=record.options) | equal",
        }
    )
    found = task.score({"id": 1, "response": "red", "reference": "A", "options": options})
    assert found.status == "unscored"
    assert found.reason


def test_the_option_of_several_that_is_mentioned() -> None:
    options = {"A": "one", "B": "two", "C": "", "D": 3}
    assert named_option("One, two", options=options) == "B"
    assert named_option("One, two", options=options, pick="first") == "A"
    assert named_option("it is 3", options=options, pick="only") == "D"
    assert nearest_option("tow", options=options) == "B"
    for text, settings in (("one, two", 'pick="only"'), ("four", 'pick="last"'), ("one", "least_words=2")):
        scorer = scoring.scorer(f"sides(prediction=named_option(options=context.options, {settings})) | equal")
        assert scorer.score(text, "A", context={"options": options}).status == "unparsed"


def test_texts_are_replaced_in_the_order_of_the_table() -> None:
    assert scoring.parser('replace_each(table={a="b", b="c", ""="x"})').parse("ab") == "cc"
    with pytest.raises(Unparsed, match="more than"):
        scoring.parser('replace_each(table={a="' + "b" * 200 + '"})').parse("a" * 200_000)


def test_only_one_item_is_the_one() -> None:
    assert scoring.parser('find_all(r"[A-D]") | only').parse("(C)") == "C"
    with pytest.raises(Unparsed, match="this one has 2"):
        scoring.parser('find_all(r"[A-D]") | only').parse("(C) (D)")
