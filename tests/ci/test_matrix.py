"""The matrix of Pythons and releases: what a machine tries, what is said of a cell, and the workflow of the same."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from packaging.specifiers import SpecifierSet

from tests.ci.workflow_schema import WORKFLOW
from tests.support.golden import REPOSITORY

SPEC = spec_from_file_location("matrix", REPOSITORY / ".ci" / "matrix.py")
assert SPEC is not None
assert SPEC.loader is not None
matrix = module_from_spec(SPEC)
sys.modules["matrix"] = matrix  # where its dataclass looks itself up
SPEC.loader.exec_module(matrix)

PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
TEXT = (REPOSITORY / ".github" / "workflows" / "matrix.yml").read_text("utf-8")
# YAML 1.1 reads the key `on` as true.
HELD: dict[str, Any] = {"on" if key is True else key: value for key, value in yaml.safe_load(TEXT).items()}
JOB = HELD["jobs"]["cell"]


def python(folder: Path, name: str, version: str, kind: str = "cpython") -> str:
    """A program that says of itself what a Python would."""
    path = folder / name
    shown = [int(part) for part in version.split(".")]
    path.write_text(f'#!/bin/sh\necho \'["{kind}", {shown}, "{path}"]\'\n')
    path.chmod(0o755)
    return str(path)


def test_the_versions_of_python_are_those_that_are_declared() -> None:
    assert matrix.supported()[0] == (3, 11)
    allowed = SpecifierSet(PROJECT["requires-python"])
    assert all(f"{major}.{minor}" in allowed for major, minor in matrix.supported())


def test_each_other_python_of_the_machine_has_a_cell_and_its_own_has_the_oldest(tmp_path: Path) -> None:
    names = {"a": "3.11.7", "b": "3.12.1", "c": "3.12.9", "d": "3.10.2", "e": "3.14.0"}
    found = [python(tmp_path, name, version) for name, version in names.items()]
    found += [python(tmp_path, "f", "3.13.1", "pypy"), str(tmp_path / "gone"), found[2]]
    (tmp_path / "broken").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "broken").chmod(0o755)
    here = matrix.interpreters([*found, str(tmp_path / "broken")], (3, 11))
    assert [one.name for one in here] == ["3.11.7", "3.12.9", "3.14.0"]
    cells = matrix.cells(here[0], here)
    assert [cell.name for cell in cells] == [
        "Python 3.11.7, oldest releases",
        "Python 3.12.9, newest releases",
        "Python 3.14.0, newest releases",
        "Python 3.11.7, all extras",
        "Python 3.12.9, all extras",
        "Python 3.14.0, all extras",
    ]


def test_pythons_are_looked_for_where_pyenv_keeps_them_and_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("pyenv/versions/3.12.9/bin", "path"):
        (tmp_path / folder).mkdir(parents=True)
    kept = python(tmp_path / "pyenv" / "versions" / "3.12.9" / "bin", "python", "3.12.9")
    named = python(tmp_path / "path", "python3.13", "3.13.2")
    python(tmp_path / "path", "python3-config", "3.13.2")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}{os.pathsep}{tmp_path / 'none'}")
    monkeypatch.setattr(matrix, "uv", lambda: str(tmp_path / "no-uv"))
    assert list(matrix.candidates()) == [kept, named]


def test_a_python_that_is_declared_and_not_here_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(matrix, "candidates", list)
    monkeypatch.setattr(matrix, "supported", lambda: [sys.version_info[:2], (3, 99)])
    monkeypatch.setattr(matrix, "run", lambda cell, folder, log: "numpy 1")
    assert matrix.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Python 3.99: not tried, this machine has none"
    assert [line.partition(":")[2].partition("(")[0] for line in lines[1:]] == [" passed "] * 2


def test_a_cell_that_fails_is_told_with_what_it_said_and_fails_the_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(cell: Any, folder: Path, log: Any) -> str:
        if cell.kind == "oldest":
            matrix._call(log, dict(os.environ), sys.executable, "-c", "print('too old'); raise SystemExit(3)")
        return "numpy 1"

    monkeypatch.setattr(matrix, "run", run)
    own = matrix.Interpreter((3, 11, 7), sys.executable)
    assert matrix.try_all([matrix.Cell(own, "oldest"), matrix.Cell(own, "newest")]) == 1
    out, err = capsys.readouterr()
    assert "oldest releases: FAILED: " in out
    assert "ended with 3" in out
    assert "newest releases: passed (numpy 1)" in out
    assert "too old" in err


def test_a_busy_machine_fails_no_cell_by_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """`uv` gives a file a minute to be compiled, which fails an install beside other work; 0 is no limit."""
    monkeypatch.delenv("UV_COMPILE_BYTECODE_TIMEOUT", raising=False)
    assert matrix.settings()["UV_COMPILE_BYTECODE_TIMEOUT"] == "0"


def test_what_is_no_cell_is_refused() -> None:
    assert matrix.main(["latest"]) == 2


def test_the_first_command_is_that_of_the_readme_and_each_test_is_there() -> None:
    assert matrix.first_command()[0] == "score"
    assert all((REPOSITORY / word).is_file() for word in matrix.first_command()[1:])
    of_extensions = () if (REPOSITORY / "tests" / "extensions").is_dir() else ("tests/extensions/",)
    assert all((REPOSITORY / path).exists() for path in matrix.TESTS if not path.startswith(of_extensions))


def test_a_run_of_ci_calls_the_matrix_and_fails_with_it() -> None:
    lines = (REPOSITORY / ".ci" / "run").read_text("utf-8").splitlines()
    assert "set -euo pipefail" in lines
    assert sum(line.split(" #")[0].rstrip().endswith(".ci/matrix.py") for line in lines) == 1


def test_the_workflow_is_one_as_github_has_them() -> None:
    jsonschema.validate(HELD, WORKFLOW)
    assert HELD["permissions"] == {"contents": "read"}


def test_the_workflow_tries_each_python_on_each_system() -> None:
    axes = JOB["strategy"]["matrix"]
    pythons = [f"{major}.{minor}" for major, minor in matrix.supported()]
    assert axes["python"] == pythons
    assert {name.partition("-")[0] for name in axes["system"]} == {"ubuntu", "macos", "windows"}
    assert {*axes["cell"], *(one["cell"] for one in axes["include"])} == {*matrix.RESOLUTIONS, "extras"}
    oldest = [(one["system"], one["python"]) for one in axes["include"] if one["cell"] == "oldest"]
    assert oldest == [(system, pythons[0]) for system in axes["system"]]


def test_no_expression_of_the_workflow_stands_in_a_script() -> None:
    assert [step["run"] for step in JOB["steps"] if "${{" in step.get("run", "")] == []
    assert set(re.findall(r"\$\{\{ (.*?) \}\}", TEXT)) == {"matrix.system", "matrix.python", "matrix.cell"}


def test_extras_that_cannot_be_locked_with_the_others_can_be_installed_with_them() -> None:
    """COMET's NumPy below 2 is refused by PyArrow from 26 on, whose metadata does not say so: our bound does."""
    from packaging.requirements import Requirement

    rules = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["audit"]
    assert "comet" in rules["unlocked-extras"]
    wanted = [Requirement(line) for line in PROJECT["optional-dependencies"]["comet"]]
    pyarrow = next(one for one in wanted if one.name == "pyarrow")
    assert not pyarrow.specifier.contains("26.0.0")
    least = [Requirement(line) for line in PROJECT["optional-dependencies"]["parquet"]]
    assert all(pyarrow.specifier.contains(str(spec.version)) for one in least for spec in one.specifier)
    comet = next(one for one in wanted if one.name == "unbabel-comet")
    assert comet.marker is not None
    said = [comet.marker.evaluate({"python_version": version}) for version in ("3.11", "3.12", "3.13")]
    assert said == [True, True, False]  # there is no NumPy below 2 for Python 3.13


def test_every_extra_is_locked_or_its_reason_is_given() -> None:
    rules = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["audit"]["unlocked-extras"]
    told = (REPOSITORY / ".ci" / "lock.txt").read_text("utf-8").splitlines()[1]
    locked = set(re.findall(r"--extra (\S+)", told))
    assert locked | set(rules) == set(PROJECT["optional-dependencies"])
    assert not locked & set(rules)
    assert all(len(reason) > 20 for reason in rules.values())
