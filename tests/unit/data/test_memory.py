"""Records in memory: which values are plain, and what no file could hold."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterator
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring
from scoring.data.file import InputFile
from scoring.data.rows.memory import rows_of
from scoring.errors import InputError


def only(value: Any) -> Any:
    (row,) = rows_of([{"v": value}])
    assert row.problem is None
    assert row.record is not None
    return row.record["v"]


class Colour(StrEnum):
    RED = "red"


class Place(IntEnum):
    FIRST = 1


class Plain(Enum):
    A = 1


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.float64(0.1), 0.1),
        (np.longdouble(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([0.5, np.nan]), [0.5, None]),
        (np.array(["a", None], dtype=object), ["a", None]),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (np.datetime64("2026-01-02T03:04:05.000001000"), "2026-01-02T03:04:05.000001"),
        (np.datetime64("NaT", "s"), None),
        (float("nan"), None),
        ([float("nan"), (1, 2)], [None, [1, 2]]),
        (Colour.RED, "red"),
        (Place.FIRST, 1),
        (decimal.Decimal("0.10"), 0.1),
        (decimal.Decimal("7"), 7),
        (decimal.Decimal("1e999"), float("inf")),
        (decimal.Decimal("NaN"), None),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.timedelta(minutes=1), 60.0),
        (bytearray(b"a"), "a"),
        (b"\xff", b"\xff"),
        (np.array("a"), "a"),
        (frozenset({"a"}), {"a"}),
    ],
)
def test_values_of_python_and_numpy_are_plain(value: Any, plain: Any) -> None:
    found = only(value)
    assert found == plain
    assert type(found) is type(plain)


DEEP: list[Any] = []
DEEP.append(DEEP)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (7, "a record must be an object, found a number"),
        ({1: "a"}, "the key 1 is not a text"),
        ({"v": {1: "a"}}, "column `v`: the key 1 is not a text"),
        ({"v": object()}, "column `v`: a `object` is not a plain value"),
        ({"v": 1j}, "column `v`: a `complex` is not a plain value"),
        ({"v": np.complex128(1)}, "column `v`: a `complex128` of complex128 is not a plain value"),
        ({"v": Plain.A}, "column `v`: a `Plain` is not a plain value"),
        ({"v": np.datetime64(1, "ns")}, "column `v`: a time finer than a microsecond"),
        ({"v": np.array([0, 1], "m8[ns]")}, "column `v`: a time finer than a microsecond"),
        ({"v": {(1, 2)}}, "column `v`: a set of lists is not a plain value"),
        ({"v": DEEP}, "column `v`: nested deeper than 200 levels"),
    ],
)
def test_what_no_file_could_hold_is_a_bad_row(record: Any, reason: str) -> None:
    good, bad, last = rows_of([{"v": 1}, record, {"v": 2}])
    assert (good.record, last.record) == ({"v": 1}, {"v": 2})
    assert bad.reason == f"record 2: {reason}"


@pytest.mark.parametrize("source", [{"id": [1, 2]}, b"[]", 7, None])
def test_what_is_no_table_is_refused(source: Any) -> None:
    with pytest.raises(InputError, match="is not a table; give a path, a list of records"):
        rows_of(source)


def test_paths_and_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1"}\n')
    for source in (tmp_path / "a.jsonl", str(tmp_path / "a.jsonl"), InputFile(str(tmp_path / "a.jsonl"))):
        assert [row.record for row in rows_of(source)] == [{"id": "1"}]


def test_records_are_read_as_they_are_needed() -> None:
    def endless() -> Iterator[dict[str, int]]:
        number = 0
        while True:
            yield {"id": (number := number + 1)}

    rows = rows_of(endless())
    assert next(rows).record == {"id": 1}


def test_a_limit_takes_no_more_of_what_is_generated() -> None:
    taken = 0

    def records() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for taken in range(1, 1000):
            yield {"id": taken, "response": "a", "reference": "a"}

    run = scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, records(), limit=3)
    assert (len(run.records), taken) == (3, 3)


def test_no_records_in_memory_are_no_rows() -> None:
    assert list(rows_of([])) == []


PAIRS = [{"id": "1", "response": "A", "reference": "a"}, {"id": "2", "response": "B", "reference": "c"}]


def test_what_is_odd_about_a_table_stands_in_the_summary() -> None:
    task = scoring.load({"kind": "task", "name": "words", "score": "lower | equal"})
    run = task.evaluate([*PAIRS, PAIRS[0], {"id": "4", "response": object(), "reference": "a"}])
    assert run.summary["counts"]["unscored"] == 1
    assert {kind: found["examples"] for kind, found in run.summary["inputs"].items()} == {
        "bad_rows": ["record 4: column `response`: a `object` is not a plain value"],
        "repeated_ids": ["1 (record 3)"],
    }
    with pytest.raises(InputError, match="a `int` is not a table"):
        task.evaluate(7)
