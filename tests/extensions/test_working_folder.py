"""Nothing of the folder that one stands in is run: modules, programs, a repository made of ordinary files.

The folder is that of a pull request. Its modules have names of the standard library and of what we import, its programs
those that we start, and it looks like a bare repository whose settings run a command. Each would write the canary.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.registry.plugins import COMMANDS
from tests.cli.odd_arguments import GOES_ON, GOOD, desk
from tests.extensions.ci_reports import monorepo
from tests.extensions.ci_reports.test_action import HELD, git

MODULES = (
    "json", "logging", "subprocess", "sitecustomize", "usercustomize", "encodings", "struct", "pickle", "runpy",
    "tempfile", "venv", "pip", "yaml", "numpy", "regex", "sympy", "multiprocessing", "resource",
)  # fmt: skip
PROGRAMS = ("git", "pip", "python", "python3", "bwrap", "ssh", "ssh-keygen")
SCORING = str(Path(sys.executable).parent / "scoring")


def hostile(folder: Path, canary: Path) -> None:
    """Add what would write the canary, were it run."""
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(canary)!r}, 'a').write('module {name}\\n')\n")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho program {name} >> '{canary}'\n")
        (folder / name).chmod(0o755)
    bare(folder, canary)


def bare(folder: Path, canary: Path, blob: str = "1234567890123456789012345678901234567890") -> None:
    """Make a folder look like a bare repository of which a promised object is fetched by a command."""
    for name in ("objects", "refs/heads"):
        (folder / name).mkdir(parents=True)
        (folder / name / ".keep").touch()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    settings = folder / "config"
    settings.write_text("[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\n")
    own = {**os.environ, "GIT_DIR": str(folder), "GIT_WORK_TREE": str(folder)}
    for words in (["--add", "--cacheinfo", f"100644,{blob},pack.yaml"], ["--assume-unchanged", "pack.yaml"]):
        subprocess.run(["git", "update-index", *words], cwd=folder, env=own, check=True, capture_output=True)
    settings.write_text(
        "[core]\nrepositoryformatversion = 1\nbare = false\nworktree = .\n"
        f"fsmonitor = touch {canary}\n"
        '[extensions]\npartialClone = origin\n[remote "origin"]\n'
        f"url = ext::sh -c touch% {canary}\npromisor = true\n"
        '[protocol]\nallow = always\n[protocol "ext"]\nallow = always\n'
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which each command comes to its end, with what strangers put there."""
    found = tmp_path_factory.mktemp("above") / "checkout"  # what stands above it is no other test's
    found.mkdir()
    desk(found)
    hostile(found, found.parent / "CANARY")
    (found.parent / "scoring.toml").write_text('[packs]\np = {address = "hdfs://127.0.0.1:1/p"}\n')
    return found


def run(folder: Path, *command: str) -> tuple[str, str]:
    """What a command says in the folder, on whose path that stands first, and what the canary says."""
    own = {**os.environ, "PATH": os.pathsep.join([".", "", os.environ["PATH"]])}
    own.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=folder, env=own, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    canary = folder.parent / "CANARY"
    told = canary.read_text() if canary.exists() else ""
    canary.unlink(missing_ok=True)
    return done.stdout + done.stderr, told


def test_every_command_is_tried() -> None:
    assert {name.split()[0] for name in GOOD} == set(COMMANDS) - GOES_ON


@pytest.mark.parametrize("command", GOOD)
def test_a_command_runs_nothing_of_the_folder(folder: Path, command: str) -> None:
    said, told = run(folder, SCORING, *command.split(), *GOOD[command])
    assert told == "", said
    assert "Traceback" not in said, said


def test_the_canary_is_seen_where_modules_of_the_folder_are_imported(folder: Path) -> None:
    said, told = run(folder, sys.executable, "-c", "import logging")
    assert told == "module logging\n", said


WORKER = (
    "import scoring; task = scoring.load({'kind': 'task', 'name': 't', 'score': %r}); "
    "worker = task.worker(); print(worker.score({'response': 'x + x', 'reference': '2 x'}).score)"
)


@pytest.mark.parametrize("score", ["equal", "equal_formulas"])
def test_a_worker_imports_nothing_of_the_folder(folder: Path, score: str) -> None:
    said, told = run(folder, sys.executable, "-P", "-c", WORKER % score)
    assert told == "", said
    assert said in ("0.0\n", "1.0\n", "None\n")


def test_a_folder_that_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    """A commit that holds one below its root is checked out, and a pack in it is released."""
    checkout, canary = tmp_path / "checkout", tmp_path / "CANARY"
    packs = checkout / "packs"
    packs.mkdir(parents=True)
    (packs / "pack.yaml").write_text(monorepo.PACK.format(version="1.0.0", least=0.5, near=0.75))
    bare(packs, canary)
    git(checkout, "init", "--quiet")
    git(checkout, "-c", "safe.bareRepository=explicit", "add", "--all")
    git(checkout, "commit", "--quiet", "-m", "1")
    said, _ = run(checkout, SCORING, "release", "packs/pack.yaml", "--dry-run")
    assert "first release" in said
    assert not canary.exists()
    step = next(one for one in HELD["runs"]["steps"] if one.get("id") == "run")
    programs = tmp_path / "scoring-venv" / "bin"
    programs.mkdir(parents=True)
    os.symlink(SCORING, programs / "scoring")
    own = {name: "" if "${{" in value else value for name, value in step["env"].items()}
    own |= {"SCORING_PATHS": ".", "SCORING_PACKS": "packs/pack.yaml", "SCORING_BASE": "HEAD"}
    own |= {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = subprocess.run(
        ["bash", "-c", step["run"]], cwd=checkout, env={**os.environ, **own, "RUNNER_TEMP": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "compared with 1.0.0" in done.stdout + done.stderr
    assert not canary.exists(), done.stdout + done.stderr


def test_the_action_installs_with_nothing_of_the_checkout(folder: Path, tmp_path: Path) -> None:
    """Its first step as it stands, with a requirement that nobody has: modules of the folder would come first."""
    step = next(one for one in HELD["runs"]["steps"] if one.get("name") == "install scoring")
    own = {"RUNNER_TEMP": str(tmp_path), "SCORING_REQUIREMENT": "nothing-that-is-there", "PIP_NO_INDEX": "1"}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # where `python` is
    subprocess.run(["bash", "-c", step["run"]], cwd=folder, env={**os.environ, **own}, capture_output=True, check=False)
    assert (tmp_path / "scoring-venv" / "bin" / "python").exists()
    assert not (folder.parent / "CANARY").exists()
