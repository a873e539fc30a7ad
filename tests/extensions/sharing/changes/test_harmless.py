"""Edits that move nothing are called so: the thirty of the table."""

from __future__ import annotations

import pytest

from tests.property.harmless import HARMLESS, main, said

BY_WRITING = 20
"""So many of them are one program by their writing; of the others laws prove that they score alike."""


@pytest.mark.parametrize("name", HARMLESS)
def test_an_edit_that_moves_nothing_needs_no_more_than_a_patch(name: str) -> None:
    assert said(*HARMLESS[name])["check"] == ""


def test_an_edit_that_moves_something_is_none_of_them() -> None:
    found = said({"score": "levenshtein | zero_below(0.3)"}, {"score": "levenshtein | zero_below(0.5)"})
    assert found["meaning"] == "moves"
    assert found["check"].startswith("major")


def test_the_command_prints_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == [f"meaning: {BY_WRITING} of 30 are harmless", "check: 30 of 30 are harmless"]
