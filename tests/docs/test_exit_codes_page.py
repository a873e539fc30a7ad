"""The page of exit codes is true: every command on it is run, and ends with the code that its table says."""

from __future__ import annotations

import json
import re
import shutil
from functools import wraps
from pathlib import Path
from typing import NoReturn

import pytest

import scoring
from scoring.cli import console
from scoring.cli.main import Terminated, main
from scoring.registry.plugins import COMMANDS
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "exit-codes.md").read_text("utf-8")
CODES = {
    console.CLEAN: 0,
    console.FINDINGS: 1,
    console.FAILED: 2,
    console.UNCOVERED: 3,
    console.GATED: 4,
    console.INTERRUPTED: 130,
    console.TERMINATED: 143,
}
PACK = "kind: pack\nname: house\nversion: 1.0.0\nscorers:\n  near:\n"
TASK = "kind: task\nname: answers\nversion: 1.0.0\nscore: casefold | equal\n"
FILES = {
    "good.yaml": f"{PACK}    score: casefold | equal\n    examples: [[Cafe, cafe, 1.0]]\n",
    "bad.yaml": f"{PACK}    score: lower | eqal\n    examples: [[a, a, 1.0]]\n",
    "wrong.yaml": f"{PACK}    score: casefold | equal\n    examples: [[Cafe, cafe, 0.0]]\n",
    "loose.yaml": f"{PACK}    score: casefold|equal\n    examples: [[Cafe, cafe, 1.0]]\n",
    "moved.yaml": f"{PACK}    score: equal\n    examples: [[Cafe, cafe, 0.0]]\n",
    "doubtful.yaml": f"{TASK}pass: score >= 2\n",
    "unlocked.yaml": TASK,
    "task.yaml": TASK,
    "other.yaml": TASK.replace("casefold | ", ""),
    "bad-task.yaml": TASK.replace("equal", "eqal"),
    "data.jsonl": "".join(f'{{"id": {n}, "response": "a", "reference": "A"}}\n' for n in range(4)),
    "gaps.jsonl": '{"id": 1, "response": "a", "reference": "A"}\n' + "no JSON\n" * 3,
    "wrong-cases/cases.json": '{"section": "s", "cases": [{"name": "n", "rules": ["E-1"], "spec": {"score": "equal"}, '
    '"records": [{"response": "a", "reference": "a"}], "expect": {"records": [0]}}]}',
    "scoring.toml": '[packs]\nanls = "1"\n',
}


def rows(head: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    section = PAGE.split(f"# {head}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


COMMAND = re.compile(r"`scoring ([^`]*)`")
STATED = [
    (found[1], code) for code in (1, 2, 4) for row in rows(f"What {code} says") if (found := COMMAND.search(row[0]))
]
SUCH_AS = [(found[1], int(row[0])) for row in rows("Exit codes") if (found := COMMAND.search(row[2]))]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("codes")
    for name in ("folder", "empty", "wrong-cases"):
        (folder / name).mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "scoring.toml").unlink()
        scoring.evaluate("task.yaml", "data.jsonl", output="run")
        scoring.evaluate("other.yaml", "data.jsonl", output="other")
        for name, answer in (("good-run", "a"), ("worse-run", "b")):
            rows = [{"id": place, "response": answer, "reference": "a"} for place in range(40)]
            scoring.evaluate("task.yaml", rows, output=name)
        (folder / "scoring.toml").write_text(FILES["scoring.toml"])
    shutil.copytree(folder / "run", folder / "changed")
    scores = folder / "changed" / "scores.jsonl"
    lines = [json.loads(line) for line in scores.read_text().splitlines()]
    scores.write_text("".join(f"{json.dumps({**line, 'score': 0.5})}\n" for line in lines))
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
    (folder / "authors.toml").write_text(f'[trust.authors]\nann = "{key}"\n')
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "code"), [*SUCH_AS, *STATED], ids=lambda value: str(value))
def test_a_command_ends_as_the_page_says(here: Path, command: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # One that would serve does not end.
    monkeypatch.setattr("scoring.extensions.net.loopback.LoopbackServer.wait", lambda _: pytest.fail("it serves"))
    if "--frozen" not in command:
        (here / "scoring.toml").unlink()
    assert main(command.split()) == code


def test_each_code_of_the_program_has_its_row() -> None:
    assert [int(row[0]) for row in rows("Exit codes")] == list(CODES) == list(CODES.values())


def test_each_command_has_a_row() -> None:
    named = {command.split()[0] for command, _ in (*SUCH_AS, *STATED)}
    assert sorted(set(COMMANDS) - named) == [], "add a row to docs/exit-codes.md with a command that ends so"


@pytest.mark.parametrize(("ends", "code"), [(KeyboardInterrupt, 130), (Terminated, 143)])
def test_what_is_interrupted_says_so(
    here: Path, monkeypatch: pytest.MonkeyPatch, ends: type[BaseException], code: int
) -> None:
    @wraps(scoring.check)
    def stopped(*_: object, **__: object) -> NoReturn:
        raise ends

    monkeypatch.setattr("scoring.api.specs.check", stopped)
    assert main(["check", "good.yaml"]) == code


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "concise"])
def test_a_format_changes_no_code(here: Path, form: str) -> None:
    (here / "scoring.toml").unlink()
    for name, code in (("good.yaml", 0), ("bad.yaml", 1)):
        assert main(["check", name, "--format", form]) == code
