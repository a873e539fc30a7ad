"""What is told of a whole column at once is what is told value by value."""

from __future__ import annotations

import math
from collections import OrderedDict
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.data.nulls import column_without_nulls, without_nulls
from scoring.data.plain_columns import are_plain
from scoring.data.plain_values import as_plain, is_simple
from scoring.values import same_value

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5, math.nan, "a", "1", 10**400])
ODD = st.sampled_from([np.float64("nan"), np.int64(1), Decimal("1"), OrderedDict(a=None), b"a"])


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(["a", "b"])
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner) | st.tuples(inner),
        max_leaves=6,
    )


VALUES = nested(SCALARS | ODD)
COLUMNS = st.lists(VALUES, max_size=5)


def shown(value: Any) -> str:
    """A value with its classes, NaN the same as NaN."""
    return repr(value)


@given(COLUMNS)
def test_a_column_is_plain_only_where_no_value_would_change(values: list[Any]) -> None:
    if are_plain(values):
        assert shown(values) == shown(list(map(as_plain, values)))


@given(VALUES)
def test_a_simple_value_stays_what_it_is(value: Any) -> None:
    if is_simple(value):
        assert shown(value) == shown(without_nulls(as_plain(value)))


@given(COLUMNS)
def test_nulls_leave_a_column_as_they_leave_each_value(values: list[Any]) -> None:
    assert shown(column_without_nulls(values)) == shown(list(map(without_nulls, values)))


@given(st.lists(st.tuples(nested(SCALARS), nested(SCALARS)), min_size=2, max_size=5))
def test_equality_in_columns_is_equality_of_pairs(pairs: list[tuple[Any, Any]]) -> None:
    own, theirs = [one for one, _ in pairs], [other for _, other in pairs]
    equal = scoring.scorer("equal")
    scores = [outcome.value for outcome in equal.score_many(own, theirs)]
    assert scores == [equal.score(one, other).value for one, other in pairs]
    assert scores == [float(same_value(one, other)) for one, other in zip(*map(plain_of, (own, theirs)), strict=True)]


def plain_of(values: list[Any]) -> list[Any]:
    return list(map(as_plain, values))


@given(
    st.lists(st.fixed_dictionaries({"id": SCALARS, "response": VALUES, "reference": VALUES}), min_size=1, max_size=4)
)
def test_a_batch_gives_what_each_record_gives_whatever_it_holds(records: list[dict[str, Any]]) -> None:
    for on_null in ("absent", "value"):
        task = scoring.load(
            {
                "kind": "task",
                "name": "t",
                "on_null": on_null,
                "parse": "json",
                "fields": {"a": {"score": "equal"}, "b": {"score": "equal"}},
            }
        )
        together = [(shown(one.id), one.to_json()) for one in task.score_batch(records)]
        assert together == [(shown(one.id), one.to_json()) for one in map(task.score, records)]
