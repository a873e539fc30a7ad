"""Broken specs and what the author sees.

Each case is a spec beside the text that `scoring check` shows for it. After a wanted change of a message,
`SCORING_UPDATE=1 pytest tests/diagnostics/test_cases.py` writes the texts anew, to be read in review.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring.api import check_file
from scoring.diagnostics.render.formats import FORMATS
from scoring.diagnostics.render.text import render_as_text

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".yaml", ".json"))


def shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(path.parent)
    return render_as_text(check_file(path.name)) + "\n"


def check_case(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the author of a broken spec sees the text beside it."""
    found = shown(path, monkeypatch)
    expected = path.with_suffix(".txt")
    if os.environ.get("SCORING_UPDATE"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
    assert f" {path.name}:" in found, "a finding without a place"


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_the_author_sees_what_is_wrong(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_case(path, monkeypatch)


def test_there_are_enough_cases_and_no_text_without_a_spec() -> None:
    assert len(CASES) >= 60
    assert {path.stem for path in FOLDER.glob("*.txt")} == {path.stem for path in CASES}


@pytest.mark.parametrize("name", FORMATS)
def test_every_case_can_be_shown_in_every_format(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    for path in CASES:
        assert FORMATS[name](check_file(path.name), False)
