"""Every metric over records says how many it leaves out and why, and has no value where none counts."""

from __future__ import annotations

import pytest

from tests.support.faulty_records import (
    CORE,
    check_figure_over_no_record,
    check_what_is_left_out,
    check_what_is_not_applicable,
    over_records,
)

NAMES = sorted(CORE)


def test_every_metric_over_records_is_held_to_it() -> None:
    assert set(over_records()) >= CORE


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_says_how_many_records_it_leaves_out_and_why(name: str) -> None:
    check_what_is_left_out(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_applicable_is_not_missed(name: str) -> None:
    check_what_is_not_applicable(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_over_no_record_has_no_value(name: str) -> None:
    check_figure_over_no_record(name)
