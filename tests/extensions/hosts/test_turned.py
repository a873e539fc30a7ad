"""References of several types, of which an engine of columns made texts, are refused as those of tables are."""

from __future__ import annotations

import re
from typing import Any

import pytest

import scoring
from scoring.errors import InputError
from tests.extensions.columns.test_turned import ANY_OF, BELOW_THE_TOP, CHAT, CITIES, turned
from tests.support.formats import arrow_table


@pytest.mark.parametrize(("fields", "place"), BELOW_THE_TOP)
def test_mixed_values_below_the_top_level_are_refused_by_name(fields: dict[str, Any], place: str) -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields})
    table = arrow_table(CITIES)
    columns = table.column("response"), table.column("reference")
    with pytest.raises(InputError, match=re.escape(f"the column `references.{place}` holds texts")):
        task.score_columns(*columns)
    with task.worker(seconds=20) as worker, pytest.raises(InputError, match=re.escape(f"`references.{place}`")):
        worker.score_columns(*columns)


def test_mixed_references_are_refused_in_columns_as_in_files() -> None:
    task = scoring.load(ANY_OF)
    with pytest.raises(InputError, match="the column `references` holds texts"):
        task.score_columns(["a", "b"], arrow_table(turned()[:2]).column("reference"))
    assert task.score_columns(["a", "b"], [["a"], ["a", "b"]]).scores.tolist() == [1.0, 1.0]
    # A list has the types that its host gave it, and a batch of it no others than the next.
    assert scoring.load({**ANY_OF, "score": "equal"}).score_columns(["a"] * 2, ["a", '["b"]']).scores[0] == 1


def test_all_of_a_column_is_looked_through() -> None:
    arrow = pytest.importorskip("pyarrow")
    references = arrow.array([*["a"] * 5000, '["a", "b"]'])
    with pytest.raises(InputError, match="the column `references` holds texts"):
        scoring.load(ANY_OF).score_columns(["a"] * 5001, references)


def test_columns_of_arrow_are_read_as_tables_of_arrow_are() -> None:
    arrow = pytest.importorskip("pyarrow")
    marked = arrow.ExtensionArray.from_storage(arrow.json_(), arrow.array(['"a"', '["a", "b"]', "{", None]))
    references = arrow.StructArray.from_arrays([marked], ["city"])
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": {"city": "equal"}})
    answers = ['{"city": "a"}', '{"city": ["a", "b"]}', "{}", "{}"]
    found = task.score_columns(answers, arrow.chunked_array([references]))
    assert found.scores[:2].tolist() == [1.0, 1.0]
    assert found.statuses == ["scored", "scored", "unscored", "not_applicable"]
    assert "not JSON" in found.reasons[2]
    maps = arrow.array([[("a", 1)]], arrow.map_(arrow.string(), arrow.int64()))
    assert scoring.load({**ANY_OF, "score": "equal"}).score_columns([{"a": 1}], maps).scores.tolist() == [1.0]
    dates = arrow.array([2**62], arrow.timestamp("us"))
    assert "can't be read" in scoring.load(ANY_OF).score_columns(["a"], dates).reasons[0]


def test_responses_that_became_text_are_refused_in_columns() -> None:
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="the column `responses` holds chat messages that are written as text"):
        scoring.load(ANY_OF).score_columns(arrow.array(["a", CHAT]), ["a", "a"])
    assert scoring.load(ANY_OF).score_columns(["a", CHAT], [["a"], ["a"]]).scores.tolist() == [1.0, 0.0]
