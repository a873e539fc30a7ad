"""docs/questions.md can be followed: its specs are as they say, its commands print what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.golden import REPOSITORY
from tests.support.pages import follow


def test_the_page_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    assert follow(REPOSITORY / "docs" / "questions.md", tmp_path) >= 10
