"""docs/tutorial.md can be followed: its files are written, its commands print what it shows, its Python is true.

`UPDATE_TRANSCRIPTS=1` writes the outputs anew; read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY
from tests.support.pages import follow

PATH = REPOSITORY / "docs" / "tutorial.md"


def test_the_page_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    commands = follow(PATH, tmp_path, is_same=is_same_find, python=hold_python)
    assert commands >= 9
    assert (tmp_path / "runs/first/report.html").is_file()


def is_same_find(shown: str, found: str) -> bool:
    """Whether a search finds the best first: what it finds below grows with the house."""
    if not shown.startswith("$ scoring list --about"):
        return False
    return shown.splitlines()[2].split()[:2] == found.splitlines()[2].split()[:2]


def hold_python(text: str) -> None:
    """Each line runs, and where a comment says what it gives, it gives that."""
    names: dict[str, object] = {}
    held = 0
    for line in text.splitlines():
        code, _, told = line.partition("  # ")
        if told:
            assert repr(eval(code, names)) == told  # the page's own lines
            held += 1
        else:
            exec(code, names)
    assert held == 3
