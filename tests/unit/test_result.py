"""Outcomes: a status that is none is refused where it is made."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scoring.result import Outcome


def test_a_status_that_is_none_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match=r"no status 'too long': .* write Outcome\.unparsed\(reason\)"):
        Outcome("unparsed", "too long")  # type: ignore[arg-type]


def test_an_unparsed_outcome_has_no_value() -> None:
    assert Outcome.unparsed("no number was found") == Outcome(None, "unparsed", "no number was found")


def test_a_copy_is_checked_as_a_new_one_is() -> None:
    with pytest.raises(ValueError, match="no status 'fine'"):
        replace(Outcome(1.0), status="fine")


def test_outcomes_with_notes_are_told_apart_and_can_be_in_a_set() -> None:
    noted, other = Outcome(1.0, notes={"pairs": [1]}), Outcome(1.0)
    assert noted != other
    assert {noted, other, Outcome(1.0)} == {other, noted}
