"""Findings as SARIF and JUnit: of the standard's form, at the right place, whatever a spec or its name holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.cli.main import main
from scoring.diagnostics.diagnostic import Diagnostic, Label
from scoring.diagnostics.source import Source
from scoring.extensions.ci_reports.junit import JunitCase, cases_of, junit
from scoring.extensions.ci_reports.sarif import sarif
from tests.extensions.ci_reports.sarif_schema import LOG

PACK = "kind: pack\nname: house\nversion: 1.0.0\nscorers:\n  near:\n"
GOOD = f"{PACK}    score: casefold | equal\n    examples: [[Cafe, cafe, 1.0]]\n"


def log_of(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    jsonschema.validate(log, LOG)
    run: dict[str, Any] = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    return run


def suites(text: str) -> dict[str, list[ElementTree.Element]]:
    root = ElementTree.fromstring(text)
    found = {str(suite.get("name")): list(suite) for suite in root}
    for suite in (root, *root):
        cases = list(suite.iter("testcase"))
        failed = sum(case.find("failure") is not None for case in cases)
        assert (suite.get("tests"), suite.get("failures")) == (str(len(cases)), str(failed))
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(f"{PACK}    score: lower | eqal\n    examples: [[a, a, 1.0]]\n")
    (tmp_path / "wrong.yaml").write_text(GOOD.replace("1.0]]", "0.0], [a, a, 1.0]]"))
    (tmp_path / "loose.yaml").write_text(GOOD.replace("casefold | equal", "casefold|equal"))
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main([*arguments])
    said = capsys.readouterr()
    assert said.err == ""
    return code, said.out


@pytest.mark.parametrize(
    ("arguments", "code", "rules"),
    [
        (["check", "bad.yaml"], 1, ["unknown-name"]),
        (["check", "good.yaml"], 0, []),
        (["test", "wrong.yaml"], 1, ["example-failed"]),
        (["test", "bad.yaml"], 1, ["unknown-name"]),
        (["fmt", "--check", "loose.yaml", "good.yaml"], 1, ["not-formatted"]),
        (["audit", "loose.yaml", "--strict"], 1, ["audit-law"]),
        (["audit", "loose.yaml"], 0, ["audit-law"]),
        (["audit", "bad.yaml"], 1, ["unknown-name"]),
        (["release", "--dry-run", "wrong.yaml"], 1, ["example-failed", "release-incomplete"]),
    ],
)
def test_whatever_shows_findings_shows_them_as_sarif(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, rules: list[str]
) -> None:
    found, said = ran(capsys, *arguments, "--format", "sarif")
    assert found == code
    run = log_of(said)
    assert sorted({one["ruleId"] for one in run["results"]}) == rules
    assert all(one["locations"] for one in run["results"])


@pytest.mark.parametrize(
    ("arguments", "code", "cases", "failed"),
    [
        (["check", "good.yaml", "bad.yaml"], 1, {"good.yaml": 1, "bad.yaml": 1}, ["unknown-name"]),
        (["test", "wrong.yaml", "good.yaml"], 1, {"wrong.yaml": 2, "good.yaml": 1}, ["near, example 1"]),
        (["test", "bad.yaml", "good.yaml"], 1, {"bad.yaml": 1, "good.yaml": 1}, ["unknown-name"]),
        (["audit", "good.yaml", "--strict"], 1, {"near": 30}, ["newline", "whitespace"]),
        (["audit", "good.yaml"], 0, {"near": 30}, []),
    ],
)
def test_what_was_tried_is_counted_as_junit(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    cases: dict[str, int],
    failed: list[str],
) -> None:
    found, said = ran(capsys, *arguments, "--format", "junit")
    assert found == code
    held = suites(said)
    assert {name: len(one) for name, one in held.items()} == cases
    assert [case.get("name") for one in held.values() for case in one if case.find("failure") is not None] == failed


def test_a_warning_fails_only_where_it_is_asked_to() -> None:
    warning = Diagnostic("unused-field", "warning", "no scorer for `a`")
    for strict in (False, True):
        (case,) = suites(junit(cases_of((), [warning], strict)))["findings"]
        assert (case.find("failure") is not None) == strict
        assert (case.find("system-out") is not None) != strict


def test_columns_are_counted_as_editors_count_them() -> None:
    source = Source("a.yaml", "kind: pack\n😀é: x\n")
    one = Diagnostic("bad-name", "error", "no", Label(source.span(13, 16)), (Label(source.span(11, 12), "see [a](b)"),))
    (result,) = log_of(sarif([one]))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 4,
        "endLine": 2,
        "endColumn": 7,
    }
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["endColumn"] == 3
    assert result["relatedLocations"][0]["message"]["text"] == "see [a] (b)"


def test_places_are_of_the_repository_and_show_nothing_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path / "specs")
    names = {"a.yaml": "specs/a.yaml", "../b c:d.yaml": "b%20c%3Ad.yaml", str(tmp_path / "é.yaml"): "%C3%A9.yaml"}
    for name, wanted in {**names, "/elsewhere/x.yaml": "x.yaml", "\udc80\0.yaml": "specs/%ED%B2%80.yaml"}.items():
        one = Diagnostic("bad-name", "error", "no", Label(Source(name, "a").span(0, 1)))
        text = sarif([one])
        (result,) = log_of(text)["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == wanted
        assert str(tmp_path) not in text


def test_a_finding_that_moved_is_the_same_one() -> None:
    places = (Source("a.yaml", "x").span(0, 1), Source("a.yaml", "\n\n  x").span(4, 5))
    logs = [log_of(sarif([Diagnostic("bad-name", "error", "no", Label(place))])) for place in places]
    first, second = (log["results"][0]["partialFingerprints"] for log in logs)
    assert first == second


HOSTILE = st.text(st.characters() | st.sampled_from("{}[]()<>&\"'\x00\x1b\ud800\ufffe]]>\u2028"), max_size=30)


@pytest.mark.property
@given(name=HOSTILE, text=HOSTILE, message=HOSTILE, help=HOSTILE, at=st.integers(0, 40), to=st.integers(0, 40))
def test_any_text_of_a_spec_gives_a_log_and_a_document(
    name: str, text: str, message: str, help: str, at: int, to: int
) -> None:
    span = Source(name, text).span(min(at, to), max(at, to))
    one = Diagnostic("bad-name", "error", message, Label(span, help), (), (help,))
    written = sarif([one])
    written.encode()
    (result,) = log_of(written)["results"]
    place = result["locations"][0]["physicalLocation"]
    region = place["region"]
    start, end = ((region[f"{end}Line"], region[f"{end}Column"]) for end in ("start", "end"))
    assert start <= end
    assert ".." not in unquote(place["artifactLocation"]["uri"]).split("/")
    assert "](" not in result["message"]["text"]
    assert result["message"]["text"].replace("{{", "").replace("}}", "").count("{") == 0
    document = junit(
        {name: [JunitCase(message, (help,)), JunitCase(text, (), message), JunitCase(help, notes=(text,))]}
    )
    document.encode()
    suites(document)
