"""`scoring init ci`: what it writes is run as forges run it, with bash; it replaces nothing, and quotes names."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import scoring
from scoring.cli.main import main
from scoring.errors import InputError
from tests.support.golden import REPOSITORY

FORGES = {
    "github": ".github/workflows/scoring.yml",
    "forgejo": ".forgejo/workflows/scoring.yml",
    "gitlab": ".gitlab-ci.yml",
    "woodpecker": ".woodpecker/scoring.yaml",
}
Capture = pytest.CaptureFixture[str]


def scripts(forge: str, held: dict[Any, Any]) -> list[str]:
    """The scripts that a forge runs, in order; its own steps, such as a checkout, are not among them."""
    if forge == "gitlab":
        return list(held["scoring"]["script"])
    if forge == "woodpecker":
        return list(held["steps"][0]["commands"])
    steps = held["jobs"]["scoring"]["steps"]
    return [step["run"] for step in steps if "run" in step and step.get("name") != "checkout"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The root of a repository with a spec and its data, which is the current folder."""
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    scoring.specs.new_from("quickstart/invoices", ".")
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], tuple[int, str]]:
    """Return what a forge does with a script: its exit status, and what was printed; pip is a stand-in that logs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, body in (
        ("scoring", f'exec "{sys.executable}" -P -m scoring "$@"'),
        ("python", f'printf "%s\\n" "$*" >> "{tmp_path}/pip"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (programs / name).chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}

    def ran(script: str) -> tuple[int, str]:
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
        return done.returncode, done.stdout + done.stderr

    return ran


@pytest.mark.parametrize("forge", FORGES)
def test_all_steps_of_a_forge_pass_and_a_gate_that_does_not_hold_fails(
    forge: str, repository: Path, run: Callable[[str], tuple[int, str]], tmp_path: Path, capsys: Capture
) -> None:
    arguments = ["init", "ci", "invoices.yaml", "invoices.jsonl", "--forge", forge]
    assert main([*arguments, "--min", "mean=0.5", "--min", "pass_rate=0.1"]) == 0
    assert f"written {FORGES[forge]}; commit it" in capsys.readouterr().out
    text = (repository / FORGES[forge]).read_text("utf-8")
    assert "$install" not in text
    steps = scripts(forge, yaml.safe_load(text))
    assert len(steps) == 4
    assert [run(step)[0] for step in steps] == [0] * 4
    assert (tmp_path / "pip").read_text() == f"-P -m pip install --quiet -- scoring-dsl=={scoring.__version__}\n"
    assert main([*arguments, "--min", "mean=0.999", "--force"]) == 0
    code, said = run(scripts(forge, yaml.safe_load((repository / FORGES[forge]).read_text("utf-8")))[-1])
    assert code == 4
    assert "`mean` is" in said


@pytest.mark.parametrize("forge", FORGES)
def test_a_spec_that_is_wrong_or_an_example_that_fails_ends_the_pipeline(
    forge: str, repository: Path, run: Callable[[str], tuple[int, str]]
) -> None:
    assert main(["init", "ci", "--forge", forge]) == 0
    _, check, test = scripts(forge, yaml.safe_load((repository / FORGES[forge]).read_text("utf-8")))
    spec = repository / "invoices.yaml"
    good = spec.read_text("utf-8")
    spec.write_text(good.replace("expect: 1\n", "expect: 0.5\n"))
    assert run(check)[0] == 0
    code, said = run(test)
    assert (code, "gave 1.0, expected 0.5" in said) == (1, True)
    spec.write_text(good.replace("levenshtein", "levenstein"))
    assert run(check)[0] == 1


def test_nothing_is_replaced_unless_asked(repository: Path, capsys: Capture) -> None:
    place = repository / ".gitlab-ci.yml"
    place.write_text("mine")
    assert main(["init", "ci", "--forge", "gitlab"]) == 2
    assert "say --output FILE and include that, or --force to replace it" in capsys.readouterr().err
    assert place.read_text() == "mine"
    assert main(["init", "ci", "--forge", "gitlab", "-o", "ci/scoring.yml"]) == 0
    assert (repository / "ci/scoring.yml").is_file()


def test_paths_are_those_from_the_root(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    (repository / ".git").mkdir()
    whole = [str(repository / name) for name in ("invoices.yaml", "invoices.jsonl")]
    assert main(["init", "ci", *whole, "--min", "mean=0.9", "--max", "pass_rate=1", "--forge", "gitlab"]) == 0
    gate = scripts("gitlab", yaml.safe_load((repository / ".gitlab-ci.yml").read_text("utf-8")))[-1]
    assert gate == "scoring score --min mean=0.9 --max pass_rate=1.0 -- invoices.yaml invoices.jsonl\n"
    (repository / "sub/folder").mkdir(parents=True)
    monkeypatch.chdir(repository / "sub/folder")
    assert main(["init", "ci"]) == 2
    assert "no forge looks for .github/workflows/scoring.yml in folder: the root of the repository is ../..;" in (
        capsys.readouterr().err
    )
    assert main(["init", "ci", "-o", "../../.github/workflows/specs.yml"]) == 0


@pytest.mark.parametrize("given", [[], ["task.yaml"]])
def test_who_wants_a_spec_is_told_how(given: list[str], repository: Path, capsys: Capture) -> None:
    assert main(["init", *given]) == 2
    assert "a spec is begun by `scoring new task task.yaml`" in capsys.readouterr().err


def test_a_locked_project_is_held_to_its_lock(repository: Path) -> None:
    (repository / "scoring.lock").write_text("")
    assert scoring.specs.init_ci().read_text("utf-8").count(" --frozen ") == 2


@pytest.mark.parametrize("name", ["two words.jsonl", "$(touch x).jsonl", "a;touch x", "'", "--help", "`touch x`"])
def test_names_are_words_of_the_shell(name: str, repository: Path, run: Callable[[str], tuple[int, str]]) -> None:
    (repository / name).write_bytes((repository / "invoices.jsonl").read_bytes())
    for forge in FORGES:
        scoring.specs.init_ci("invoices.yaml", name, forge=forge, least=(("mean", 0.5),), output=forge)
        step = scripts(forge, yaml.safe_load((repository / forge).read_text("utf-8")))[-1]
        assert shlex.split(step)[-1] == name
    assert run(step)[0] == 0
    assert not (repository / "x").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["invoices.yaml"], "a gate scores data by a spec; name both, or neither"),
        (["invoices.yaml", "invoices.jsonl"], "say what passes, as in --min mean=0.8"),
        (["--min", "mean=0.5"], "name the spec and the data of the gate"),
        (["--max", "mean=0.5"], "name the spec and the data of the gate"),
        (["invoices.yaml", "answers.jsonl", "--min", "mean=0.5"], "answers.jsonl is not here, and a forge"),
        (["invoices.yaml", "/dev/null", "--min", "mean=0.5"], "/dev/null is outside of the repository"),
        (["invoices.yaml", "invoices.jsonl", "--min", "men=0.5"], "there is no figure `men`; did you mean `mean`?"),
        (["--requirement", "a ${{ secrets.X }}"], "can't stand in a file of a forge"),
        (["--requirement", "a\nb"], "can't stand in a file of a forge"),
    ],
)
def test_what_makes_no_file_is_told(arguments: list[str], told: str, repository: Path, capsys: Capture) -> None:
    assert main(["init", "ci", *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (repository / ".github").exists()


def test_actions_are_those_of_our_own_files() -> None:
    """One place pins a release of an action, and the others say the same."""
    pinned = set()
    for path in ("action.yml", "docs/sharing.md", "scoring/extensions/authoring/templates/ci/github.yml"):
        text = (REPOSITORY / path).read_text("utf-8")
        pinned |= set(re.findall(r"uses: (actions/(?:checkout|setup-python))@([0-9a-f]{40})  # (v[\d.]+)", text))
    assert len({name for name, _, _ in pinned}) == len(pinned) == 2


def test_python_may_ask_too(repository: Path) -> None:
    assert scoring.specs.init_ci(forge="woodpecker") == Path(FORGES["woodpecker"])
    with pytest.raises(InputError, match=r"`forge` of `init_ci` is"):
        scoring.specs.init_ci(forge="elsewhere")
