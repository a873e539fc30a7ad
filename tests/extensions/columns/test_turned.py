"""What engines of columns turn into something else is refused, or told, by the name of its column."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.data.file import InputFile
from scoring.errors import InputError
from scoring.extensions.columns.arrow_values import arrow_values
from tests.support.formats import Records, arrow_table, json_lines, parquet

MIXED: Records = [
    {"id": 1, "response": "a", "reference": "a"},
    {"id": 2, "response": "b", "reference": ["a", "b"]},
    {"id": 3, "response": "c", "reference": None},
]
ANY_OF = {"kind": "task", "name": "t", "score": "any_reference(equal)"}
NULLS: Records = [{"id": 1, "response": "a", "reference": "a"}, {"id": 2, "response": "a", "reference": None}]


def turned() -> Records:
    return [
        {**row, "reference": row["reference"] if type(row["reference"]) is str else json.dumps(row["reference"])}
        for row in MIXED
    ]


def forms() -> dict[str, Any]:
    polars = pytest.importorskip("polars")
    return {
        "polars itself": polars.read_ndjson(io.BytesIO(json_lines(MIXED))),
        "Arrow": arrow_table(turned()),
        "Parquet": InputFile("a.parquet", parquet(arrow_table(turned()))),
        "pandas": pytest.importorskip("pandas").DataFrame(turned()),
    }


def test_a_column_of_several_types_that_became_text_is_refused_by_name() -> None:
    for data in forms().values():
        with pytest.raises(InputError) as error:
            scoring.load(ANY_OF).evaluate(data)
        said = str(error.value)
        assert "the column `reference` holds texts (`a`) and lists or objects that are written as text (`[" in said
        assert "Write JSON Lines, or a list in each row; where they are meant as texts, begin with `to_text`" in said
    assert scoring.load(ANY_OF).evaluate(MIXED).summary["metrics"][0]["value"] == 1


CITIES: Records = [
    {"id": 1, "response": '{"city": "a"}', "reference": {"city": "a", "at": [{"x": "b"}], "note": "n"}},
    {"id": 2, "response": '{"city": "b"}', "reference": {"city": '["a", "b"]', "at": [{"x": '["b"]'}], "note": "m"}},
]


BELOW_THE_TOP: list[tuple[dict[str, Any], str]] = [
    ({"city": "any_reference(equal)", "n": "equal"}, "city"),
    ({"city": {"reference": "reference.city", "score": "equal"}}, "city"),
    ({"f": {"prediction": "parsed.city", "reference": "reference.at[0].x", "score": "equal"}, "n": "equal"}, "at[].x"),
    ({"f": {"prediction": "parsed.city", "reference": "reference.city", "score": "equal"}}, "city"),
    ({"f": {"prediction": "parsed.city", "reference": "reference", "score": "equal"}}, "at[].x"),
]


@pytest.mark.parametrize(("fields", "place"), BELOW_THE_TOP)
def test_mixed_values_below_the_top_level_are_refused_by_name(fields: dict[str, Any], place: str) -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields})
    with pytest.raises(InputError, match=re.escape(f"the column `reference.{place}` holds texts")):
        task.evaluate(arrow_table(CITIES))
    assert task.evaluate(CITIES).summary["counts"]["records"] == 2  # records with types of their own


@pytest.mark.parametrize(
    "fields",
    [
        {"city": "lower | equal", "n": "equal"},
        {"city": "to_text | equal", "n": "equal"},
        {"note": "equal", "n": "equal"},
        {"f": {"prediction": "parsed.city", "reference": "reference.city | lower", "score": "equal"}},
    ],
)
def test_texts_below_the_top_level_that_are_meant_or_not_read_are_taken(fields: dict[str, Any]) -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields})
    assert task.evaluate(arrow_table(CITIES)).summary["counts"]["records"] == 2


@pytest.mark.parametrize("score", ["to_text | equal", "lower | equal", "sides(reference=json) | equal"])
def test_where_texts_are_meant_they_are_taken(score: str) -> None:
    run = scoring.load({**ANY_OF, "score": score}).evaluate(arrow_table(turned()))
    assert run.summary["counts"]["records"] == 3


@pytest.mark.parametrize(
    "references", [["[0, 1]", "5"], ["{x}", "y"], ["a", "b"], ['["a"]', '["b"]'], ['say "a"', "b"]]
)
def test_texts_that_only_look_like_lists_are_texts(references: list[str]) -> None:
    records = [{"response": one, "reference": one} for one in references]
    assert scoring.load({**ANY_OF, "score": "equal"}).evaluate(arrow_table(records)).summary["metrics"][0]["value"] == 1


def test_whole_numbers_that_pandas_made_floats_are_told() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([{"id": 1, "response": "1", "reference": 1}, {"id": 2, "response": "2"}])
    found = scoring.load({**ANY_OF, "score": "to_text | equal"}).evaluate(frame).summary["inputs"]
    assert found["turned_numbers"] == {"count": 1, "examples": ["`reference`"]}
    again = scoring.load({**ANY_OF, "score": "to_text | equal"}).evaluate(frame.astype({"reference": "Int64"}))
    assert "turned_numbers" not in again.summary["inputs"]
    assert again.summary["metrics"][0]["value"] == 1
    joined = scoring.load({**ANY_OF, "score": "equal"}).evaluate(
        pandas.DataFrame({"id": [1, 2], "response": ["a", "b"]}),
        references=pandas.DataFrame({"id": [1, 2, None], "reference": ["a", "b", "c"]}),
    )
    assert (joined.summary["counts"]["scored"], joined.summary["inputs"]["no_id"]["count"]) == (2, 1)


@pytest.mark.parametrize("form", ["Parquet", "CSV", "TSV", "JSON Lines"])
def test_null_as_a_value_is_told_where_a_form_has_null_for_what_is_not_there(form: str, tmp_path: Path) -> None:
    data = {
        "Parquet": lambda: InputFile("a.parquet", parquet(arrow_table(NULLS))),
        "CSV": lambda: InputFile("a.csv", b"id,response,reference\n1,a,a\n2,a,\n"),
        "TSV": lambda: InputFile("a.tsv", b"id\tresponse\treference\n1\ta\ta\n2\ta\t\n"),
        "JSON Lines": lambda: InputFile("a.jsonl", json_lines(NULLS)),
    }[form]
    run = scoring.load({**ANY_OF, "score": "equal", "on_null": "value"}).evaluate(data())
    assert run.summary["metrics"][0]["value"] == 0.5
    told, told_at = (
        run.summary["inputs"].get("column_nulls"),
        f"reference ({'row 2' if form == 'Parquet' else 'line 3'})",
    )
    assert told == (None if form == "JSON Lines" else {"count": 1, "examples": [told_at]})
    silent = scoring.load({**ANY_OF, "score": "equal"}).evaluate(data())
    assert (silent.summary["metrics"][0]["value"], silent.summary["inputs"]) == (1, {})


def test_tasks_of_a_suite_are_looked_through_too(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("kind: task\nname: t\nscore: any_reference(equal)\n")
    (tmp_path / "suite.yaml").write_text("kind: suite\nname: s\ntasks: t.yaml\n")
    data = arrow_table([{"task": "t", **row} for row in turned()])
    with pytest.raises(InputError, match="the column `reference` holds texts"):
        scoring.evaluate(tmp_path / "suite.yaml", data)


@pytest.mark.parametrize("part", ["3/", "/3", "0", "4/3", "1/2x"])
def test_a_part_that_is_cut_short_is_none(part: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_lines(NULLS))
    with pytest.raises(InputError, match="is not a part: write 3/10 for the third of ten"):
        scoring.load({**ANY_OF}).evaluate(tmp_path / "a.jsonl", parts=tmp_path / "parts", part=part)


def test_nulls_of_columns_are_told_alike_by_one_process_and_by_parts(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet(arrow_table(NULLS * 700)))
    task = scoring.load({**ANY_OF, "score": "equal", "on_null": "value"})
    alone = task.evaluate(tmp_path / "a.parquet").summary
    parts = task.evaluate(tmp_path / "a.parquet", parts=tmp_path / "parts").summary
    assert alone["inputs"]["column_nulls"] == parts["inputs"]["column_nulls"]
    assert alone["inputs"]["column_nulls"]["count"] == 700


def as_duckdb_exports_json(values: list[Any]) -> Records:
    """Records whose reference has, below `city`, what DuckDB makes of its type JSON: texts with their quotes."""
    return [
        {"id": place, "response": json.dumps({"city": "a"}), "reference": {"city": json.dumps(value)}}
        for place, value in enumerate(values)
    ]


@pytest.mark.parametrize("score", ["any_reference(equal)", "lower | equal", "equal"])
@pytest.mark.parametrize("values", [["a", ["a", "b"]], ["a", 3], ["a", {"x": 1}], [True, "a"]])
def test_json_of_several_types_is_refused_where_it_became_text(score: str, values: list[Any]) -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": {"city": score}})
    with pytest.raises(InputError, match=r"the column `reference\.city` holds JSON of texts \(`\"a\"`\)"):
        task.evaluate(arrow_table(as_duckdb_exports_json(values)))


@pytest.mark.parametrize("score", ["to_text | equal", "sides(reference=json) | equal"])
def test_json_texts_that_are_meant_are_taken(score: str) -> None:
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": {"city": score}})
    assert task.evaluate(arrow_table(as_duckdb_exports_json(["a", 3]))).summary["counts"]["records"] == 2


@pytest.mark.parametrize("texts", [['"a"', '"b"'], ['"a"', "b"], ['"a"', "3 apples"], ["3", "true"], ['"a', "3"]])
def test_texts_of_which_some_are_no_json_or_all_are_quoted_are_texts(texts: list[str]) -> None:
    records = [{"response": one, "reference": one} for one in texts]
    assert scoring.load({**ANY_OF, "score": "equal"}).evaluate(arrow_table(records)).summary["metrics"][0]["value"] == 1


def test_json_that_arrow_marks_is_read_at_any_depth() -> None:
    arrow = pytest.importorskip("pyarrow")
    json_type = arrow.json_()
    texts = [json.dumps(row["reference"]["city"]) for row in MIXED_CITIES]
    marked = arrow.ExtensionArray.from_storage(json_type, arrow.array(texts))
    nested = arrow.StructArray.from_arrays([marked, arrow.array([1, 2, 3])], ["city", "n"])
    table = arrow.table({"response": [row["response"] for row in MIXED_CITIES], "reference": nested})
    task = scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": {"city": "equal"}})
    found = task.evaluate(table)
    assert found.summary["metrics"][0]["value"] == task.evaluate(MIXED_CITIES).summary["metrics"][0]["value"] == 1
    lists = arrow.ListArray.from_arrays(arrow.array([0, 1, 3, 3], arrow.int32()), marked)
    maps = arrow.MapArray.from_arrays(arrow.array([0, 1, 3, 3], arrow.int32()), ["x", "y", "z"], marked)
    assert arrow_values(lists) == [["a"], [["a", "b"], 3], []]
    assert arrow_values(maps) == [{"x": "a"}, {"y": ["a", "b"], "z": 3}, {}]
    assert arrow_values(arrow.StructArray.from_arrays([marked], ["x"], mask=arrow.array([True] * 3))) == [None] * 3


MIXED_CITIES: Records = [
    {"response": '{"city": "a"}', "reference": {"city": "a", "n": 1}},
    {"response": '{"city": ["a", "b"]}', "reference": {"city": ["a", "b"], "n": 2}},
    {"response": '{"city": 3}', "reference": {"city": 3, "n": 3}},
]
CHAT = '[{"role": "user", "content": "?"}, {"role": "assistant", "content": "a"}]'


@pytest.mark.parametrize(
    ("responses", "what"),
    [
        (["a", CHAT], "chat messages that are written as text"),
        ([CHAT], "chat messages that are written as text"),
        (['"a"', CHAT], "JSON of texts"),
        (['"a"', '"b"', '{"a": 1}'], "JSON of texts"),
    ],
)
def test_responses_that_an_engine_wrote_as_text_are_refused(responses: list[str], what: str) -> None:
    records = [{"response": one, "reference": "a"} for one in responses]
    with pytest.raises(InputError, match=f"the column `response` holds {what}"):
        scoring.load(ANY_OF).evaluate(arrow_table(records))


@pytest.mark.parametrize(
    "responses", [["a"] * 20 + [CHAT], ['"a"', '{"a": 1}', '{"b": 1}'], ['"a"', "{", CHAT[:-1]], [f"say {CHAT}"]]
)
def test_answers_of_models_that_only_look_so_are_answers(responses: list[str]) -> None:
    records = [{"response": one, "reference": "a"} for one in responses]
    assert scoring.load(ANY_OF).evaluate(arrow_table(records)).summary["counts"]["records"] == len(responses)


def test_floats_of_arrow_in_a_pandas_frame_are_looked_through() -> None:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    table = arrow.table({"response": ["a", "b"], "reference": [1.0, None]})
    found = scoring.load({**ANY_OF, "score": "equal"}).evaluate(table.to_pandas(types_mapper=pandas.ArrowDtype))
    assert found.summary["counts"]["records"] == 2
