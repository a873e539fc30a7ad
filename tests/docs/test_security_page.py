"""docs/security.md keeps its word: each test that it names is collected, and each limit is the constant in the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from msgspec import structs

from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "security.md").read_text(encoding="utf-8")
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "million": 10**6}


def rows(section: str) -> list[list[str]]:
    """The cells of the first table under a heading, its head left out."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def constant(name: str) -> Any:
    """What stands under a dotted name: a constant of a module, or the default of a dataclass's attribute.

    Examples:
        >>> constant("scoring.extensions.sandbox.Limits.processes")
        16
    """
    parts = name.split(".")
    for most in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:most]))
        except ImportError:
            continue
        for part in parts[most:]:
            of = {field.name: field.default for field in structs.fields(found)} if isinstance(found, type) else {}
            found = of[part] if part in of else getattr(found, part)
        return found
    raise AssertionError(f"there is no {name}")


def number(cell: str) -> float:
    """A number as the page writes it.

    Examples:
        >>> number("64 MiB") == 64 << 20, number("2,000,000"), number("0.5 s")
        (True, 2000000.0, 0.5)
    """
    digits, _, unit = cell.partition(" ")
    return float(digits.replace(",", "")) * _UNITS.get(unit, 1)


def test_every_row_of_a_boundary_is_whole() -> None:
    found = rows("Boundaries")
    assert len(found) >= 15
    for row in found:
        assert len(row) == 4, row
        assert all(row), row
        assert code(row[3]), f"no test holds {row[0]!r}"


def test_every_test_that_is_named_is_collected(request: pytest.FixtureRequest) -> None:
    named = sorted({name for row in rows("Boundaries") for name in code(row[3])})
    for name in named:
        path = REPOSITORY / name.partition("::")[0]
        assert path.is_file(), f"there is no {name}"
        assert path.name.startswith("test_"), f"{name} is no file of tests"
    # The whole suite has collected them itself; where a part of it is run, or a short run, they are collected apart.
    if missing := _missing(named, [item.nodeid for item in request.session.items]):
        missing = _missing(missing, _collected(missing))
    assert not missing


def _missing(named: list[str], collected: list[str]) -> list[str]:
    """The names of tests and files of tests that were not collected."""
    known = {part for one in collected for part in (one, one.partition("[")[0], one.partition("::")[0])}
    return [name for name in named if name not in known]


def _collected(named: list[str]) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *named],
        cwd=REPOSITORY,
        env={key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    return run.stdout.splitlines()


@pytest.mark.parametrize("row", rows("Limits"), ids=lambda row: row[0])
def test_a_limit_is_the_constant_in_the_code(row: list[str]) -> None:
    assert len(row) == 4
    assert all(row)
    name = row[3].strip("`")
    assert constant(name) == number(row[1]), f"{name} is {constant(name)!r}, the page says {row[1]}"


def test_a_limit_that_is_not_fixed_says_how_it_is_changed() -> None:
    for row in rows("Limits"):
        assert row[2] == "fixed" or code(row[2]), row[0]


def test_the_forge_finds_the_policy_and_the_readme_the_page() -> None:
    assert "## Reporting a weakness" in PAGE
    policy = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    assert "(docs/security.md#reporting-a-weakness)" in policy
    assert "(docs/security.md)" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"\S@\S+\.\S", PAGE + policy), "no address is invented"
