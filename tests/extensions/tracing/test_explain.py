"""Explanations of records from Python: ranges, ids and options."""

from __future__ import annotations

import pytest

import scoring
from tests.unit.api.test_host_calls import TASK as HOSTED
from tests.unit.api.test_ranges import FAR, RECORDS, TWO
from tests.unit.api.test_wrong_arguments import ROWS, SPEC
from tests.unit.test_lacking_extensions import forget_services


def test_an_explanation_tells_what_the_scores_may_be() -> None:
    told = scoring.explain(TWO, RECORDS)
    assert told.data["range"] == [0.0, 3.0]
    assert [field["range"] for field in told.data["fields"]] == [[0.0, 1.0], [0.0, 1.0]]
    assert "in [0, 3]" in told.text()
    assert "in [0, inf]" in scoring.explain(FAR, [{"id": 1, "response": "1", "reference": "5"}]).text()


def test_a_result_of_parts_explains_itself() -> None:
    story = HOSTED.score_parts("A", "a", id=3).explain()
    assert (story["id"], story["response"], story["score"]) == (3, "A", 1.0)


def test_the_id_of_a_record_may_be_a_number() -> None:
    assert scoring.explain(SPEC, [*ROWS, {**ROWS[0], "id": 7}], record=7).to_json()["id"] == 7


def test_a_dialect_of_a_primitive_is_refused() -> None:
    with pytest.raises(scoring.InputError, match="--dialect is for a task file of another tool, and `equal` is none"):
        scoring.explain("equal", dialect="any")


def test_a_name_is_explained_by_an_extension_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_services(monkeypatch)
    lacks = "^`explain` of a name needs an extension that provides `explain-name`, and none is installed$"
    with pytest.raises(scoring.InputError, match=lacks):
        scoring.explain("equal")
