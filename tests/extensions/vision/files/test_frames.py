"""Two data frames read by columns are what the same rows are when they are read one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from scoring.extensions.vision.files.classification_files import read_classification
from scoring.extensions.vision.files.classification_frames import read_frames
from scoring.extensions.vision.files.faults import BrokenRecords

pandas = pytest.importorskip("pandas")
TRUTH = [
    {"id": "a", "label": "cat", "camera": "left", "light": 0.5},
    {"id": "b", "label": "bird", "camera": "right", "light": 0.25},
    {"id": "c", "label": "dog", "camera": "left", "light": 1.0},
]
SCORES = [
    {"id": "c", "dog": 0.5, "cat": 0.5, "cow": 0.0},
    {"id": "a", "dog": 0.25, "cat": 0.75, "cow": -1.0},
    {"id": "b", "dog": 1.0, "cat": 0.125, "cow": 3.0},
]
Rows = list[dict[str, Any]]


def frames() -> list[Callable[[Rows], Any]]:
    made: list[Callable[[Rows], Any]] = [pandas.DataFrame]
    try:
        import polars
    except ImportError:
        return made
    return [*made, polars.DataFrame]


def seen(read: Any) -> Any:
    tables, attributes = read
    columns = {
        key: [
            column.tolist() if isinstance(column, np.ndarray) else column for column in structs.asdict(table).values()
        ]
        + [table.labels.names, table.labels.seen.tolist()]
        for key, table in tables.items()
    }
    for key, table in tables.items():
        columns[key].remove(table.labels)
    return columns, attributes


@pytest.mark.parametrize("frame", frames())
def test_columns_are_what_the_rows_are(frame: Callable[[Rows], Any]) -> None:
    assert read_frames(frame(TRUTH), frame(SCORES)) is not None
    assert seen(read_classification(frame(TRUTH), frame(SCORES))) == seen(read_classification(TRUTH, SCORES))
    plain = [{"id": row["id"], "label": row["label"]} for row in TRUTH]
    assert seen(read_classification(frame(plain), frame(SCORES))) == seen(read_classification(plain, SCORES))


ODD: dict[str, tuple[Rows, Rows]] = {
    "a number for an id": ([{**TRUTH[0], "id": 1}], [{**SCORES[1], "id": 1}]),
    "an id twice": (TRUTH, [*SCORES, SCORES[0]]),
    "a true label twice": ([*TRUTH, TRUTH[0]], SCORES),
    "no prediction for one": (TRUTH, SCORES[:2]),
    "an unknown datum": (TRUTH[:2], SCORES),
    "no label": ([{**TRUTH[0], "label": ""}, *TRUTH[1:]], SCORES),
    "a missing score": (TRUTH, [{**SCORES[0], "dog": float("nan")}, *SCORES[1:]]),
    "an infinite score": (TRUTH, [{**SCORES[0], "dog": float("inf")}, *SCORES[1:]]),
    "a text for a score": (TRUTH, [{**row, "dog": "0.5"} for row in SCORES]),
    "whole numbers": (TRUTH, [{**row, "dog": 1} for row in SCORES]),
    "a row for each score": (TRUTH, [{"id": row["id"], "label": "dog", "score": row["dog"]} for row in SCORES]),
    "keys": ([{**row, "key": "animal"} for row in TRUTH], [{**row, "key": 0.5} for row in SCORES]),
    "a missing attribute": ([{**TRUTH[0], "camera": None}, *TRUTH[1:]], SCORES),
    "nothing": ([], []),
}


def outcome(truth: Any, scores: Any) -> Any:
    """What is read, or what is wrong with it."""
    try:
        return seen(read_classification(truth, scores))
    except BrokenRecords as error:
        return str(error).replace("row ", "record ")


@pytest.mark.parametrize("name", ODD)
def test_frames_with_anything_odd_are_read_row_by_row(name: str) -> None:
    truth, scores = map(pandas.DataFrame, ODD[name])
    assert read_frames(truth, scores) is None
    assert outcome(truth, scores) == outcome(truth.to_dict("records"), scores.to_dict("records"))


def test_an_index_with_a_name_is_a_column() -> None:
    truth, scores = pandas.DataFrame(TRUTH).set_index("id"), pandas.DataFrame(SCORES).set_index("id")
    assert read_frames(truth, scores) is None
    assert seen(read_classification(truth, scores)) == seen(read_classification(TRUTH, SCORES))
