"""A page of hostile records is written, and is text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.test_hostile import check_command


def test_the_command_line_survives_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_command(tmp_path, capsys, "--html")
    assert (tmp_path / "run" / "report.html").read_bytes().decode()
