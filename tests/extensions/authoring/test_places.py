"""A place that can not be written is one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.unit.data.test_output import check_limit_on_size

Capture = pytest.CaptureFixture[str]


def test_places_that_can_not_be_written_are_one_line(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "metrics.json").write_text('{"field_score_function": {"a": "exact_str_match"}}')
    assert main(["new", "task", str(tmp_path / "file" / "a.yaml")]) == 2
    assert main(["convert", str(tmp_path / "metrics.json"), "-o", str(tmp_path / "none" / "a.yaml")]) == 2
    shown = capsys.readouterr().err.splitlines()
    below = "a part of the path is a file; name a folder there"
    assert shown[0] == f"scoring: can't write {tmp_path / 'file' / 'a.yaml'}: {below}"
    lost = "there is no such file or folder; check the path, and create the folder if it does not exist"
    assert shown[1] == f"scoring: can't write {tmp_path / 'none' / 'a.yaml'}: {lost}"
    assert len(shown) == 2


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="this system holds no folders open")
@pytest.mark.parametrize("command", ["new task big.yaml"])
def test_a_limit_on_the_size_of_a_new_spec_is_told_with_the_next_step(tmp_path: Path, command: str) -> None:
    check_limit_on_size(tmp_path, command)
