"""Tables of predictions as VLMEvalKit writes them, .xlsx: options in columns A, B, …, a record in each row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from tests.support.workbooks import workbook

YES_NO = [["index", "question", "category", "image_path", "answer", "prediction"]]
CHOICES = [["index", "question", "A", "B", "C", "D", "E", "F", "G", "H", "I", "answer", "prediction"]]
NONE = [None] * 6
TABLES: dict[str, tuple[list[list[Any]], float]] = {
    "pope": ([*YES_NO, [0, "?", "random", None, "Yes", "Yes."], [1, "?", "random", None, "No", "Yes"]], 0.5),
    # Both questions of one image right: 100 of 100, and 100 more for the pair; of the other one of two.
    "mme": (
        [
            *YES_NO,
            [0, "?", "count", "a.jpg", "Yes", "Yes"],
            [1, "?", "count", "a.jpg", "No", "no"],
            [2, "?", "count", "b.jpg", "Yes", "Yes"],
            [3, "?", "count", "b.jpg", "No", "yes"],
        ],
        75 + 50,
    ),
    "gqa": ([*YES_NO, [7, "?", None, None, "red", "Red "], [8, "?", None, None, "red", "blue"]], 0.5),
    "chartqa": ([*YES_NO, [7, "?", None, None, "10", "10.5"], [8, "?", None, None, "10", "11"]], 0.5),
    "scienceqa": (
        [
            *CHOICES,
            [1, "?", "red", "blue", None, *NONE, "B", "The answer is B."],
            [2, "?", 7, 0.5, 12, *NONE, "C", "12"],
            [3, "?", "red", "blue", "green", *NONE, "A", "green"],
            [4, "?", "red", "blue", None, *NONE, "A", "C"],
        ],
        0.5,
    ),
    # A question without an option A is open: its answer is option A.
    "mmmu": (
        [
            *CHOICES,
            [1, "?", "red", "blue", None, *NONE, "B", "B"],
            [2, "?", "red", "blue", None, *NONE, "B", "red"],
            [3, "?", None, None, None, *NONE, "1998", "1998"],
            [4, "?", None, None, None, *NONE, "a long word", "It is something else."],
        ],
        0.5,
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_scored_as_it_comes(name: str, tmp_path: Path) -> None:
    rows, expected = TABLES[name]
    data, notes = tmp_path / "model.xlsx", list[str]()
    data.write_bytes(workbook(rows))
    run = scoring.evaluate(f"{name}-vlmevalkit@1", data, output=tmp_path / "run", on_note=notes.append)
    assert run.coverage == 1.0
    assert next(iter(run.metrics.values())) == pytest.approx(expected)
    assert notes == [f"{data} is read in the layout `vlmevalkit` of {name}-vlmevalkit"]
    assert scoring.runs.verify(tmp_path / "run").passed
