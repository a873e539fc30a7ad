"""A number of thousands of digits is not audited."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.data.test_output import ROWS, SPEC


@pytest.mark.parametrize("place", ["id", "response", "reference", "group"])
def test_a_number_of_5000_digits_is_refused(place: str) -> None:
    row = {**ROWS[0], "group": "x", place: 10**5000}
    with pytest.raises(scoring.InputError, match="can't be audited: it holds a number of more than 4,300 digits"):
        scoring.audit(SPEC, [row])
