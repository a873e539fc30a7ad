"""Hostile files of columns, and of what is packed as they are, end as the table says."""

from __future__ import annotations

import pytest

from tests.hostile.table import Hostile
from tests.hostile.test_table import check_outcome, named, of_core


@named(lambda hostile: hostile.kind == "rows" and hostile.family != "columns" and not of_core(hostile))
def test_a_hostile_table_of_text_ends_as_the_table_says(hostile: Hostile) -> None:
    check_outcome(hostile)


@named(lambda hostile: hostile.family == "columns")
def test_a_hostile_file_ends_as_the_table_says(hostile: Hostile) -> None:
    pytest.importorskip("pyarrow")
    check_outcome(hostile)
