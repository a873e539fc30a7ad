"""What a cascade gives lies in its range, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.test_ranges import LEAVES, TEXTS, check_range, wrapped


def wrapped_or_cascade(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    cascade = st.tuples(inner, inner).map(lambda p: f"cascade(rule={p[0]}, unsure={p[1]})")
    return st.one_of(wrapped(inner), cascade)


@pytest.mark.property
@given(
    text=st.recursive(LEAVES, wrapped_or_cascade, max_leaves=4),
    pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8),
)
def test_what_a_scorer_gives_lies_in_its_range(text: str, pairs: list[tuple[str, str]]) -> None:
    check_range(text, pairs)
