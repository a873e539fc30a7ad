"""The README shows what really happens: its spec, its outputs, its error and its Python."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from tests.support.golden import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
QUICKSTART = REPOSITORY / "specs" / "quickstart"


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language; "" for plain ones."""
    return [
        body
        for name, body in re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
        if name == language
    ]


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
    printed = capsys.readouterr().out
    assert without_versions(blocks("")[0]) == without_versions(printed)


def without_versions(text: str) -> str:
    """A report without the versions of libraries, which differ between machines."""
    return re.sub(r"\|(?:rapidfuzz|numpy|scipy|regex|text_unidecode):[\w.]+", "", text).strip()


def test_the_error_is_what_a_check_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (QUICKSTART / "invoices.yaml").read_text(encoding="utf-8")
    text = text.replace("drop_articles | levenshtein", "drop_articles | to_set | levenshtein")
    (tmp_path / "my-invoices.yaml").write_text(text.replace("score >= 0.8 and", "score >= 0 and"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "my-invoices.yaml"]) == 1
    captured = capsys.readouterr()
    assert blocks("")[1].strip() == (captured.out + captured.err).strip()


def test_the_python_runs_and_gives_what_its_comments_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(QUICKSTART, tmp_path / "specs" / "quickstart")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for line in blocks("python")[0].splitlines():
        code, _, comment = line.partition("  # ")
        if not code.strip():
            continue
        if comment.startswith(("Outcome", "(")):
            assert repr(eval(code, names)) == comment.strip()  # the README's own text
        else:
            exec(code, names)  # the README's own text
    assert isinstance(names["task"], scoring.Task)


def test_the_second_command_is_what_ci_runs() -> None:
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert ".venv/bin/python -m pytest -q -n 2" in " ".join(blocks("sh"))
    assert "-m pytest -q -n 2" in ci


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w./-]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (REPOSITORY / link).exists()
