"""What moves the meaning of a tree."""

from __future__ import annotations

import scoring


def test_the_order_of_a_map_may_matter() -> None:
    one, other = (
        scoring.scorer(f"tree(leaf=equal, paths={{{text}}})").signature
        for text in ("a=equal, b=starts_with", "b=starts_with, a=equal")
    )
    assert one.meaning != other.meaning
