"""Values that compare by some of their attributes, and constants, which compare by their type, too."""

from __future__ import annotations

import pickle

import pytest

from scoring.diagnostics.source import Source
from scoring.lang.formula import Number
from scoring.lang.tree import Call, ListValue, Literal, Path

SPAN = Source("a.yaml", "lower").span(0, 5)


@pytest.mark.parametrize("value", [Literal(1), Path("record", ("a",)), Call("lower", (Literal("x"),))])
def test_where_a_node_is_written_is_no_part_of_it(value: Literal | Path | Call) -> None:
    moved = type(value)(**{**value.compared(), "span": SPAN})
    assert (moved, hash(moved), repr(moved)) == (value, hash(value), repr(value))
    assert moved.span is SPAN
    assert pickle.loads(pickle.dumps(moved)).span == SPAN


def test_what_a_node_says_is_compared_and_so_is_its_class() -> None:
    assert Call("lower") != Call("upper")
    assert Path("record") != Literal("record")
    assert Literal(2) != Number(2)
    assert ListValue((Literal(1),)) != ListValue((Literal(1.5),))


def test_one_true_and_one_point_nought_are_three_constants() -> None:
    assert len({Literal(1), Literal(True), Literal(1.0)}) == 3
    assert Literal(-0.0) == Literal(-0.0)


@pytest.mark.parametrize("attribute", ["value", "span", "another"])
def test_no_value_can_be_written_into(attribute: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Literal(1), attribute, None)
