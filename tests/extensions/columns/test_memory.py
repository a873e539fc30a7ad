"""One law for every way in which records come: the same records give the same rows, from files and from memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.data.file import InputFile
from scoring.data.rows.memory import rows_of
from scoring.errors import InputError
from tests.support.formats import Records, delimited, ipc, json_lines, parquet
from tests.support.formats import arrow_table as arrow_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)


WHOLE = st.integers(-(2**63), 2**63 - 1)


# Kinds of columns, each with the Arrow type that holds it.
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "whole": WHOLE,
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.booleans(),
    "texts": st.lists(TEXTS, max_size=3),
    "pair": st.fixed_dictionaries({"a": WHOLE | st.none(), "b": TEXTS}),
}


def tables() -> st.SearchStrategy[Records]:
    record = st.fixed_dictionaries({name: cell | st.none() for name, cell in CELLS.items()})
    return st.lists(record, min_size=1, max_size=6)


def arrow_table(records: Records) -> Any:
    import pyarrow as arrow

    pair = arrow.struct([("a", arrow.int64()), ("b", arrow.string())])
    kinds = [arrow.string(), arrow.int64(), arrow.float64(), arrow.bool_(), arrow.list_(arrow.string()), pair]
    return arrow.Table.from_pylist(records, schema=arrow.schema(list(zip(CELLS, kinds, strict=True))))


def table_of_text(records: Records) -> InputFile:
    cells = [{f"{name}:json": json.dumps(record[name]) for name in CELLS} for record in records]
    return InputFile("a.csv", delimited(cells, ","))


def pandas_frame(records: Records) -> Any:
    return pytest.importorskip("pandas").DataFrame(records, dtype=object)


def pandas_columns(records: Records) -> Any:
    """Columns of pandas' own types, whose missing values are NaN and NA."""
    frame = pandas_frame(records)
    return frame.astype({"text": "string", "whole": "Int64", "number": "float64", "flag": "boolean"})


def polars_frame(records: Records) -> Any:
    polars = pytest.importorskip("polars")
    pair = polars.Struct({"a": polars.Int64, "b": polars.String})
    kinds = [polars.String, polars.Int64, polars.Float64, polars.Boolean, polars.List(polars.String), pair]
    return polars.DataFrame(records, schema=dict(zip(CELLS, kinds, strict=True)))


FORMS: dict[str, Callable[[Records], Any]] = {
    "JSON Lines": lambda records: InputFile("a.jsonl", json_lines(records)),
    "JSON": lambda records: InputFile("a.json", json.dumps(records).encode()),
    "CSV": table_of_text,
    "Parquet": lambda records: InputFile("a.parquet", parquet(arrow_table(records))),
    "Feather": lambda records: InputFile("a.feather", ipc(arrow_table(records))),
    "an Arrow table": arrow_table,
    "an Arrow reader": lambda records: arrow_table(records).to_reader(max_chunksize=2),
    "a pandas frame of objects": pandas_frame,
    "a pandas frame of columns": pandas_columns,
    "a polars frame": polars_frame,
    "a lazy polars frame": lambda records: polars_frame(records).lazy(),
    "a list": lambda records: records,
    "a generator": lambda records: (dict(record) for record in records),
    "numpy's scalars": lambda records: [
        {**record, "whole": None if record["whole"] is None else np.int64(record["whole"])} for record in records
    ],
}


@pytest.mark.property
@pytest.mark.parametrize("form", FORMS)
def test_the_same_records_are_the_same_rows_wherever_they_come_from(form: str) -> None:
    pytest.importorskip("pyarrow")

    @settings(max_examples=20)
    @given(tables())
    def law(records: Records) -> None:
        found = [row.record for row in rows_of(FORMS[form](records))]
        # As text, since 1, 1.0 and true are equal in Python.
        assert [json.dumps(record, sort_keys=True) for record in found] == [
            json.dumps(record, sort_keys=True) for record in records
        ]

    law()


def test_missing_values_and_times_of_pandas_are_pythons() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"at": pandas.to_datetime(["2026-01-02T03:04:05.000001", None]), "n": [1.5, None], "t": ["a", None]}
    )
    first, second = (row.record for row in rows_of(frame))
    assert first == {"at": "2026-01-02T03:04:05.000001", "n": 1.5, "t": "a"}
    assert second == {"at": None, "n": None, "t": None}


def nanoseconds(library: str) -> Any:
    module = pytest.importorskip(library)
    times = np.array([0, 1], dtype="datetime64[ns]")
    return module.table({"at": times}) if library == "pyarrow" else module.DataFrame({"at": times})


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_a_time_finer_than_a_microsecond_is_a_bad_row(library: str) -> None:
    pytest.importorskip("pyarrow")
    good, bad = rows_of(nanoseconds(library))
    assert good.record == {"at": "1970-01-01T00:00:00"}
    assert bad.reason == "row 2: column `at`: a time finer than a microsecond"


def test_names_of_columns_are_texts_and_stand_once() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="a column is named 0, not a text"):
        rows_of(pandas.DataFrame([[1, 2]]))
    with pytest.raises(InputError, match="the column `a` appears twice"):
        rows_of(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(InputError, match="cannot insert a, already exists"):
        rows_of(pandas.DataFrame({"a": [1]}, index=pandas.Index([2], name="a")))


def test_a_named_index_is_a_column_and_another_is_not() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["x"], "r": ["a"]})
    assert [row.record for row in rows_of(frame.set_index("id"))] == [{"id": "x", "r": "a"}]
    assert [row.record for row in rows_of(frame.set_index(np.array([7])))] == [{"id": "x", "r": "a"}]


PAIRS: Records = [{"id": "1", "response": "A", "reference": "a"}, {"id": "2", "response": "B", "reference": "c"}]


@pytest.mark.parametrize(
    "make",
    [
        lambda: PAIRS,
        lambda: (record for record in PAIRS),
        lambda: arrow_of(PAIRS),
        lambda: pytest.importorskip("pandas").DataFrame(PAIRS),
        lambda: pytest.importorskip("polars").DataFrame(PAIRS),
        lambda: InputFile("a.jsonl", json_lines(PAIRS)),
    ],
)
def test_a_task_evaluates_a_table_wherever_it_is(make: Callable[[], Any]) -> None:
    task = scoring.load({"kind": "task", "name": "words", "score": "lower | equal"})
    run = task.evaluate(make())
    assert run.summary["metrics"][0]["value"] == 0.5
    assert [result.score for result in run.records] == [1.0, 0.0]


def test_a_data_set_evaluates_tables_wherever_they_are() -> None:
    pandas = pytest.importorskip("pandas")
    spec = {"kind": "task", "name": "boxes", "records": "detection", "metrics": ["detection_ap"]}
    truth = {
        "images": [{"id": 1, "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]}],
    }
    results = [{"image_id": 1, "category_id": 1, "bbox": np.array([0.0, 0.0, 5.0, 5.0]), "score": np.float32(0.5)}]
    task = scoring.load(spec)
    for found in (results, pandas.DataFrame(results)):
        data = task.evaluate(found, references=truth).summary
        assert data["keys"]["label"]["metrics"][0]["value"] == pytest.approx(1.0)
