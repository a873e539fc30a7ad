"""Hostile files of images end as the table says."""

from __future__ import annotations

from tests.hostile.table import Hostile
from tests.hostile.test_table import check_outcome, named


@named(lambda hostile: hostile.kind != "rows" and hostile.family != "columns")
def test_a_hostile_file_ends_as_the_table_says(hostile: Hostile) -> None:
    check_outcome(hostile)
