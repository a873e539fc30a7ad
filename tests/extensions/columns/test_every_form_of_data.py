"""One law for figures: the same records give the same bits, whatever holds them and however it says what is not there.

What a row lacks is no key in JSON Lines, null in Parquet, an empty cell in CSV, NaN or NA in pandas: all is missing.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.data.file import InputFile
from tests.support.formats import Records, ipc, json_lines, parquet, read_here

COLUMNS = ("id", "response", "reference", "answer", "weight", "kind", "tags", "context")
TASK = scoring.load(
    {
        "kind": "task",
        "name": "forms",
        "record": {"weight": "weight", "kind": "kind", "held": "keys(reference || `{}`)"},
        "parse": "to_text",
        "fields": {
            "total": {"score": "number | within(relative=0.1)", "reference": "reference.total"},
            "name": {"score": "lower | levenshtein", "reference": "reference.name"},
            "lines": {"score": "equal", "reference": "reference.lines"},
            "text": "to_text | levenshtein",
            "tolerance": {"score": "levenshtein | zero_below(context.tolerance)", "reference": "reference.name"},
        },
        "on_unparsed": "zero",
        "metrics": ["mean", "weighted_mean", "coverage"],
        "by": ["kind", "tags[]", "held[]"],
        "intervals": {"resamples": 100},
    }
)
WHOLE = scoring.load(
    {
        "kind": "task",
        "name": "whole",
        "record": {"response": "answer"},
        "parse": "json",
        "fields": {
            "total": "equal",
            "name": "equal",
            "lines": "equal",
            "all": {"score": "equal", "prediction": "parsed", "reference": "reference"},
        },
        "intervals": {"resamples": 100},
    }
)

words = st.sampled_from(["a", "Ab", "3", "3.14", "x,y", "nan", '"q"'])
numbers = st.sampled_from([3.14, 3.0, 0.5, 1e300, -2.5])
lines = st.lists(st.fixed_dictionaries({}, optional={"item": words, "amount": numbers}), max_size=2)
answers = st.fixed_dictionaries({}, optional={"total": numbers, "name": words, "lines": lines})
# Each path of the tasks is found in this one: what no record has is a fault of the spec.
FULL: dict[str, Any] = {
    "id": 100,
    "response": "Ab",
    "reference": {"total": 3.0, "name": "ab", "lines": [{"item": "a", "amount": 0.5}]},
    "answer": {"total": 3.0, "name": "a", "lines": []},
    "weight": 2.0,
    "kind": "a",
    "tags": ["x,y"],
    "context": {"tolerance": 0.5},
}
records_of_all = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 99)},
        optional={
            "response": words,
            "reference": answers,
            "answer": answers,
            "weight": numbers.filter(lambda number: number > 0),
            "kind": words,
            "tags": st.lists(words, max_size=2),
            "context": st.fixed_dictionaries({}, optional={"tolerance": st.sampled_from([0.5, 0.25])}),
        },
    ),
    max_size=6,
).map(lambda records: [FULL, *records])


def arrow_table(records: Records) -> Any:
    import pyarrow as arrow

    line = arrow.struct([("item", arrow.string()), ("amount", arrow.float64())])
    answer = arrow.struct([("total", arrow.float64()), ("name", arrow.string()), ("lines", arrow.list_(line))])
    kinds = [arrow.int64(), arrow.string(), answer, answer, arrow.float64(), arrow.string()]
    kinds += [arrow.list_(arrow.string()), arrow.struct([("tolerance", arrow.float64())])]
    return arrow.Table.from_pylist(records, schema=arrow.schema(list(zip(COLUMNS, kinds, strict=True))))


def nan_for_null(table: Any) -> Any:
    """The same table with NaN in its column of numbers, as polars and Spark may leave it."""
    import pyarrow as arrow

    weights = [math.nan if weight is None else weight for weight in table["weight"].to_pylist()]
    return table.set_column(COLUMNS.index("weight"), "weight", arrow.array(weights, arrow.float64()))


def cells(records: Records, write: Callable[[Any], str]) -> InputFile:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([f"{name}:json" for name in COLUMNS])
    writer.writerows([write(record.get(name)) for name in COLUMNS] for record in records)
    return InputFile("a.csv", text.getvalue().encode())


def with_nulls(records: Records, nothing: Any = None) -> Records:
    return [{name: record.get(name, nothing) for name in COLUMNS} for record in records]


def deep(value: Any, nothing: Any) -> Any:
    """The answer with all the keys that it may have."""
    if isinstance(value, dict):
        keys = ("item", "amount") if {"item", "amount"} & value.keys() else ("total", "name", "lines")
        return {key: deep(value.get(key, nothing), nothing) for key in keys}
    return [deep(item, nothing) for item in value] if isinstance(value, list) else value


def padded(records: Records, nothing: Any) -> Records:
    return [
        {name: deep(value, nothing) if name in ("reference", "answer") else value for name, value in record.items()}
        for record in with_nulls(records, nothing)
    ]


def pandas_frame(records: Records) -> Any:
    return pytest.importorskip("pandas").DataFrame(records, columns=list(COLUMNS))


def pandas_columns(records: Records) -> Any:
    frame = pandas_frame(records)
    return frame.astype({"id": "Int64", "response": "string", "weight": "Float64", "kind": "category"})


def polars_frame(records: Records) -> Any:
    return pytest.importorskip("polars").from_arrow(arrow_table(records))


def of_numpy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: of_numpy(item) for key, item in value.items()}
    if isinstance(value, list):
        return np.array([of_numpy(item) for item in value], dtype=object)
    return np.float64(value) if isinstance(value, float) else np.str_(value) if isinstance(value, str) else value


FORMS: dict[str, Callable[[Records], Any]] = {
    "JSON Lines with nulls": lambda records: InputFile("a.jsonl", json_lines(padded(records, None))),
    "JSON Lines with NaN": lambda records: InputFile("a.jsonl", json_lines(padded(records, math.nan))),
    "JSON": lambda records: InputFile("a.json", json.dumps(records).encode()),
    "JSON with NaN": lambda records: InputFile("a.json", json.dumps({"records": padded(records, math.nan)}).encode()),
    "CSV with nulls": lambda records: cells(records, json.dumps),
    "CSV with empty cells": lambda records: cells(records, lambda value: "" if value is None else json.dumps(value)),
    "Parquet": lambda records: InputFile("a.parquet", parquet(arrow_table(records))),
    "Parquet with NaN": lambda records: InputFile("a.parquet", parquet(nan_for_null(arrow_table(records)))),
    "Feather": lambda records: InputFile("a.feather", ipc(arrow_table(records))),
    "an Arrow table": arrow_table,
    "an Arrow reader": lambda records: arrow_table(records).to_reader(max_chunksize=2),
    "a pandas frame": pandas_frame,
    "a pandas frame of columns": pandas_columns,
    "a pandas frame of Arrow": lambda records: arrow_table(records).to_pandas(),
    "a polars frame": polars_frame,
    "a lazy polars frame": lambda records: polars_frame(records).lazy(),
    "a list with None": lambda records: padded(records, None),
    "a list with NaN": lambda records: padded(records, math.nan),
    "a list with NA": lambda records: padded(records, pytest.importorskip("pandas").NA),
    "a list with NaT": lambda records: padded(records, pytest.importorskip("pandas").NaT),
    "NumPy's values": lambda records: [{name: of_numpy(value) for name, value in record.items()} for record in records],
}


def figures(task: Any, data: Any) -> Any:
    """All that a run says but for the names of its inputs, and the outcome of each record."""
    run = task.evaluate(data)
    told = {key: value for key, value in run.summary.items() if key != "inputs"}
    return json.dumps([told, [result.outcome.to_json() for result in run.records]], sort_keys=True)


@functools.cache
def figures_of_lines(place: int, lines: bytes) -> Any:
    """Where each run has the same examples, every form is held to the same lines."""
    return figures((TASK, WHOLE)[place], InputFile("a.jsonl", lines))


@pytest.mark.property
@pytest.mark.parametrize("form", FORMS)
def test_the_same_records_have_the_same_figures_from_every_form(form: str) -> None:
    pytest.importorskip("pyarrow")

    @settings(max_examples=15, deadline=None)
    @given(records_of_all)
    def law(records: Records) -> None:
        for place, task in enumerate((TASK, WHOLE)):
            assert figures(task, FORMS[form](records)) == figures_of_lines(place, json_lines(records))

    for task in (TASK, WHOLE):
        assert json.loads(figures(task, FORMS[form]([FULL])))  # files of columns by a child process, as always
    with read_here():
        law()


@pytest.mark.property
@settings(max_examples=30, deadline=None)
@given(records_of_all)
def test_hosts_that_give_values_of_numpy_get_the_same_scores(records: Records) -> None:
    for task in (TASK, WHOLE):
        alone = [task.score(record) for record in records]
        foreign = [{name: of_numpy(value) for name, value in record.items()} for record in padded(records, math.nan)]
        assert [task.score(record).outcome for record in foreign] == [result.outcome for result in alone]
        assert list(task.score_batch(foreign).outcomes) == [result.outcome for result in alone]
        json.dumps([task.score(record).to_json() for record in foreign])
