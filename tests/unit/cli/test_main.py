"""Every ending of a command becomes an exit code and a short message."""

from __future__ import annotations

import subprocess
import sys
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli import main as module
from scoring.cli.console import Console
from scoring.cli.main import main
from scoring.errors import InputError
from scoring.registry.plugins import COMMANDS

SPEC = Path(__file__).resolve().parents[3] / "specs" / "quickstart" / "invoices.yaml"


def failing(error: BaseException) -> Any:
    class Command:
        @staticmethod
        def configure(parser: object) -> None:
            """No arguments."""

        @staticmethod
        def run(options: object, console: Console) -> int:
            raise error

    return Command


class Interrupts:
    """Ctrl-C in the moment in which a class is made, as it is by a module that is imported late."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __set_name__(self, owner: type, name: str) -> None:
        raise self.error


def make_class(error: BaseException) -> None:
    type("Made", (), {"field": Interrupts(error)})


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (module.Terminated(), 143)])
def test_an_interrupt_while_a_class_is_made_is_one(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python 3.11 raises another error from it."""
    command = failing(error)
    command.run = lambda *_: make_class(error)
    monkeypatch.setattr(module, "_command", lambda name, place: command)
    assert main(["check"]) == code
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr("scoring.primitives.text.edit.similarity_of", lambda *_: make_class(error))
    with pytest.raises(KeyboardInterrupt):
        scoring.scorer("levenshtein").score("a", "b")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("can't read x"), 2, "scoring: can't read x\n"),
        (KeyboardInterrupt(), 130, "scoring: interrupted\n"),
        (ZeroDivisionError("oh"), 2, "scoring: ZeroDivisionError: oh\nthis is a bug in scoring "),
    ],
)
def test_endings(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SCORING_TRACEBACK", raising=False)
    monkeypatch.setattr(module, "_command", lambda name, place: failing(error))
    assert main(["check"]) == code
    shown = capsys.readouterr()
    assert shown.err.startswith(message)
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORING_TRACEBACK", "1")
    monkeypatch.setattr(module, "_command", lambda name, place: failing(ZeroDivisionError("oh")))
    with pytest.raises(ZeroDivisionError):
        main(["check"])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: scoring {name}")


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """Given a reader that goes away, as `| head` does, then the command ends quietly."""
    command = f"(sleep 0.2; {sys.executable} -m scoring check '{SPEC}') | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert done.stdout.endswith("0\n")


def check_odd_number(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("scoring: ")
    assert "bug" not in shown
    assert arguments[-2] in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "s.yaml", "d.jsonl", "--limit", "-1"],
        ["score", "s.yaml", "d.jsonl", "--seed", "-1"],
        ["score", "s.yaml", "d.jsonl", "--processes", "0"],
        ["score", "s.yaml", "d.jsonl", "--batch-size", "0"],
    ],
)
def test_a_number_that_makes_no_sense_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    check_odd_number(arguments, capsys)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only where there is a device that is always full")
def test_a_full_disk_is_no_bug_of_ours() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "scoring", "check", str(SPEC)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("scoring: can't write the result: No space left on device")


def test_too_little_memory_is_no_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @wraps(scoring.check)
    def ends(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("scoring.api.specs.check", ends)
    assert main(["check", "."]) == 2
    assert capsys.readouterr().err.startswith("scoring: there is not enough memory; score a part of the records")
