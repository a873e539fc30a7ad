"""A form for all pairs of two lists gives what the plain form gives one by one, to the bit, or it is not taken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.registry import registry

TEXTS = st.text("abcé ", max_size=12)
PLAIN_NUMBERS = st.one_of(st.integers(-10, 10), st.floats(-3, 3), st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300]))
NUMBERS = st.one_of(PLAIN_NUMBERS, st.integers(), st.floats(), st.booleans())
SHORT_LISTS = st.lists(st.lists(st.integers(0, 2), max_size=2), max_size=3)
# What each must do with, what may be left to the plain form, and settings.
CASES: dict[str, tuple[st.SearchStrategy[Any], st.SearchStrategy[Any], list[dict[str, float]]]] = {
    "absolute_error": (PLAIN_NUMBERS, NUMBERS, [{}]),
    "within": (PLAIN_NUMBERS, NUMBERS, [{}, {"relative": 0.01}, {"absolute": 0.5}, {"ulps": 0}]),
    "levenshtein": (TEXTS, TEXTS, [{}]),
    "equal": (st.one_of(TEXTS, NUMBERS), st.one_of(TEXTS, NUMBERS, SHORT_LISTS), [{}]),
}


def test_every_table_form_is_held() -> None:
    with_table = [found for found in registry if found.table is not None]
    assert {one.name for one in with_table if one.function.__module__.startswith("scoring.primitives")} == set(CASES)


@pytest.mark.property
@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_a_table_gives_what_pairs_give(name: str, data: st.DataObject) -> None:
    found = registry.get(name)
    assert found is not None
    assert found.table is not None
    plain, others, settings = CASES[name]
    must_do = data.draw(st.booleans())
    values = st.lists(plain if must_do else others, min_size=1, max_size=6)
    left, right, chosen = data.draw(values), data.draw(values), data.draw(st.sampled_from(settings))
    try:
        table = found.table(left, right, **chosen).tolist()
    except (TypeError, OverflowError):
        assert not must_do
        return
    assert repr(table) == repr([[found.function(one, other, **chosen) for other in right] for one in left])
