"""Parts of texts by position, characters by category, words by a table, numbers with fixed decimals."""

from __future__ import annotations

import string
import unicodedata
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.packs.megabench.texts import as_lower_text


def made(expression: str, value: Any) -> Any:
    return scoring.parser(expression).parse(value)


@pytest.mark.property
@given(st.text(), st.integers(-9, 9), st.integers(-9, 9))
def test_substring_cuts_as_python_does(text: str, start: int, stop: int) -> None:
    assert made(f"substring({start}, {stop})", text) == text[start:stop]
    assert made("same", text) == text


@pytest.mark.property
@given(st.text())
def test_punctuation_of_ascii_is_pythons(text: str) -> None:
    assert made('remove_punctuation("ascii")', text) == "".join(one for one in text if one not in string.punctuation)
    kept = made('remove_categories(["P", "Sm"])', text)
    assert kept == "".join(
        one for one in text if unicodedata.category(one)[0] != "P" and unicodedata.category(one) != "Sm"
    )


@pytest.mark.property
@given(st.floats(-1e12, 1e12), st.integers(0, 6))
def test_a_number_is_rounded_as_it_is_stored(number: float, decimals: int) -> None:
    exact = Decimal(number).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
    assert Decimal(made(f"format_number({decimals})", number)) == exact


@pytest.mark.parametrize(
    ("expression", "value", "wanted"),
    [
        ('format_number(2, thousands=" ")', 1234567.891, "1 234 567.89"),
        ('format_number(thousands=",")', 10**12, "1,000,000,000,000"),
        ("format_number(1)", -0.04, "-0.0"),
        ('remove_categories(["Mn"])', "e\u0301", "e"),
        ("substring(0, 2)", "\U0001f600ab", "\U0001f600a"),
    ],
)
def test_by_hand(expression: str, value: Any, wanted: str) -> None:
    assert made(expression, value) == wanted


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ('remove_categories(["X"])', "`X` is no general category of Unicode"),
        ("format_number(16)", "at least 0 and at most 15"),
        ("substring(0.5)", "whole number"),
        ("split | substring(1)", "takes Text"),
    ],
)
def test_a_wrong_setting_is_told(expression: str, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        scoring.parser(expression)


def test_a_number_that_is_too_large_is_unparsed() -> None:
    found = scoring.scorer("format_number | equal").score(1e80, "x")
    assert (found.status, "too large" in str(found.reason)) == ("unparsed", True)


def test_an_end_is_cut() -> None:
    assert made('strip_end("+!#")', "Qh5+!#") == "Qh5"


def test_a_value_of_any_kind_is_lower_text() -> None:
    assert as_lower_text({"K": ["A", 1, 2.0, 0.5, None, ("X",)]}) == {"K": ["a", "1", "2", "0.5", None, ("x",)]}
    assert as_lower_text(frozenset({"A", True})) == frozenset({"a", "true"})


def test_words_are_replaced_by_a_table() -> None:
    assert made('map_words(table={"two"="2", dont="don\'t"})', "i dont see two") == "i don't see 2"


def test_words_of_a_table_are_bounded_by_what_they_write() -> None:
    found = scoring.scorer("sides(prediction=map_words(table=context.t)) | equal")
    said = found.score("a " * 1_000, "x", context={"t": {"a": "y" * 100_000}}).reason
    assert said == "the words of the table make a text of 100,001,000 characters, and 20,000,000 are the most"
    assert found.score("a " * 100, "x", context={"t": {"a": "y" * 100_000}}).value == 0.0
