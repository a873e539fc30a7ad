"""Work that grows with both sides is bounded in packs too."""

from __future__ import annotations

import pytest

import scoring


@pytest.mark.parametrize(
    ("text", "one", "other", "sizes"), [("anls@1:docvqa", "a" * 540_000, ["ab" * 270_000], "540,000 and 540,000 items")]
)
def test_work_of_a_pack_that_grows_with_both_sides_is_bounded(
    text: str, one: object, other: object, sizes: str
) -> None:
    found = scoring.scorer(text).score(one, other)
    assert (found.status, sizes in str(found.reason)) == ("unscored", True)
