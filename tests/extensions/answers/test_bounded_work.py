"""Work that grows with both sides is bounded."""

from __future__ import annotations

import pytest

import scoring


@pytest.mark.parametrize(
    ("text", "one", "other", "sizes"),
    [
        ("match_in_order(equal)", ["a"] * 1_001, ["b"] * 1_001, "1,001 and 1,001 items"),
        ("match_in_order(levenshtein)", ["a" * 9_000] * 3, ["b" * 9_000] * 3, "27,000 and 27,000 characters"),
    ],
)
def test_work_that_grows_with_both_sides_is_bounded(text: str, one: object, other: object, sizes: str) -> None:
    found = scoring.scorer(text).score(one, other)
    assert (found.status, sizes in str(found.reason)) == ("unscored", True)
