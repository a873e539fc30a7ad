"""What commands write: whole or not at all, and one line where it can't be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring.data.output import write_file
from scoring.errors import InputError

TASK = "kind: task\nname: t\nscore: equal\n"


def test_a_write_that_fails_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*paths: object, **folders: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.txt"
    write_file(path, b"old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"can't write .*: no space left on device; free some space"):
        write_file(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"


def test_what_is_no_file_stays_what_it_is() -> None:
    null = Path("/dev/null")
    write_file(null, b"gone")
    assert null.is_char_device()
