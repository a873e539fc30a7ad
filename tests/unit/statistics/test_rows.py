"""Rows are columns: arrays inside, lists of scores and words to whoever reads their attributes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.outcomes import STATUSES, UNSCORED
from scoring.statistics.rows import Column, Rows

scores = st.one_of(st.none(), st.floats(0, 1))
records = st.lists(st.tuples(scores, st.sampled_from(STATUSES), st.sampled_from([True, False, None])), max_size=12)


def rows_of(found: list[tuple[float | None, str, bool | None]]) -> Rows:
    held, statuses, passed = (list(column) for column in zip(*found, strict=True)) if found else ([], [], [])
    return Rows(list(range(len(found))), held, statuses, [1.0] * len(found), passed)  # words


@given(records)
def test_attributes_read_as_the_lists_that_they_were_made_of(
    found: list[tuple[float | None, str, bool | None]],
) -> None:
    rows = rows_of(found)
    assert list(zip(rows.scores, rows.statuses, rows.passed, strict=True)) == found
    assert [rows.scores[place] for place in range(len(rows))] == [score for score, _, _ in found]
    assert rows.statuses[:2] == [status for _, status, _ in found[:2]]


@given(records, st.data())
def test_selected_rows_stand_in_the_order_of_the_places(
    found: list[tuple[float | None, str, bool | None]], data: st.DataObject
) -> None:
    places = data.draw(st.permutations(range(len(found))))[: len(found) // 2 + 1]
    some = rows_of(found).select(np.array(places, dtype=int))
    assert list(zip(some.ids, some.scores, some.statuses, some.passed, strict=True)) == [
        (place, *found[place]) for place in places
    ]


def test_arrays_are_kept_as_they_are() -> None:
    held, codes, passed, total = (
        np.array([0.5, np.nan]),
        np.array([0, 2], "uint8"),
        np.array([1, -1], "int8"),
        np.ones(2),
    )
    rows = Rows(["a", "b"], held, statuses=codes, passed=passed, weights=total, fields={"x": held})
    assert rows.values() is held
    assert rows.values("x") is held
    assert rows.codes is codes
    assert rows.decided is passed
    assert rows.weights is total
    assert list(rows.passed) == [True, None]
    assert list(rows.statuses) == ["scored", "unparsed"]


def test_what_is_not_said_of_records_is_plain() -> None:
    rows = Rows(["a", "b"], [0.5, None])
    assert (rows.statuses, rows.passed, rows.weights.tolist()) == (["scored", "unscored"], [None, None], [1.0, 1.0])


def test_what_is_missing_counts_as_a_given_score() -> None:
    rows = Rows(["a", "b"], [1.0, None], ["scored", "not_applicable"], [1.0, 1.0], [True, None], {"x": [None, None]})
    filled = rows.with_unscored_at("low")
    assert (filled.scores, filled.passed) == ([1.0, None], [True, None])
    absent = Rows(["a"], [None], ["unscored"], [1.0], [None], {"x": [0.5], "y": [None]}).with_unscored_at("high")
    assert (absent.scores, absent.passed, absent.fields["x"], absent.fields["y"]) == ([1.0], [True], [0.5], [1.0])
    assert absent.codes.tolist() == [UNSCORED]


def test_a_word_that_is_no_outcome_is_refused() -> None:
    with pytest.raises(KeyError):
        Rows(["a"], [1.0], ["scord"], [1.0], [None])


def test_a_column_is_shown_as_its_list() -> None:
    assert repr(Column(np.array([0.5, np.nan]))) == "[0.5, None]"
