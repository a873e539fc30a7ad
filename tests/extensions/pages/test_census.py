"""The census on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.road.test_census import check_shown


def test_what_it_shows_of_hostile_answers_is_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_shown(tmp_path, capsys, "--html")
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "can never equal their references" in page
    assert "<script>alert" not in page
