"""A spec scores the table that VLMEvalKit hands to a data set, as `scoring score` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.errors import InputError
from scoring.extensions.hosts.modules.vlmevalkit import OVERALL, evaluate_hook, evaluate_predictions
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    case = host_case(name, tmp_path, "texts")
    book = openpyxl.Workbook()
    book.active.append(["index", "answer", "prediction"])
    for one, row in zip(case.records, rows_of(case), strict=True):
        book.active.append([one.id, row["answer"], one.response])
    table = tmp_path / "model_data.xlsx"
    book.save(table)

    class DataSet:
        evaluate: Any = evaluate_hook(case.spec, references_as="json")

    expected = list(case.lines)
    with case.replaying():
        figures = DataSet().evaluate(str(table), nproc=4)
    lines = [json.loads(line) for line in (tmp_path / "model_data_scoring.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == len(expected) == 200
    for one, line, own in zip(case.records, lines, expected, strict=True):
        if one.response == "":  # a cell has no empty text: such an answer is absent in a table
            assert (line["status"], line["score"]) == ("unscored", None)
        else:
            assert (line["id"], line["score"], line["status"]) == (one.id, own.get("score"), own["status"])
        assert f"meaning:{line['meaning']}".split("|")[0] == case.meaning
    scores = [line["score"] for line in lines if line["score"] is not None]
    assert figures[OVERALL] == figures["mean"]
    assert figures["coverage"] == len(scores) / 200


def test_no_table_of_predictions(tmp_path: Path) -> None:
    case = host_case("landmark", tmp_path)
    (tmp_path / "x.tsv").write_text("index\tanswer\n1\tx\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column `prediction`"):
        evaluate_predictions(case.spec, tmp_path / "x.tsv")
