"""A broken spec of a data set, and what its author sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.api import check_file
from scoring.diagnostics.render.formats import FORMATS
from tests.diagnostics.test_cases import check_case

CASE = Path(__file__).parent / "cases" / "key-of-another-kind.yaml"


def test_the_author_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    check_case(CASE, monkeypatch)


@pytest.mark.parametrize("name", FORMATS)
def test_the_case_can_be_shown_in_every_format(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE.parent)
    assert FORMATS[name](check_file(CASE.name), False)
