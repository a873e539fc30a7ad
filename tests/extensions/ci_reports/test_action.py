"""The GitHub action: of the form that GitHub wants, pinned, with nothing of strangers in its scripts; and it works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from tests.ci.action_schema import ACTION
from tests.extensions.ci_reports import monorepo
from tests.support.golden import REPOSITORY

TEXT = (REPOSITORY / "action.yml").read_text("utf-8")
HELD: dict[str, Any] = yaml.safe_load(TEXT)
STEPS: dict[str, dict[str, Any]] = {step.get("name", step.get("uses")): step for step in HELD["runs"]["steps"]}
RUN = STEPS["check, test, compare"]


def test_it_is_an_action_as_github_has_them() -> None:
    jsonschema.validate(HELD, ACTION)
    outputs = {value["value"] for value in HELD["outputs"].values()}
    assert outputs == {f"${{{{ steps.run.outputs.{name} }}}}" for name in HELD["outputs"]}


def test_no_expression_stands_in_a_script() -> None:
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    assert len(scripts) == 2
    assert [script for script in scripts if "${{" in script] == []


def test_expressions_read_inputs_outputs_and_the_commit_alone() -> None:
    """A title, a branch or a text of a pull request is written by strangers."""
    known = r"inputs\.[a-z-]+|steps\.run\.outputs\.[a-z]+|inputs\.base \|\| github\.event\.pull_request\.base\.sha"
    assert [found for found in re.findall(r"\$\{\{ (.*?) \}\}", TEXT) if not re.fullmatch(known, found)] == []
    asked = set(re.findall(r"inputs\.([a-z-]+)", TEXT))
    assert asked == set(HELD["inputs"])


def test_each_variable_of_a_script_is_given_and_each_given_is_read() -> None:
    for step in STEPS.values():
        if "run" in step:
            given = {name for name, value in step["env"].items() if "${{" in value}
            assert given == set(re.findall(r"SCORING_[A-Z]+", step["run"]))


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two projects, a pack that is released once, and a commit that changes it."""
    folder = monorepo.write(tmp_path_factory.mktemp("repository"))
    (folder / "packs").mkdir()
    (folder / "packs" / "close.yaml").write_text(monorepo.PACK.format(version="1.0.0", least=0.5, near=0.75))
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "1")
    git(folder, "tag", "v1.0.0")
    return folder


def ran(folder: Path, tmp_path: Path, **inputs: str) -> tuple[int, str, Path]:
    """The exit code, all that was printed, and the folder of what was written."""
    programs = tmp_path / "scoring-venv" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    (programs / "scoring").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scoring "$@"\n')
    (programs / "scoring").chmod(0o755)
    given = {f"SCORING_{name.upper()}": value for name, value in inputs.items()}
    own = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"), "PYTHONPATH": str(REPOSITORY)}
    own |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    empty = {name: "" if "${{" in value else value for name, value in RUN["env"].items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", RUN["run"]],  # as runners start it
        cwd=folder,
        env={**os.environ, **own, **empty, "SCORING_PATHS": ".", **given},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr, tmp_path / "scoring"


def test_a_repository_in_order_passes_and_leaves_reports(repository: Path, tmp_path: Path) -> None:
    paths = "projects\n\n  shared\n"
    code, said, out = ran(repository, tmp_path, paths=paths, packs="packs/close.yaml", base="v1.0.0")
    assert code == 0, said
    assert json.loads((out / "check.sarif").read_text())["runs"][0]["results"] == []
    assert ElementTree.fromstring((out / "test.xml").read_text()).get("tests") == "6"
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert outputs.keys() == HELD["outputs"].keys()
    assert {Path(path).exists() for path in outputs.values()} == {True}


def test_what_is_wrong_fails_and_no_name_of_a_file_is_a_command(repository: Path, tmp_path: Path) -> None:
    bad = repository / "projects" / "bad.yaml"
    bad.write_text("kind: task\nname: t\nscore: eqal\n")
    names = ["projects/bad.yaml", "--version", "$(touch x)", "a;touch x", "`touch x`"]
    try:
        code, said, out = ran(repository, tmp_path, paths="\n".join(names))
    finally:
        bad.unlink()
    assert code == 1
    assert "::error file=projects/bad.yaml,line=3" in said
    results = json.loads((out / "check.sarif").read_text())["runs"][0]["results"]
    assert len(results) == len(names)
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"] for one in results if "locations" in one]
    assert {"uri": "projects/bad.yaml", "uriBaseId": "SRCROOT"} in places
    assert not (repository / "x").exists()


def test_a_pack_is_held_against_the_commit_it_began_at(repository: Path, tmp_path: Path) -> None:
    pack = repository / "packs" / "close.yaml"
    before = pack.read_text()
    pack.write_text(monorepo.PACK.format(version="1.0.1", least=0.8, near=0.0))
    try:
        code, said, out = ran(repository, tmp_path, paths="packs", packs="packs/close.yaml", base="v1.0.0")
    finally:
        pack.write_text(before)
    assert code == 1
    assert "version-too-low" in said
    comment = (out / "comment.md").read_text()
    assert "0.5" in comment
    assert "0.8" in comment
    assert (tmp_path / "summary.md").read_text() == comment


def test_all_its_steps_run_as_they_say(repository: Path, tmp_path: Path) -> None:
    """A stand-in for a forge: each step with its own environment and bash; `python` makes what pip would install."""
    programs, log = tmp_path / "bin", tmp_path / "pip"
    programs.mkdir()
    shim = f'#!/bin/sh\nexec "{sys.executable}" -P -m scoring "$@"\n'
    installed = f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{log}"\n'
    (programs / "python").write_text(
        f"""#!/bin/sh
[ "$*" = "-P -m venv {tmp_path}/scoring-venv" ] || exit 9
mkdir -p "$4/bin"
cat > "$4/bin/python" <<'END'\n{installed}END
cat > "$4/bin/scoring" <<'END'\n{shim}END
chmod +x "$4/bin/python" "$4/bin/scoring"
"""
    )
    (programs / "python").chmod(0o755)
    own = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"), "PYTHONPATH": str(REPOSITORY)}
    own |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "GITHUB_ACTION_PATH": "/the/action"}
    own |= {"PATH": f"{programs}:{os.environ['PATH']}"}
    inputs = {name: value.get("default", "") for name, value in HELD["inputs"].items()}
    for step in STEPS.values():
        if "run" not in step:
            continue
        given = {name: re.sub(r"\$\{\{ inputs\.([a-z-]+)[^}]*\}\}", lambda found: inputs[found[1]], value)
                 for name, value in step["env"].items()}  # fmt: skip
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        environ = {**os.environ, **own, **given}
        done = subprocess.run(command, cwd=repository, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert log.read_text() == "-P -m pip install --quiet --disable-pip-version-check -- /the/action\n"
    assert json.loads((tmp_path / "scoring" / "check.sarif").read_text())["runs"][0]["results"] == []


@pytest.mark.parametrize("base", ["", "gone", "--all", "v1.0.0;touch x", "$(touch x)"])
def test_a_base_that_is_none_is_refused(repository: Path, tmp_path: Path, base: str) -> None:
    code, said, _ = ran(repository, tmp_path, paths="packs", packs="packs/close.yaml", base=base)
    assert code == 2
    assert "there is no commit to hold packs against" in said
    assert not (repository / "x").exists()
