"""Replays the transcripts. `UPDATE_TRANSCRIPTS=1 pytest tests/cli` rewrites them; read the diff."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.transcript import files, replay

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", files(HERE / "transcripts"), ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shutil.copytree(HERE / "files", tmp_path, dirs_exist_ok=True)
    expected = path.read_text("utf-8")
    found = replay(expected, tmp_path)
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(found, "utf-8")
    assert found == expected
