"""The functions of formulas."""

from __future__ import annotations

from scoring.lang.functions import FUNCTIONS
from scoring.lang.words import CALLS


def test_the_words_that_call_a_function_are_its_functions() -> None:
    assert {*FUNCTIONS, "if", "fields"} == CALLS
