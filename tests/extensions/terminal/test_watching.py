"""``--watch``: a command runs again when what it reads changes, and only then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.cli.main import main

SPEC = "kind: task\nname: t\nimports: {p: ./pack.yaml}\nscore: p.same\n"
PACK = "kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n"


class Watched:
    """A command that watches, with its two streams in one."""

    def __init__(self, *words: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scoring", *words, "--watch"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )

    def until_it_waits(self) -> str:
        assert self.process.stdout is not None
        lines: list[str] = []
        while not lines or "scoring: watching" not in lines[-1]:
            lines.append(self.process.stdout.readline())
            assert lines[-1], "".join(lines)
        return "".join(lines)

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "task.yaml").write_text(SPEC, "utf-8")
    (tmp_path / "pack.yaml").write_text(PACK, "utf-8")
    rows = [{"id": at, "response": "a", "reference": "a" if at else "A"} for at in range(4)]
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return tmp_path


def test_it_scores_again_when_the_data_or_an_imported_pack_changes(folder: Path) -> None:
    with Watched("score", "task.yaml", "data.jsonl", "-o", "out", "--force", folder=folder) as watched:
        assert "mean      0.7500" in watched.until_it_waits()
        (folder / "pack.yaml").write_text(PACK.replace("equal", "casefold | equal"), "utf-8")
        again = watched.until_it_waits()
        assert "changed: pack.yaml" in again
        assert "mean      1.0000" in again
        (folder / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "b"}\n', "utf-8")
        again = watched.until_it_waits()
        assert "changed: data.jsonl" in again  # and not `out`, which the run before has written
        assert "mean      0.0000" in again
        assert watched.end() == 130


def test_a_mistake_is_told_and_mended(folder: Path) -> None:
    with Watched("check", "task.yaml", folder=folder) as watched:
        assert "1 file checked, nothing found" in watched.until_it_waits()
        (folder / "task.yaml").write_text(SPEC.replace("score", "scor"), "utf-8")
        assert "unknown key `scor`" in watched.until_it_waits()
        (folder / "task.yaml").write_text(SPEC, "utf-8")
        assert "1 file checked, nothing found" in watched.until_it_waits()
        assert watched.end() == 130


def test_standard_input_can_not_be_watched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(folder / "task.yaml"), "-", "--watch"]) == 2
    assert "standard input can't be read twice" in capsys.readouterr().err
