"""Columns of scores are no tables where the extension for columns is not there."""

from __future__ import annotations

import scoring
from tests.unit.data.test_without_extensions import WORDS, check_no_table, without_extensions


def test_columns_are_no_tables() -> None:
    with without_extensions():
        check_no_table(scoring.load(WORDS).score_columns(["A"], ["a"]))
