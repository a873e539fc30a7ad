"""Formulas over any record: a batch gives what each record gives alone, within the range, and reasons are in words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import scoring

PATHS = ("record.a", "record.b", "record.c", "record.a[0]", 'record.b["k"]', "record.a[record.c]", "reference")
LEAVES = st.one_of(
    st.sampled_from(PATHS), st.sampled_from(["0", "1", "0.5", "2", '"k"', '"x y"', "true", "[1, 2]", "[]"])
)


def longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.sampled_from(
        ["abs", "exp", "log", "sqrt", "round", "length", "argmax", "sum", "min", "max", "mean", "-", "not "]
    )
    two = st.sampled_from(["+", "-", "*", "/", "<", ">=", "==", "!=", "in", "not in", "and", "or"])
    return st.one_of(
        st.tuples(one, inner).map(lambda part: f"{part[0]}({part[1]})"),
        st.tuples(inner, two, inner).map(lambda part: f"({part[0]} {part[1]} {part[2]})"),
        st.tuples(inner, inner).map(lambda part: f"dot({part[0]}, {part[1]})"),
        st.tuples(inner, inner).map(lambda part: f"({part[0]})[{part[1]}]"),
        st.tuples(inner, inner, inner).map(lambda part: f"if({part[0]}, {part[1]}, {part[2]})"),
        st.tuples(inner, inner, inner).map(lambda part: f"clip({part[0]}, {part[1]}, {part[2]})"),
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
    )


FORMULAS = st.recursive(LEAVES, longer, max_leaves=6)
NUMBERS = st.one_of(st.integers(-3, 3), st.floats(-9, 9), st.sampled_from([1e308, 10**400, -1e-320, 2**64]))
VALUES = st.recursive(
    st.one_of(NUMBERS, st.sampled_from(["", "k", "x y", "\U0001f642", "\x00"]), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("kab"), inner, max_size=2)),
    max_leaves=5,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c", "reference"]), VALUES), min_size=1, max_size=5)
PYTHONS = re.compile(
    r"\w+(Error|Exception)\b|unsupported operand|<class|\b0x[0-9a-f]{4}|Traceback|NoneType|not iterable"
)


@pytest.mark.property
@given(text=FORMULAS, records=RECORDS, place=st.sampled_from(["formula", "aggregate", "pass"]))
def test_any_formula_over_any_record(text: str, records: list[dict[str, Any]], place: str) -> None:
    spec: dict[str, Any] = {
        "kind": "task",
        "name": "t",
        "fields": {"f": {"score": text if place == "formula" else "1"}},
    }
    try:
        task = scoring.load(spec if place == "formula" else {**spec, place: text})
    except scoring.SpecError:
        reject()
    alone = [task.score(record) for record in records]
    assert [one.to_json() for one in task.score_batch(records)] == [one.to_json() for one in alone]
    for one in alone:
        assert one.score is None or task.range.holds(one.score)
        said = f"{one.reason} {one.outcome.notes}"
        assert not PYTHONS.search(said), said
