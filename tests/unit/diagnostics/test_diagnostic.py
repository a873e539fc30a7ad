"""Collecting, sorting and raising findings."""

from __future__ import annotations

import copy
import pickle

import pytest

from scoring.diagnostics.diagnostic import Diagnostics, Label, SpecError
from scoring.diagnostics.source import Source


def test_findings_come_in_reading_order_each_once() -> None:
    one, two = Source("a.yaml", "ab\ncd"), Source("b.yaml", "ab")
    found = Diagnostics()
    found.warning("w", "late", two.span(0, 1))
    found.error("z", "same place", one.span(3, 4))
    found.warning("a", "same place", one.span(3, 4))
    found.error("e", "first", one.span(0, 1))
    found.error("e", "first", one.span(0, 1))
    found.error("nowhere", "no file")
    assert [one.id for one in found.sorted()] == ["nowhere", "e", "z", "a", "w"]
    assert len(found) == 6


def test_only_errors_are_raised() -> None:
    found = Diagnostics()
    found.warning("w", "hm")
    found.raise_errors()
    span = Source("a", "xy").span(1, 2)
    found.error("e", "no", span, "here", secondary=[Label(None, "there")], help="a", note=["b", "c"])
    with pytest.raises(SpecError) as caught:
        found.raise_errors()
    assert str(caught.value) == "warning[w]: hm\na:1:2: error[e]: no\n  here\n  a"
    kept = caught.value.diagnostics[1]
    assert (kept.help, kept.note, kept.secondary) == (("a",), ("b", "c"), (Label(None, "there"),))


def test_errors_travel_between_processes() -> None:
    error = SpecError.of("e", "no", Source("a", "x\ny").span(2, 3))
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert other.diagnostics == error.diagnostics
        assert str(other) == str(error)
