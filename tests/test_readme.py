"""The README shows what really happens: its spec, its outputs, its error and its Python.

`UPDATE_TRANSCRIPTS=1` writes the outputs anew, as in the transcripts of the command line; read the diff.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.cli.transcript import without_versions
from tests.support.golden import REPOSITORY

PATH = REPOSITORY / "README.md"
README = PATH.read_text(encoding="utf-8")
QUICKSTART = REPOSITORY / "specs" / "quickstart"


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language; "" for plain ones."""
    return [
        body
        for name, body in re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
        if name == language
    ]


def hold(shown: str, real: str) -> None:
    """What is shown is real, but for versions of libraries; where it is not, and that is asked for, it is rewritten."""
    if os.environ.get("UPDATE_TRANSCRIPTS") and without_versions(shown) != without_versions(real):
        PATH.write_text(PATH.read_text(encoding="utf-8").replace(shown, real), encoding="utf-8")
        return
    assert without_versions(shown) == without_versions(real)


def test_the_spec_is_the_shipped_one() -> None:
    shipped = (QUICKSTART / "invoices.yaml").read_text(encoding="utf-8")
    for line in blocks("yaml")[0].strip().splitlines():
        assert line in shipped.splitlines()


def test_the_output_is_what_the_first_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    command = next(block for block in blocks("sh") if "scoring score" in block)
    assert "pip install -q ." in command
    words = command.strip().partition(".venv/bin/scoring ")[2].split()
    assert main(words) == 0
    hold(blocks("")[0], capsys.readouterr().out)


def test_the_error_is_what_a_check_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (QUICKSTART / "invoices.yaml").read_text(encoding="utf-8")
    text = text.replace("drop_articles | levenshtein", "drop_articles | to_set | levenshtein")
    (tmp_path / "my-invoices.yaml").write_text(text.replace("score >= 0.8 and", "score >= 0 and"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "my-invoices.yaml"]) == 1
    captured = capsys.readouterr()
    hold(blocks("")[1], captured.out + captured.err)


def test_the_python_runs_and_gives_what_its_comments_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    shutil.copytree(QUICKSTART, tmp_path / "specs" / "quickstart")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    hold(blocks("python")[0], "".join(_with_value(line, names) for line in blocks("python")[0].splitlines(True)))
    assert isinstance(names["task"], scoring.Task)


def _with_value(line: str, names: dict[str, Any]) -> str:
    """A line, run; with the value that it really has, where its comment shows one."""
    code, mark, comment = line.partition("  # ")
    if not comment.startswith(("Outcome", "(")):
        exec(code, names)  # the README's own text
        return line
    return f"{code}{mark}{eval(code, names)!r}\n"  # the README's own text


def test_every_inline_command_of_the_readme_works(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)
    commands = re.findall(r"`scoring\s([^`]+)`", README)
    assert any(command.startswith("explain") for command in commands)
    for command in commands:
        assert main(command.split()) == 0, command
    capsys.readouterr()


def test_the_second_command_is_what_ci_runs() -> None:
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert ".venv/bin/python -m pytest -q -n 2" in " ".join(blocks("sh"))
    assert "-m pytest -q -n 2" in ci


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w./-]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (REPOSITORY / link).exists()
