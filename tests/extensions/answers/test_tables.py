"""The form of `character_similarity` for all pairs of two lists gives what the plain form gives one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.registry import registry

TEXTS = st.lists(st.text("ab é", max_size=5), min_size=1, max_size=6)


@pytest.mark.property
@given(TEXTS, TEXTS)
def test_a_table_gives_what_pairs_give(left: list[str], right: list[str]) -> None:
    found = registry.get("character_similarity")
    assert found is not None
    assert found.table is not None
    table = found.table(left, right).tolist()
    assert repr(table) == repr([[found.function(one, other) for other in right] for one in left])
