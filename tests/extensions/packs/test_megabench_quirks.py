"""What odd tasks of MEGA-Bench need, and nothing else does."""

from __future__ import annotations

import pytest

from scoring.packs.megabench.odd_tasks import equal_if_positive, final_drawing, nonempty_mapping, strip_end_of_items
from scoring.result import NotApplicable, Unparsed


def test_numbers_that_are_both_0_or_less_are_not_applicable() -> None:
    assert equal_if_positive(3, 3) == 1.0
    assert equal_if_positive(-1, 3) == 0.0
    with pytest.raises(NotApplicable) as reason:
        equal_if_positive(0, -1)
    assert reason.value.mark == -1.0


def test_marks_of_chess_are_dropped() -> None:
    assert strip_end_of_items(frozenset({"Qh5+!", 3}), characters="+!") == {"Qh5", 3}


def test_a_drawing_keeps_its_indentation() -> None:
    assert final_drawing("Answer:\n\n  /\\\n /  \\ \n\n") == "  /\\\n /  \\"
    assert final_drawing("Answer:\n x ", trailing_spaces=True) == " x "


@pytest.mark.parametrize("value", [{}, [], None, "x"])
def test_a_response_that_holds_no_fields_is_unparsed(value: object) -> None:
    assert nonempty_mapping({"a": None}) == {"a": None}
    with pytest.raises(Unparsed, match="an object with fields"):
        nonempty_mapping(value)
