"""Columns of a host are compared as deep as single records."""

from __future__ import annotations

import pytest

from scoring.depth import DEEPEST
from tests.property.test_depth import everywhere, of_depth


@pytest.mark.parametrize("depth", [DEEPEST, DEEPEST + 1])
def test_columns_have_the_same_bound_as_records(depth: int) -> None:
    task, deep, flat = of_depth(depth)
    columns = [[record[part] for record in (deep, flat)] for part in ("response", "reference")]
    found = everywhere(lambda: [one.score for one in task.score_columns(*columns).results])
    assert found == [1.0 if depth <= DEEPEST else None, 1.0]
