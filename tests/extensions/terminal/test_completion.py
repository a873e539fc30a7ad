"""Completion scripts, run by the shells that they are for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.registry.plugins import COMMANDS

BASH = """
source "$1"
IFS=$'\\x1f' read -r -a COMP_WORDS <<< "$2"
[[ $2 == *$'\\x1f' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_scoring
echo "${COMPREPLY[*]}"
"""
CASES = {
    ("scoring", "sc"): {"score"},
    ("scoring", "score", "--form"): {"--format"},
    ("scoring", "score", "t.yaml", "--format", ""): {"text", "concise", "json", "github"},
    ("scoring", "check", "--format", "s"): {"sarif"},
    ("scoring", "judge", "ag"): {"agreement"},
    ("scoring", "judge-cache", "p"): {"prune"},
    ("scoring", "completion", "z"): {"zsh"},
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts")


def script(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completion", shell]) == 0
    path = folder / f"scoring.{shell}"
    path.write_text(capsys.readouterr().out, "utf-8")
    return path


def test_bash_completes(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script("bash", scripts, capsys)
    for words, wanted in {**CASES, ("scoring", "check", "--format", "=", "sa"): {"sarif"}}.items():
        done = subprocess.run(
            ["bash", "-c", BASH, "bash", path, "\x1f".join(words)], capture_output=True, text=True, check=True
        )
        assert set(done.stdout.split()) == wanted, (words, done.stderr)
    done = subprocess.run(["bash", "-c", BASH, "bash", path, "scoring\x1f"], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {*COMMANDS, "--help", "--version"}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script("fish", scripts, capsys)
    for words, wanted in CASES.items():
        asked = f"source {path}; complete -C '{' '.join(words)}'"
        done = subprocess.run(["fish", "-c", asked], cwd=scripts, capture_output=True, text=True, check=True)
        assert wanted <= {line.split("\t")[0] for line in done.stdout.splitlines()}, (words, done.stdout)


ZSH = """
compdef() { }
_files() { }
_describe() { print -rl -- "${(@P)@[-1]%%:*}" }
source "$1"
words=("${(@)argv[2,-1]}")
CURRENT=$#words
_scoring
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_is_offered_the_same(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What zsh's own `_describe` is given, from which it takes what begins as the word does."""
    path = script("zsh", scripts, capsys)
    for words, wanted in CASES.items():
        done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", path, *words], capture_output=True, text=True, check=True)
        begun = {word for word in done.stdout.split() if word.startswith(words[-1])}
        assert begun == wanted, (words, done.stdout, done.stderr)


def test_powershell_is_told_the_same_words(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = script("powershell", scripts, capsys).read_text("utf-8")
    assert "'score --format' = @(@('text', 'text'), @('concise', 'concise')" in text
    assert "'init' = @(,@('ci', 'ci'))" in text
    assert text.count("{") == text.count("}")


def test_a_shell_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "powershel"]) == 2
    assert "did you mean `powershell`?" in capsys.readouterr().err
