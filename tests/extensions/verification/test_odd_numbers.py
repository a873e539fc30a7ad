"""A number that makes no sense is refused."""

from __future__ import annotations

import pytest

from tests.unit.cli.test_main import check_odd_number


@pytest.mark.parametrize("arguments", [["verify", "run", "--processes", "0"]])
def test_a_number_that_makes_no_sense_is_refused_by_verify(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    check_odd_number(arguments, capsys)
