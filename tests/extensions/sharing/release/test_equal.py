"""The laws that a proof uses hold: on every character, in the neighbourhoods in which a character may change."""

from __future__ import annotations

import sys
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.compiler.tasks.compile import compile_task
from scoring.extensions.sharing.release.equal import _PLAIN, canonical_program
from scoring.extensions.sharing.release.patterns import pattern_form
from scoring.format.load import Loader

EDGES = (str.strip, lambda text: " ".join(text.split()))
CASES = (str.lower, str.upper, str.casefold)
AROUND = ("{}", " {} ", "a{} b", "Σ{}", "Σ {} ", "{}Σ", "AΣ{}\u0301 Σ")


@pytest.mark.parametrize("around", AROUND)
def test_case_and_white_space_commute_on_every_character(around: str) -> None:
    # All in one text per law would hide what stands at the edges: each sign is tried by itself.
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        # Only signs with another case, white space, and marks that case looks past can tell the two apart.
        if not (sign.isspace() or sign != sign.swapcase() or code < 0x3000):
            continue
        text = around.format(sign)
        for case in CASES:
            for edges in EDGES:
                assert case(edges(text)) == edges(case(text)), (hex(code), around)


TEXTS = st.text(max_size=8) | st.text("abcA ", max_size=6)
PROVED = [
    ("lower | strip | equal", "strip | lower | equal"),
    ("casefold | collapse_spaces | equal", "collapse_spaces | strip | casefold | equal"),
    ('combine("p - q * p", p=levenshtein, q=indel)', 'combine("-(p * q) + p", p=levenshtein, q=indel)'),
    ('find("[A-D]x[\\\\d_]") | equal', 'find("[DCBA]x[_\\\\d]") | equal'),
    ("levenshtein | zero_below(0.5) | zero_below(0.5)", "levenshtein | zero_below(0.5)"),
    ("levenshtein | zero_below(0.3) | zero_below(0.5)", "levenshtein | zero_below(0.5) | zero_below(0.2)"),
    ("levenshtein | zero_below(0)", "levenshtein"),
    ("equal | zero_below(0.5)", "equal | zero_below(1)"),
    ("any_of(equal, levenshtein | zero_below(0.5))", "any_of(levenshtein | zero_below(0.5), equal)"),
    ("all_of(equal, indel)", "all_of(indel, equal, indel)"),
    (
        "lower | any_of(strip | levenshtein, strip | levenshtein) | zero_below(0.2)",
        "lower | strip | levenshtein | zero_below(0.2)",
    ),
    ('combine("a", a=levenshtein)', "levenshtein"),
    ('combine("max(a, b) + 0", a=levenshtein, b=indel)', 'combine("max(b, 1 * a)", a=levenshtein, b=indel)'),
    (
        'combine("min(a, b, c)", a=levenshtein, b=indel, c=equal)',
        'combine("min(c, b, a)", a=levenshtein, b=indel, c=equal)',
    ),
    ('find("(a|b)c?") | equal', 'find("([ab])c?") | equal'),
    ('find("(?:a)b") | equal', 'find("ab") | equal'),
    ('find("a{1}b*b") | equal', 'find("ab+") | equal'),
    ('find("aa*?a") | equal', 'find("a{2,}?") | equal'),
]
NOT_PROVED = [
    ("levenshtein | zero_below(0.3)", "levenshtein | zero_below(0.5)"),
    ("absolute_error | zero_below(2)", "absolute_error | zero_below(1)"),
    ("absolute_error | invert | zero_below(0)", "absolute_error | invert"),
    ("equal | zero_below(0.5)", "levenshtein | zero_below(0.5)"),
    ("levenshtein | zero_below(0.5)", "levenshtein"),
    # Where one fails and the other does not, which of two statuses there is goes by their order.
    ("any_of(number | equal, levenshtein)", "any_of(levenshtein, number | equal)"),
    ("levenshtein | zero_below(0.5, strict=true)", "levenshtein | zero_below(0.5)"),
    ('combine("a + 0 * b", a=levenshtein, b=number | equal)', "levenshtein"),
    ('combine("a - b", a=levenshtein, b=indel)', 'combine("b - a", a=levenshtein, b=indel)'),
    ('find("(a|b)c") | equal', 'find("[ab]c") | equal'),
    ('find("a|ab") | equal', 'find("ab|a") | equal'),
    ('find("a+?") | equal', 'find("a+") | equal'),
    ('find("(?i)a") | equal', 'find("a") | equal'),
    ('find("(?P<x>a)", group="x") | equal', 'find("(?P<y>a)", group="y") | equal'),
]


def form(expression: str) -> Any:
    loader = Loader()
    task = compile_task(loader.data({"kind": "task", "name": "t", "score": expression}), loader)[0]
    return canonical_program(task.parts.recipe.meaning["fields"][0]["score"])


@pytest.mark.parametrize(("one", "other"), PROVED)
def test_what_is_equal_has_one_form(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), NOT_PROVED)
def test_what_may_differ_has_two(one: str, other: str) -> None:
    assert form(one) != form(other)


scorer = cache(scoring.scorer)
VALUES = st.one_of(st.text(max_size=4), st.integers(-3, 3), st.none(), st.lists(st.text(max_size=2), max_size=2))


@pytest.mark.parametrize(("one", "other"), [*combinations(sorted(_PLAIN), 2)])
@given(pair=st.tuples(VALUES, VALUES))
def test_of_plain_comparators_none_has_to_be_first(one: str, other: str, pair: tuple[Any, Any]) -> None:
    first, second = (scorer(f"any_of({', '.join(names)})").score(*pair) for names in ((one, other), (other, one)))
    assert (first.value, first.status) == (second.value, second.status)


@pytest.mark.parametrize(("one", "other"), PROVED)
@given(pair=st.tuples(TEXTS, TEXTS))
def test_what_is_proved_to_be_equal_scores_alike(one: str, other: str, pair: tuple[str, str]) -> None:
    first, second = scorer(one).score(*pair), scorer(other).score(*pair)
    assert (first.value, first.status) == (second.value, second.status)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[a-c]", "[cab]"),
        ("[^a-c]", "[^bca]"),
        ("(?i)[A-C]x", "(?i)[CBA]x"),
        ("(?i)[a-c]", "(?i)[A-Cc]"),
        (r"[\d\s]", r"[\s\d]"),
        ("(?x) a  # a letter", "a"),
    ],
)
def test_classes_have_one_writing(one: str, other: str) -> None:
    assert pattern_form(one) == pattern_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[a-c]", "[a-d]"),
        ("[^a]", "[a]"),
        ("[a-c]", "(?i)[a-c]"),
        (r"[\d]", "[0-9]"),
        ("(a)b", "a(b)"),
        ("(?i)[𐐀-𐐂]", "(?i)[𐐀𐐁𐐂]"),
    ],
)
def test_patterns_that_differ_stay_apart(one: str, other: str) -> None:
    assert pattern_form(one) != pattern_form(other)
