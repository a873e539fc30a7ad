"""What a manifest says of inputs that several processes read here and there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.wide import verbs as wide
from tests.support.formats import arrow_table
from tests.unit.api.test_inputs import RECORDS, SPEC, at_once, lines


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_file_that_is_read_here_and_there_must_stay_as_it_is(
    tmp_path: Path, in_parts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "data.parquet"
    for name, records in (("data.parquet", RECORDS), ("other", RECORDS[::-1])):
        parquet.write_table(arrow_table(records), tmp_path / name, row_group_size=500)
    monkeypatch.setattr(wide, "SIZE", 1000)
    how: dict[str, Any] = {"parts": tmp_path / "parts"} if in_parts else {}
    change = at_once(lambda: os.replace(tmp_path / "other", path))
    with pytest.raises(scoring.InputError, match=r"data\.parquet changed while it was scored; score it again"):
        scoring.evaluate(SPEC, path, on_progress=change, **how)


def test_a_part_of_lines_has_the_bytes_that_were_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(lines(RECORDS))
    monkeypatch.setattr(wide, "SIZE", 1000)
    change = at_once(lambda: path.write_bytes(lines(RECORDS).replace(b'"a"', b'"b"')))
    with pytest.raises(scoring.InputError, match=r"data\.jsonl changed while it was scored; score it again"):
        scoring.evaluate(SPEC, path, on_progress=change, parts=tmp_path / "parts")


def test_an_empty_file_can_be_a_part(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(RECORDS))
    (tmp_path / "b.jsonl").write_bytes(b"")
    for number, name in enumerate(("a.jsonl", "b.jsonl"), start=1):
        scoring.evaluate(SPEC, tmp_path / name, parts=tmp_path / "parts", part=f"{number}/2")
    assert scoring.runs.merge(tmp_path / "parts").metrics == scoring.evaluate(SPEC, tmp_path / "a.jsonl").metrics
