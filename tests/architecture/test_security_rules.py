"""The rules on security (ruff's S) hold everywhere; what is excepted stands in pyproject.toml, and is needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib

import pytest

from tests.architecture.source import is_lacking
from tests.support.golden import REPOSITORY

TEXT = (REPOSITORY / "pyproject.toml").read_text("utf-8")
LINT = tomllib.loads(TEXT)["tool"]["ruff"]["lint"]
CHECKED = ("scoring", ".ci")


def test_the_rules_are_on() -> None:
    assert "S" in LINT["select"]
    assert [rule for rule in LINT["ignore"] if rule.startswith("S")] == ["S101"]


def test_each_exception_is_needed_and_none_is_missing() -> None:
    pytest.importorskip("ruff", reason="the linter is in the extra `lint`")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--select=S",
            "--ignore=S101",
            "--output-format=json",
            *CHECKED,
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, set[str]] = {}
    for one in json.loads(run.stdout):
        place = one["filename"].removeprefix(f"{REPOSITORY}/")
        found.setdefault(place, set()).add(one["code"])
    excepted = {
        place: set(rules)
        for place, rules in LINT["per-file-ignores"].items()
        if place.startswith(CHECKED) and not is_lacking(place.removeprefix("scoring/"))
    }
    assert excepted == found


def test_each_exception_has_its_reason_beside_it() -> None:
    section = TEXT.partition("[tool.ruff.lint.per-file-ignores]\n")[2].partition("\n[")[0]
    lines = [line for line in section.splitlines() if line.startswith('"') and not line.startswith('"{')]
    assert len(lines) == sum(place.startswith(CHECKED) for place in LINT["per-file-ignores"])
    assert all(re.search(r"\]  # \S.{6,}", line) for line in lines)


def test_no_line_excepts_itself() -> None:
    files = (
        path for folder in ("scoring", "tests", "benchmarks", ".ci") for path in (REPOSITORY / folder).rglob("*.py")
    )
    assert [str(path) for path in files if re.search(r"#\s*noqa:[^#\n]*\bS\d", path.read_text("utf-8"))] == []
