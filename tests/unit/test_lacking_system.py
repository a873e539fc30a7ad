"""Where a system lacks what Windows lacks: what works there works, and what does not says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.lacking import printed, ran, write_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spec and some records."""
    return write_task(tmp_path_factory.mktemp("lacking"))


def test_it_is_taken_away_in_what_a_process_starts_too(folder: Path) -> None:
    ask = "import os, sys; print(hasattr(os, 'fork'), sys.modules['resource'], os.supports_dir_fd)"
    said = printed(
        folder, f"import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', {ask!r}], text=True))"
    )
    assert said == "False None set()"


def test_a_spec_is_checked_and_records_are_scored(folder: Path) -> None:
    score = ("-m", "scoring", "score", "t.yaml", "rows.jsonl")
    for words in (
        ("-m", "scoring", "check", "t.yaml"),
        (*score, "-o", "one"),
        (*score, "-o", "two", "--processes", "2"),
    ):
        status, said = ran(folder, *words)
        assert status == 0, said
        assert "bug in scoring" not in said
    scores = [json.loads(line)["score"] for line in (folder / "one" / "scores.jsonl").read_text().splitlines()]
    assert scores == [1.0, 0.0] * 10
    assert (folder / "one" / "scores.jsonl").read_bytes() == (folder / "two" / "scores.jsonl").read_bytes()
