"""Every metric of extensions says how many records it leaves out and why, and has no value where none counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.faulty_records import (
    CORE,
    FAULTS,
    check_figure_over_no_record,
    check_what_is_left_out,
    check_what_is_not_applicable,
    over_records,
)

NAMES = sorted(set(FAULTS) - CORE)


def test_every_metric_over_records_is_held_to_it() -> None:
    assert over_records() == sorted(FAULTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_says_how_many_records_it_leaves_out_and_why(name: str) -> None:
    check_what_is_left_out(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_applicable_is_not_missed(name: str) -> None:
    check_what_is_not_applicable(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_over_no_record_has_no_value(name: str) -> None:
    check_figure_over_no_record(name)


SPEC = """
kind: task
name: figures
version: 1.0.0
fields:
  same: equal
metrics: [rmse, total: sum(same), share: "if(sum(same) == 0, 0, sum(same) / count())"]
on_missing: unscored
"""


def scored(folder: Path, records: Sequence[dict[str, Any]], capsys: Any, *more: str) -> str:
    from scoring.cli.main import main

    (folder / "task.yaml").write_text(SPEC)
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, records)))
    main(["score", str(folder / "task.yaml"), str(folder / "data.jsonl"), *more])
    return str(capsys.readouterr().out)


def test_the_command_line_says_it_beside_the_figure(tmp_path: Path, capsys: Any) -> None:
    records: list[dict[str, Any]] = [{"id": place, "response": place, "reference": 1} for place in range(3)]
    records += [{"id": 9 + place, "response": "4 kg", "reference": 4} for place in range(2)]
    assert "2 records do not count: the answer is not a number (2)" in scored(tmp_path, records, capsys)


def test_a_formula_over_no_scored_record_is_null_with_its_reason(tmp_path: Path, capsys: Any) -> None:
    records = [{"id": place, "response": None, "reference": 1} for place in range(3)]
    found = json.loads(scored(tmp_path, records, capsys, "--json"))["metrics"]
    assert [figure["value"] for figure in found] == [None, None, None]
    assert found[1]["reason"] == found[2]["reason"] == "no record counts: no score (3)"
    assert "no record counts: no score (3)" in scored(tmp_path, records, capsys)
