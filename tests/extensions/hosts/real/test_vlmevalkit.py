"""A spec answers to `evaluate` of a data set of VLMEvalKit, over the table that its own writer made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vlmeval")

from vlmeval.dataset.text_base import TextBaseDataset
from vlmeval.smp import dump

from scoring.extensions.hosts.modules.vlmevalkit import evaluate_hook
from tests.extensions.hosts.harness_calls import rows_of
from tests.support.host_cases import CASES, host_case


@pytest.mark.parametrize("name", CASES)
def test_all_records(name: str, tmp_path: Path) -> None:
    case = host_case(name, tmp_path, "texts")
    expected = list(case.lines)

    class DataSet(TextBaseDataset):  # type: ignore[misc]  # the host's class is known at run time
        evaluate: Any = evaluate_hook(case.spec, references_as="json")

        def load_data(self, dataset: str) -> Any:
            rows = [{"index": row["id"], "answer": row["answer"]} for row in rows_of(case)]
            return pytest.importorskip("pandas").DataFrame(rows)

    data = DataSet("mine")
    table = data.data.copy()
    table["prediction"] = [one.response for one in case.records]
    dump(table, str(tmp_path / "model_mine.xlsx"))
    with case.replaying():
        figures = data.evaluate(str(tmp_path / "model_mine.xlsx"), nproc=4)
    lines = [json.loads(line) for line in (tmp_path / "model_mine_scoring.jsonl").read_text("utf-8").splitlines()]
    wrong = [
        one.id
        for one, line, own in zip(case.records, lines, expected, strict=True)
        if line["score"] != (None if one.response == "" else own.get("score"))  # a cell has no empty text
    ]
    assert (len(lines), wrong) == (200, [])
    assert figures["mean"] is not None
