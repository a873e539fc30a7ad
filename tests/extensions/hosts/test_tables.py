"""Tables of every library: the columns that are read and added, and what is refused. The real packages: `real/`."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

import scoring
import scoring.tables
from scoring.errors import InputError

TWIN: dict[str, Any] = {"kind": "task", "name": "t", "score": "lower | equal", "pass": "score == 1"}
TASK = scoring.load(TWIN)
ROWS: dict[str, list[Any]] = {"answer": ["Rome", "Paris", None], "gold": ["rome", "rome", "rome"]}
NAMED: dict[str, Any] = {"response": "answer", "reference": "gold"}


def test_a_mapping_of_columns_gives_the_new_ones() -> None:
    found = scoring.tables.add_scores(ROWS, TASK, **NAMED)
    assert found == {
        "score": [1.0, 0.0, None],
        "status": ["scored", "scored", "unscored"],
        "reason": [None, None, "the record has no response"],
        "passed": [True, False, None],
        "field.answer": [1.0, 0.0, None],
    }
    prefixed = scoring.tables.add_scores(ROWS, TASK, **NAMED, prefix="my_")
    assert list(prefixed) == ["my_score", "my_status", "my_reason", "my_passed", "my_answer"]


def test_parts_are_where_the_task_says_if_no_column_is_named() -> None:
    spec = {
        "kind": "task",
        "name": "t",
        "parse": "json",
        "by": ["kind"],
        "record": {"response": "output.text", "reference": "gold"},
        "fields": {"a": "equal", "b": {"prediction": "parsed.a", "reference": "record.more", "score": "equal"}},
    }
    table = {"output": [{"text": '{"a": 1}'}, {}], "gold": [{"a": 1}, {"a": 1}], "more": [1, 1], "kind": ["x", "y"]}
    found = scoring.tables.add_scores(table, spec)
    assert (found["a"], found["b"]) == ([1.0, None], [1.0, None])
    assert found["reason"][1] == "a: the record has no response"
    # A column that is named stands in place of where the task says.
    named = scoring.tables.add_scores({**table, "said": ['{"a": 2}'] * 2}, spec, response="said")
    assert (named["a"], named["b"]) == ([0.0, 0.0], [0.0, 0.0])


def test_long_tables_are_scored_in_blocks() -> None:
    table = {"response": ["a", "b"] * 10_000, "reference": ["a"] * 20_000}
    assert scoring.tables.add_scores(table, TASK)["score"] == [1.0, 0.0] * 10_000
    assert scoring.tables.add_scores({"response": [], "reference": []}, TASK)["score"] == []


@pytest.mark.parametrize(
    ("table", "named", "message"),
    [
        ({"answer": ["a"]}, {}, "there is no column `response` among `answer`, where t has its response; name it"),
        ({"answer": ["a"], "gold": ["a"]}, {"response": "answr"}, "there is no column `answr`, but `answer`; name"),
        ({"response": ["a"]}, {}, "there is no column `reference`"),
        ({"response": ["a"], "reference": ["a"], "score": [1]}, {}, 'a column `score` already; say prefix="my_" for'),
        ([{"response": "a"}], {}, "a `list` is no table of columns"),
        ({"response": ["a", "b"], "reference": ["a"]}, {}, "2 responses do not go with 1 references"),
    ],
)  # fmt: skip
def test_what_is_no_table_for_a_task_is_refused(table: Any, named: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, ValueError), match=message):
        scoring.tables.add_scores(table, TASK, **named)


def test_a_task_over_a_whole_data_set_has_no_score_for_a_row() -> None:
    task = {"kind": "task", "name": "boxes", "records": "detection", "metrics": ["detection_ap"]}
    with pytest.raises(InputError, match="boxes scores detection as a whole"):
        scoring.tables.add_scores({"response": ["a"]}, task)


def test_references_as_json() -> None:
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"a": "equal"}}
    table = {"response": ['{"a": 1}', "{}"], "reference": ['{"a": 1}', "{"]}
    assert scoring.tables.add_scores(table, spec, references_as="json")["status"] == ["scored", "unscored"]


def test_a_scorer_of_batches_travels_and_remembers_texts_of_earlier_batches() -> None:
    scorer = scoring.tables.batch_scorer({"kind": "task", "name": "t", "score": "any_reference(equal)"})
    scorer({"response": ["a"], "reference": ["a"]})
    mixed = {"response": ["a"], "reference": ['["a", "b"]']}
    with pytest.raises(InputError, match="the column `reference` holds texts"):
        scorer(mixed)
    assert pickle.loads(pickle.dumps(scorer))(mixed)["status"] == ["unscored"]


def test_two_columns_of_one_name_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "b"]], columns=["response", "response"])
    with pytest.raises(InputError, match="the table has two columns `response`"):
        frame.scoring.score(TASK)


_ACCESSOR = """
import sys
{first}
import scoring.tables
assert {frame}({{"response": ["A"], "reference": ["a"]}}).scoring.score({task!r})["score"].to_list() == [1.0]
"""


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("is_first", [True, False])
def test_frames_have_the_attribute_whichever_is_imported_first(library: str, is_first: bool) -> None:
    pytest.importorskip(library)
    task = {"kind": "task", "name": "t", "score": "lower | equal"}
    first = f"import {library}" if is_first else ""
    code = _ACCESSOR.format(first=first, frame=f"__import__('{library}').DataFrame", task=task)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_texts_that_no_column_can_hold_are_escaped() -> None:
    from scoring.extensions.hosts.tables.added import _in_utf8

    assert (_in_utf8("é"), _in_utf8("a\ud800"), _in_utf8(None)) == ("é", "a\\ud800", None)


def test_whole_numbers_that_pandas_made_floats_are_warned_of() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"response": ["1", "2"], "reference": [1, None]})
    with pytest.warns(UserWarning, match="the whole numbers of `reference` became floats"):
        scoring.tables.add_scores(frame, TASK)
    scoring.tables.add_scores(frame.astype({"reference": "Int64"}), TASK)


def test_what_scores_mean_stands_in_frames_and_arrow_tables() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    wanted = {"task": "t@0", "meaning": TASK.signature.meaning}
    frame = pandas.DataFrame(ROWS)
    frame.attrs = {"mine": 1}
    once = scoring.tables.add_scores(frame, TASK, **NAMED)
    twice = scoring.tables.add_scores(once, {**TWIN, "score": "equal"}, **NAMED, prefix="strict_")
    assert (twice.attrs["mine"], twice.attrs["scoring"]["score"], frame.attrs) == (1, wanted, {"mine": 1})
    assert twice.attrs["scoring"]["strict_score"]["meaning"] != wanted["meaning"]
    assert "scoring" not in pandas.concat([once, twice]).attrs
    table = scoring.tables.add_scores(arrow.table(ROWS), TASK, **NAMED)
    columns = TASK.score_columns(ROWS["answer"], ROWS["gold"], ids=[1.5, 2.5, 3.5])
    for found, field in ((table, "field.answer"), (columns.to_arrow(), "answer")):
        stated = {one.name: one.metadata for one in found.schema if one.metadata}
        texts = {f"scoring.{name}".encode(): text.encode() for name, text in wanted.items()}
        assert stated == {"score": texts, field: texts}
    assert columns.to_pandas().attrs == {"scoring": {"score": wanted}}
