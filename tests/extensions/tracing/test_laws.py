"""Every record has a story, whatever its task and its values, and the story ends with the result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import scoring
from tests.property.test_formulas import FORMULAS, RECORDS
from tests.property.test_single_calls import records, specs, task_of
from tests.property.test_values import EVERYTHING, POLICIES
from tests.property.test_values import records as rows_of_values
from tests.property.test_values import task as task_with

pytestmark = pytest.mark.property


@settings(deadline=None)
@given(specs, records)
def test_a_story_ends_with_the_result_that_it_tells(spec: dict[str, Any], row: dict[str, Any]) -> None:
    task = task_of(spec)
    result = task.score(row)
    story = result.explain()
    assert repr(story["score"]) == repr(result.score)
    assert [repr(part["score"]) for part in story["fields"]] == [repr(part.score) for part in result.fields.values()]


@given(text=FORMULAS, rows=RECORDS, place=st.sampled_from(["formula", "aggregate", "pass"]))
def test_any_formula_has_a_story(text: str, rows: list[dict[str, Any]], place: str) -> None:
    field = {"score": text if place == "formula" else "1"}
    spec: dict[str, Any] = {"kind": "task", "name": "t", "fields": {"f": field}}
    try:
        task = scoring.load(spec if place == "formula" else {**spec, place: text})
    except scoring.SpecError:
        reject()
    for row in rows:
        found = task.score(row)
        assert found.explain()["status"] == found.status


@given(policies=POLICIES, rows=rows_of_values)
def test_computed_values_have_a_story(policies: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    one = task_with(**EVERYTHING, **policies)
    for row in rows:
        assert one.explain(row)["status"] == one.score(row).status
