"""What commands write: whole or not at all, and one line where it can't be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.data.output import write_file
from scoring.errors import InputError

Capture = pytest.CaptureFixture[str]
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


def test_an_audit_of_a_pack_does_not_pretend_to_read_records(tmp_path: Path, capsys: Capture) -> None:
    pack = tmp_path / "pack.yaml"
    pack.write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    assert main(["audit", str(pack), "records.jsonl"]) == 2
    assert "is a pack, which is audited on its examples; leave records.jsonl out" in capsys.readouterr().err
