"""The laws that a proof uses hold: on every character, in the neighbourhoods in which a character may change."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.sharing.release.equal import canonical_pattern

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


PROVED = [
    ("lower | strip | equal", "strip | lower | equal"),
    ("casefold | collapse_spaces | equal", "collapse_spaces | strip | casefold | equal"),
    ("fold_case | equal", "lower | equal"),
    ("fold_case(sensitive=true) | levenshtein", "levenshtein"),
    ('combine("p - q * p", p=levenshtein, q=indel)', 'combine("-(p * q) + p", p=levenshtein, q=indel)'),
    ('find("[A-D]x[\\\\d_]") | equal', 'find("[DCBA]x[_\\\\d]") | equal'),
]


@pytest.mark.parametrize(("one", "other"), PROVED)
@given(pair=st.tuples(st.text(max_size=8), st.text(max_size=8)))
def test_what_is_proved_to_be_equal_scores_alike(one: str, other: str, pair: tuple[str, str]) -> None:
    first, second = scoring.scorer(one).score(*pair), scoring.scorer(other).score(*pair)
    assert (first.value, first.status) == (second.value, second.status)


@pytest.mark.parametrize(
    ("one", "other"), [("[a-c]", "[cab]"), ("[^a-c]", "[^bca]"), ("(?i)[A-C]x", "(?i)[CBA]x"), (r"[\d\s]", r"[\s\d]")]
)
def test_classes_have_one_writing(one: str, other: str) -> None:
    assert canonical_pattern(one) == canonical_pattern(other)


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
    assert canonical_pattern(one) != canonical_pattern(other)
