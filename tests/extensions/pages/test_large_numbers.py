"""A number of thousands of digits ends no page."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.data.test_output import ROWS, SPEC


@pytest.mark.parametrize("place", ["id", "response", "reference", "group"])
def test_a_number_of_5000_digits_ends_no_page(place: str) -> None:
    row = {**ROWS[0], "group": "x", place: 10**5000}
    assert scoring.evaluate(SPEC, [row, {**ROWS[0], "id": 2, "group": "y"}], by="group").page()
