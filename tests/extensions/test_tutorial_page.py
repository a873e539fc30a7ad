"""docs/tutorial.md can be followed: its files are written, its commands print what it shows, its Python is true.

`UPDATE_TRANSCRIPTS=1` writes the outputs anew; read the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.transcript import replay, without_versions
from tests.support.golden import REPOSITORY

PATH = REPOSITORY / "docs" / "tutorial.md"
_BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_page_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    commands = 0

    def followed(block: re.Match[str]) -> str:
        nonlocal commands
        kind, name, text = block.groups()
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "console":
            found = replay(text, tmp_path)
            commands += found.count("$ ")
            if is_search := text.startswith(
                "$ scoring list --about"
            ):  # what is found below the best grows with the house
                assert found.splitlines()[2].split()[:2] == text.splitlines()[2].split()[:2]
            if without_versions(text) != found and not is_search:
                return f"```console\n{found}```"
        elif kind == "python":
            hold_python(text)
        return block[0]

    page = PATH.read_text(encoding="utf-8")
    real = _BLOCK.sub(followed, page)
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        PATH.write_text(real.replace("scoring VERSION, python VERSION", "scoring 0.1.0, python 3.11"), encoding="utf-8")
    else:
        assert page == real
    assert commands >= 9
    assert (tmp_path / "runs/first/report.html").is_file()


def hold_python(text: str) -> None:
    """Each line runs, and where a comment says what it gives, it gives that."""
    names: dict[str, object] = {}
    held = 0
    for line in text.splitlines():
        code, _, told = line.partition("  # ")
        if told:
            assert repr(eval(code, names)) == told  # the page's own lines
            held += 1
        else:
            exec(code, names)
    assert held == 3
