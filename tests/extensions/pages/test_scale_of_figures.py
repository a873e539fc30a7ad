"""A page draws each figure on its own scale."""

from __future__ import annotations

import scoring
from tests.unit.api.test_ranges import RECORDS, RIGHT, TWO


def test_a_page_draws_a_figure_on_its_own_scale() -> None:
    page = scoring.evaluate(TWO, [*RECORDS, {"id": 9, "response": {"a": "x", "b": 1}, "reference": RIGHT}]).page()
    assert 'width="56.7"' in page  # a mean of 2.8333 of 3, of 60 pixels
    assert 'width="40.0"' in page  # the record with 2 of 3
