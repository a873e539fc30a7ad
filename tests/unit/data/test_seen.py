"""Ids that stand twice are found, however many stand between them, in a few bytes each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.rows import batch
from scoring.data.rows.batch import single
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import Block, Row, blocks_of, first_rows


def ids_of(records: Sequence[dict[str, Any]]) -> list[Any]:
    return [record.get("id") for record in records]


@given(st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=6), max_size=12), st.integers(1, 8))
def test_they_are_those_that_stood_before(blocks: list[list[str]], recent: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "_RECENT", recent)
        ids, before = batch.SeenIds(), set()
        for block in blocks:
            expected = []
            for position, text in enumerate(block):
                expected += [position] if text in before else []
                before.add(text)
            assert ids.repeated(block) == expected


def test_a_million_ids_take_few_bytes_each() -> None:
    ids = batch.SeenIds()
    for start in range(0, 1_000_000, 1000):
        assert not ids.repeated([f"question {number}" for number in range(start, start + 1000)])
    held = sum(packed.nbytes for packed in ids._packed) + sys.getsizeof(ids._recent) + 32 * len(ids._recent)
    assert held < 32_000_000, "a set of texts takes a hundred"
    assert ids.repeated(["question 7", "another"]) == [0]


def test_each_row_that_repeats_is_told_with_its_place() -> None:
    report = InputReport()
    rows = [Row(f"line {n}", {"id": key}) for n, key in enumerate(["a", 1, "1", None, "", None, "a"], start=1)]
    (batch,) = single(blocks_of([*rows, Row("line 8", None, "not JSON")]), ids_of, report)
    assert batch.ids == ["a", 1, "1", None, "", None, "a", None]
    assert report.to_json() == {
        "bad_rows": {"count": 1, "examples": ["line 8: not JSON"]},
        "repeated_ids": {"count": 2, "examples": ["1 (line 3)", "a (line 7)"]},
    }


def test_what_a_limit_leaves_out_is_not_told_of() -> None:
    report = InputReport()
    block = Block("line", range(1, 4), [{"id": "a"}, {"id": "b"}, {"id": "a"}])
    assert list(map(len, single(first_rows([block], 2), ids_of, report))) == [2]
    assert report.to_json() == {}
