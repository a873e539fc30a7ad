"""What the story of a record says of steps that iterate over items or align lists."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import scoring
from tests.primitives.test_each import HAS, NEAR, by_kind, record
from tests.primitives.test_lists import items


def test_explain_shows_every_item_with_its_score() -> None:
    story = by_kind().explain(record([HAS, NEAR, {"kind": "no"}]))
    calls = story["fields"][0]["stages"][-1]["inside"]
    assert [call["item"]["kind"] for call in calls] == ["has", "near", "no"]
    assert [call.get("result") for call in calls] == [1.0, pytest.approx(2 / 3), None]
    assert calls[2]["error"] == "no case is called 'no' (cases: has, near, inner)"


def test_explain_shows_how_two_lists_were_aligned() -> None:
    task = scoring.load({"kind": "task", "name": "speech", "score": "words | edit_rate"})
    record = {"id": 1, "response": "the cat sat mat please", "reference": "the big cat sat on the mat"}
    story = scoring.explain(task, [record]).to_json()
    (stage,) = [one for one in story["fields"][0]["stages"] if one["stage"] == "edit_rate"]
    edits, *operations = stage["told"]
    assert edits["value"] == "2 substituted, 2 deleted, 0 inserted; 7 in the reference"
    assert operations == [
        {"stage": "kept", "value": ["the"]},
        {"stage": "deleted", "value": ["big"]},
        {"stage": "kept", "value": ["cat", "sat"]},
        {"stage": "substituted", "prediction": ["mat", "please"], "reference": ["on", "the"]},
        {"stage": "deleted", "value": ["mat"]},
    ]


@pytest.mark.property
@given(prediction=items, reference=items)
def test_what_explain_tells_turns_the_reference_into_the_prediction(
    prediction: list[Any], reference: list[Any]
) -> None:
    task = scoring.load({"kind": "task", "name": "edits", "score": "item_edits"})
    story = task.explain({"id": 1, "response": prediction, "reference": reference})
    lines = story["fields"][0]["stages"][-1]["told"][1:]
    shown = {"kept": "value", "inserted": "value", "substituted": "prediction"}
    rebuilt = [item for line in lines if line["stage"] in shown for item in line[shown[line["stage"]]]]
    assert len(rebuilt) == len(prediction)
    counted = sum(len(next(iter(list(line.values())[1:]))) for line in lines if line["stage"] != "kept")
    assert counted == story["score"]
