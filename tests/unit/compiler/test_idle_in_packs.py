"""`scoring check` tells what a pack declares and never uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.cli.main import main

PACK = """\
kind: pack
name: close
version: 1.0.0
scorers:
  near: {params: {threshold: 0.8, dead: 1}, score: levenshtein | zero_below(threshold)}
  _own: equal
"""


def test_a_parameter_that_nothing_uses_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "close.yaml"
    path.write_text(PACK)
    assert main(["check", str(path), "--format", "concise"]) == 0
    said = "".join(capsys.readouterr())
    assert "`near` does not use its parameter `dead`" in said
    assert "nothing uses `_own`" in said
    assert "`threshold`" not in said


def test_a_parameter_that_is_kept_says_what_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "close.yaml"
    path.write_text(PACK.replace("dead: 1", "dead: {default: 1, doc: Kept for files of the old form.}"))
    assert main(["check", str(path), "--format", "concise"]) == 0
    assert "dead" not in "".join(capsys.readouterr())
