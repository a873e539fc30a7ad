"""A case that does not come out as it states is told by its place, what was expected and what came out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.specs import ConformanceReport, conformance

PAIR = {"response": "a", "reference": "a"}
CASE = {"name": "one", "rules": ["E-2"], "spec": {"score": "equal"}, "records": [PAIR]}
Told = Callable[..., ConformanceReport]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """What is told of one case, given what it has beside or in place of the usual."""

    def run(expect: dict[str, Any], **more: Any) -> ConformanceReport:
        case = {name: value for name, value in {**CASE, **more, "expect": expect}.items() if value is not None}
        (tmp_path / "cases.json").write_text(json.dumps({"section": "s", "cases": [case]}), "utf-8")
        return conformance(tmp_path)

    return run


def parts(found: ConformanceReport) -> list[tuple[str, Any, Any]]:
    return [(one["place"], one["expected"], one["got"]) for one in found.failures[0]["differences"]]


@pytest.mark.parametrize(
    ("expect", "differs"),
    [
        ({"records": [0]}, ("records[0].score", 0, 1.0)),
        ({"records": ["unparsed"]}, ("records[0].status", "unparsed", "scored")),
        ({"records": [1, 1]}, ("records", [1, 1], None)),
        ({"records": [{"fields": {"answer": 0.5}}]}, ("records[0].fields.answer.score", 0.5, 1.0)),
        ({"records": [{"fields": {"town": 1}}]}, ("records[0].fields.town", 1, None)),
        ({"records": [{"passed": True}]}, ("records[0].passed", True, None)),
        ({"metrics": {"mean": 0}}, ("metrics.mean.value", 0, 1.0)),
        ({"metrics": {"mean": None}}, ("metrics.mean.value", None, 1.0)),
        ({"metrics": {"accuracy": 1}}, ("metrics.accuracy", 1, None)),
        ({"metrics": {"mean": {"interval": None}}}, ("metrics.mean.interval", None, None)),
        ({"counts": {"scored": 2}}, ("counts.scored", 2, 1)),
        ({"coverage": 0.5}, ("coverage", 0.5, 1.0)),
        ({"by": {"lang": []}}, ("by.lang", [], None)),
        ({"refused": "unknown-name"}, ("refused", "unknown-name", None)),
        ({"warned": "unused-import"}, ("warned", "unused-import", None)),
    ],
)
def test_what_differs_is_told(told: Told, expect: dict[str, Any], differs: tuple[str, Any, Any]) -> None:
    found = told(expect)
    assert not found.passed
    assert [(place, expected) for place, expected, _ in parts(found)] == [differs[:2]]
    if differs[2] is not None:
        assert parts(found)[0][2] == differs[2]


def test_true_is_no_number(told: Told) -> None:
    (answer,) = parts(told({"records": [{"parsed": 1}]}, records=[{"response": True, "reference": True}]))
    assert answer == ("records[0].parsed", 1, True)


def test_numbers_are_equal_to_the_bit_unless_the_case_says_how_near(told: Told) -> None:
    third = {"score": 'combine("a / 3", a=levenshtein)'}
    pair = {"response": "ab", "reference": "cd"}
    assert told({"records": [0]}, spec=third, records=[pair]).passed
    nearly = {"expect": {"records": [1e-10]}, "spec": third, "records": [pair]}
    assert not told(**nearly).passed
    assert told(**nearly, within=1e-9).passed


def test_a_refusal_that_nobody_expects_is_told_with_its_codes(told: Told) -> None:
    found = told({"records": [1]}, spec={"score": "eqaul"})
    assert parts(found) == [("refused", None, "unknown-name")]
    assert parts(told({"refused": "no-score"}, spec={"score": "eqaul"})) == [("refused", "no-score", "unknown-name")]


def test_a_pack_is_no_case(told: Told) -> None:
    pack = {"kind": "pack", "name": "p", "version": "1.0.0", "scorers": {"near": "equal"}}
    assert told({"refused": "wrong-kind"}, spec=pack, records=None).passed


def test_files_are_those_of_the_case_alone(told: Told, tmp_path: Path) -> None:
    text = "kind: pack\nname: p\nversion: 1.0.0\nscorers: {near: equal}\n"
    spec = {"imports": {"p": "./p.yaml"}, "score": "p.near"}
    assert told({"records": [1]}, spec=spec, files={"p.yaml": text}).passed
    (tmp_path / "p.yaml").write_text(text, "utf-8")
    assert told({"refused": "import-not-found"}, spec=spec).passed


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"rules": ["E2"]}, "bad-text"),
        ({"rules": []}, "wrong-size"),
        ({"spec": None}, "missing-key"),
        ({"within": 0}, "out-of-range"),
        ({"records": ["a"]}, "wrong-type"),
        ({"rule": ["E-2"]}, "unknown-key"),
    ],
)
def test_a_case_of_another_form_is_refused(told: Told, more: dict[str, Any], code: str) -> None:
    with pytest.raises(SpecError) as caught:
        told({"records": [1]}, **more)
    assert code in [one.id for one in caught.value.diagnostics]


def test_a_case_has_its_spec_once(told: Told) -> None:
    with pytest.raises(SpecError):
        told({"records": [1]}, text="kind: task\nname: t\nscore: equal\n")


def test_only_cases_of_a_rule_are_run() -> None:
    found = conformance(rule="R-4")
    assert found.passed
    assert 1 <= found.data["cases"] < 10
    both = conformance(rule=["R-4", "R-5"])
    assert both.data["cases"] > found.data["cases"]
    with pytest.raises(InputError, match=r"no case quotes a rule `R-99`"):
        conformance(rule=["R-99"])


@pytest.mark.parametrize("text", ["{}", "[]", '{"images": [], "annotations": []}'])
def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match="holds no conformance cases"):
        conformance(tmp_path)


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no conformance cases"):
        conformance(tmp_path)
    assert scoring.specs.conformance is conformance
