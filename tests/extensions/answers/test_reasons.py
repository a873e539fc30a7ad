"""A reader of numbers says what it takes and what it was given."""

from __future__ import annotations

from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("pipeline", "prediction", "reference", "reason"),
    [("float_value | mmesgbench/same_quantity", object(), 1, "a value of the class `object` is not a number")],
)
def test_a_reader_of_numbers_says_what_it_was_given(
    pipeline: str, prediction: Any, reference: Any, reason: str
) -> None:
    assert scoring.scorer(pipeline).score(prediction, reference).reason == reason
