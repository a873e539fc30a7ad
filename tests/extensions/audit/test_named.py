"""The audit of all tasks by name: all that it finds are facts of official rules, with records that show them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import scoring
from scoring.errors import InputError
from scoring.extensions.audit.named import audit_all_tasks
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.upstream import UpstreamFact, upstream_facts
from tests.support.recipes import PROBES


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    report: dict[str, Any] = scoring.audit("tasks").to_json()
    return report


def test_the_audit_of_all_tasks_finds_known_facts_and_nothing_else(found: dict[str, Any]) -> None:
    assert found["passed"], [(one["scorer"], one["law"]) for one in found["findings"]]
    assert not found["idle"]


def test_every_task_is_tried_or_said_not_to_be(found: dict[str, Any]) -> None:
    names = {recipe.name for kind in recipe_kinds() for recipe in kind.recipes}
    tried = {one["scorer"].split(" ")[0] for one in found["scorers"]}
    left = {one["task"] for one in found["not_tried"]}
    assert tried | left == names
    assert not tried & left
    assert all(one["why"] for one in found["not_tried"])


@pytest.mark.parametrize("fact", upstream_facts(), ids=lambda fact: f"{fact.task} {fact.scorer}")
def test_a_fact_was_shown_by_the_official_code(fact: UpstreamFact) -> None:
    assert fact.says.endswith(".")
    assert fact.laws or fact.record or fact.records
    if fact.record:
        shown = _probe(fact, "record", fact.record)
        told = shown.get("fields", {}).get(fact.scorer, shown.get("score"))
        result = scoring.score(fact.task, fact.record)
        field = result.fields.get(fact.scorer)
        given = result.score if field is None or "fields" not in shown else field.score
    elif fact.records:
        name = fact.scorer.removeprefix("metric ")
        told = _probe(fact, "records", [*fact.records])["figures"][name]
        given = scoring.evaluate(fact.task, [*fact.records]).metrics[name]
    else:
        return
    assert told == pytest.approx(fact.score, abs=1e-12)
    assert given == pytest.approx(fact.score)


def _probe(fact: UpstreamFact, key: str, held: Any) -> dict[str, Any]:
    """Return the probe of the task that holds a record or a set."""
    slug = next(one.path.stem for kind in recipe_kinds() for one in kind.recipes if one.name == fact.task)
    probes = [json.loads(line) for line in (PROBES / f"{slug}.jsonl").read_text("utf-8").splitlines()[1:]]
    return next(probe for probe in probes if probe[key] == held)


def test_a_task_whose_extra_is_not_installed_is_not_tried() -> None:
    lacking = {"scorer": "em", "law": "reference", "smallest": {"found": "unscored: it needs the extra `speech`: pip"}}
    report = {"scorers": [], "findings": [lacking], "advice": []}
    found = audit_all_tasks(lambda spec, data: report)
    assert found["passed"]
    assert not found["idle"]
    assert {one["why"] for one in found["not_tried"]} == {"it needs the extra `speech`"}


def test_a_fact_excepts_its_law_alone() -> None:
    law = {"law": "others", "is_broken": True, "excepted": None}
    rows = [{"scorer": "em", "law": law, "smallest": {"found": "1.0000"}} for law in ("others", "part")]
    report = {"scorers": [{"scorer": "em", "laws": [law]}], "findings": rows, "advice": []}
    found = audit_all_tasks(
        lambda spec, data: report if "squad-1" in spec else {**report, "scorers": [], "findings": []}
    )
    assert [(one["scorer"], one["law"]) for one in found["findings"]] == [("squad@1 em", "part")]
    assert found["scorers"][0]["laws"][0]["excepted"]
    assert not found["scorers"][0]["laws"][0]["is_broken"]
    idle = {(one["place"], one["law"]) for one in found["idle"]}
    assert ("squad@1 em", "empty") in idle
    assert ("squad@1 em", "others") not in idle


def test_all_tasks_take_no_data() -> None:
    with pytest.raises(InputError, match="own example data"):
        scoring.audit("tasks", [{"response": "a", "reference": "a"}])
