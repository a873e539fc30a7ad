"""The specification and its cases: each rule has a case, each case quotes rules that there are, and all come out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

import scoring
from scoring.extensions.conformance.cases import ConformanceCase, conformance_cases
from scoring.extensions.conformance.running import unmet_parts
from scoring.format.shipped import data_folder
from scoring.result import Status
from tests.support.golden import REPOSITORY

PAGE = (REPOSITORY / "docs" / "specification.md").read_text("utf-8")
FOLDER = data_folder("specs") / "conformance"
RULE = re.compile(r"^\*\*([A-Z]-\d+)\*\* ", re.MULTILINE)
FILE = re.compile(r"^`specs/conformance/([\w-]+\.json)`$", re.MULTILINE)
SECTION = re.compile(r"^## (.+)\n\n`specs/conformance/([\w-]+\.json)`$", re.MULTILINE)
STATED = re.compile(r"^\*\*([A-Z]-\d+)\*\* (.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([a-z-]+)`")
CATALOG = {path.stem for path in (REPOSITORY / "scoring" / "diagnostics" / "catalog").glob("*.md")}
CASES = list(conformance_cases())
QUOTED = {rule for case in CASES for rule in case.rules}


def test_rules_are_numbered_in_order() -> None:
    ids = RULE.findall(PAGE)
    letters = [letter for letter, _ in groupby(rule[0] for rule in ids)]
    assert len(letters) == len(set(letters)), "the rules of a letter stand in one section"
    assert ids == [f"{letter}-{n + 1}" for letter in letters for n in range(sum(one[0] == letter for one in ids))]


def test_each_rule_has_a_case_and_each_case_has_its_rules() -> None:
    rules = set(RULE.findall(PAGE))
    assert sorted(rules - QUOTED) == [], "write a case that quotes the rule"
    assert sorted(QUOTED - rules) == [], "docs/specification.md has no such rule"


def test_each_section_has_its_file() -> None:
    titles = {path.name: json.loads(path.read_text("utf-8"))["section"] for path in FOLDER.iterdir()}
    assert {name: title for title, name in SECTION.findall(PAGE)} == titles
    assert len(FILE.findall(PAGE)) == len(titles)


def test_each_rule_of_a_section_is_quoted_in_its_file() -> None:
    for part in PAGE.split("\n## ")[1:]:
        for name in FILE.findall(part):
            quoted = {rule for case in CASES if case.span.source.name == name for rule in case.rules}
            assert set(RULE.findall(part)) <= quoted, name


def test_the_cases_of_a_file_have_names_of_their_own() -> None:
    names = Counter((case.span.source.name, case.name) for case in CASES)
    assert [name for name, times in names.items() if times > 1] == []


def test_each_code_that_the_page_names_is_in_the_catalog() -> None:
    stated = {str(case.expect[key]) for case in CASES for key in ("refused", "warned") if key in case.expect}
    assert sorted(stated - CATALOG) == []
    assert sorted(code for code in stated if f"`{code}`" not in PAGE) == [], "a code that no rule names"


def test_each_code_of_a_rule_has_a_case_that_quotes_the_rule() -> None:
    wrong = {}
    for rule, text in STATED.findall(PAGE):
        shown = {case.expect.get(key) for case in CASES if rule in case.rules for key in ("refused", "warned")}
        wrong[rule] = sorted(set(CODE.findall(text)) & CATALOG - shown)
    assert {rule: codes for rule, codes in wrong.items() if codes} == {}


def test_the_case_on_the_page_is_one_of_them() -> None:
    shown = json.loads(PAGE.split("```json\n")[1].split("```")[0])
    assert shown["name"] in {case.name for case in CASES if case.rules == tuple(shown["rules"])}


@pytest.mark.parametrize("name", [path.name for path in sorted(FOLDER.iterdir())])
def test_all_come_out(name: str) -> None:
    wrong = {case.name: found for case in CASES if case.span.source.name == name and (found := unmet_parts(case))}
    assert wrong == {}


def outcomes() -> Iterator[tuple[ConformanceCase, dict[str, Any]]]:
    for case in CASES:
        if case.spec is not None and not case.files and "records" in case.expect:
            yield case, {"kind": "task", "name": "case", **case.spec}


def test_each_record_alone_has_the_outcome_that_it_has_among_others() -> None:
    wrong = []
    for case, spec in outcomes():
        task = scoring.load(spec)
        for record, expected in zip(case.records, case.expect["records"], strict=True):
            found = task.score(record)
            if isinstance(expected, dict):
                expected = expected.get("score", expected.get("status", found.score))
            got: Status | float = found.status if isinstance(expected, str) else found.score
            wrong += [(case.name, record, expected, got)] if got != expected and not case.within else []
    assert wrong == []


def test_the_shipped_cases_are_no_specs() -> None:
    checked = scoring.check(FOLDER.parent)
    assert not [path for path in checked.files if path.is_relative_to(FOLDER)]
    files = sorted(FOLDER.iterdir())
    assert scoring.check(files, only_specs=True).files == ()
