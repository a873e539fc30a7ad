"""A number that is too large for figures ends no run whose state is sums."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.test_ranges import check_large_number


@pytest.mark.parametrize("given", ["1e100", "-1e200", "1e308"])
@pytest.mark.parametrize("state", ["sums"])
def test_a_number_too_large_for_sums_is_unscored_and_ends_no_run(given: str, state: Any) -> None:
    check_large_number(given, state)
