"""Outcomes: a status that is none is refused where it is made."""

from __future__ import annotations

import pytest

from scoring.result import Outcome


def test_a_status_that_is_none_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match=r"no status 'too long': .* write Outcome\.unparsed\(reason\)"):
        Outcome("unparsed", "too long")  # type: ignore[arg-type]


def test_an_unparsed_outcome_has_no_value() -> None:
    assert Outcome.unparsed("no number was found") == Outcome(None, "unparsed", "no number was found")
