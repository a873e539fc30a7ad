"""The laws that primitives declare, on values drawn for their declared types."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.registry import registry
from scoring.registry.annotations import FieldScores
from scoring.registry.model import REQUIRED, Primitive
from scoring.result import NotApplicable, Unparsed, Unscored
from scoring.values import Type

TEXTS = st.one_of(
    st.text(max_size=12), st.sampled_from(["", "The cat", "café", "[1, 2]", "3.14", "ﬁ ﬁne", "ẞ", "  a  b ", "-5%"])
)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
BOXES = st.lists(st.floats(0, 1), min_size=4, max_size=4).map(
    lambda n: [min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])]
)
POINTS = st.tuples(st.floats(-80, 80), st.floats(-170, 170)).map(list)


def values_of(kind: Type) -> st.SearchStrategy[Any]:
    """Values of a type of the language."""
    name = kind.name
    if name == "List":
        return st.lists(values_of(kind.args[0]), max_size=5)
    if name == "Set":
        return st.frozensets(TEXTS, max_size=5)
    if name == "Dict":
        return st.dictionaries(TEXTS, values_of(kind.args[1]), max_size=4)
    if name == "Union":
        return st.one_of(*map(values_of, kind.args))
    simple = {
        "Text": TEXTS, "Number": NUMBERS, "Score": st.floats(0, 1), "Bool": st.booleans(), "None": st.none(),
        "Box": BOXES, "Point": POINTS,
    }  # fmt: skip
    return simple.get(name, TEXTS)


def with_law(law: str) -> list[Primitive]:
    """The primitives that declare a law and need no settings; rescorers have a test of their own."""
    return [
        primitive
        for primitive in registry
        if law in primitive.laws and not any(param.required for param in primitive.params)
    ]


def run(primitive: Primitive, *values: Any) -> Any:
    """The result; a pair that can't be scored is no example."""
    try:
        return primitive.function(*values)
    except (Unscored, Unparsed, NotApplicable):
        assume(False)


def law(name: str) -> Any:
    chosen = with_law(name)
    return pytest.mark.parametrize("primitive", chosen, ids=[primitive.name for primitive in chosen])


@law("symmetric")
@settings(max_examples=60)
@given(data=st.data())
def test_symmetric(primitive: Primitive, data: st.DataObject) -> None:
    left, right = (data.draw(values_of(kind)) for kind in primitive.inputs)
    assert math.isclose(run(primitive, left, right), run(primitive, right, left), abs_tol=1e-9)


@law("identity")
@settings(max_examples=60)
@given(data=st.data())
def test_equal_values_score_1(primitive: Primitive, data: st.DataObject) -> None:
    value = data.draw(values_of(primitive.inputs[0]))
    assert math.isclose(run(primitive, value, value), 1.0, abs_tol=1e-9)


@law("bounded")
@settings(max_examples=60)
@given(data=st.data())
def test_bounded(primitive: Primitive, data: st.DataObject) -> None:
    score = run(primitive, *(data.draw(values_of(kind)) for kind in primitive.inputs))
    assert primitive.range[0] - 1e-9 <= score <= primitive.range[1] + 1e-9


@law("idempotent")
@settings(max_examples=60)
@given(data=st.data())
def test_idempotent(primitive: Primitive, data: st.DataObject) -> None:
    once = run(primitive, data.draw(values_of(primitive.inputs[0])))
    assert run(primitive, once) == once


PHRASE = "the harbour at the night"
EXCUSING: dict[str, Callable[[Callable[..., Any]], bool]] = {
    "unordered": lambda run: run("night the at harbour the", PHRASE) == run(PHRASE, PHRASE) > 0,
    "spaceless": lambda run: run("theharbouratthenight", PHRASE) == run(PHRASE, PHRASE) > 0,
    "below_one": lambda run: run(PHRASE, PHRASE) < 1,
    "unrepeated": lambda run: run(["b", "a", "b"]) == run(["b", "a"]),
}
"""What `scoring audit` need not ask for: what is so, with some of the settings."""
OF_EXTENSIONS = ("unordered", "spaceless", "below_one")
"""Of these the core has none, and those of extensions are named with the tests of what compares texts."""


@pytest.mark.parametrize("name", EXCUSING)
def test_what_an_audit_need_not_ask_for_is_so_with_some_settings(name: str) -> None:
    chosen = with_law(name)
    for primitive in chosen:
        settings = [{}, *({param.name: value} for param in primitive.params for value in param.choices)]
        assert any(EXCUSING[name](partial(primitive.function, **one)) for one in settings), primitive.name
    assert chosen or name in OF_EXTENSIONS


def test_every_declared_law_is_examined() -> None:
    known = {"symmetric", "identity", "bounded", "idempotent", "monotone", "antitone", *EXCUSING}
    assert {declared for primitive in registry for declared in primitive.laws} <= known


@pytest.mark.parametrize("primitive", [one for one in registry if one.kind == "rescorer"], ids=lambda one: one.name)
@given(one=st.floats(-2, 2), other=st.floats(-2, 2))
def test_a_rescorer_goes_the_way_that_it_declares(primitive: Primitive, one: float, other: float) -> None:
    low, high = sorted([one, other])
    given_ = {param.name: 0.5 for param in primitive.params if param.default is REQUIRED}
    first, second = (primitive.function(value, **given_) for value in (low, high))
    assert {"monotone", "antitone"} & {*primitive.laws}, "a failed field counts the end that this says"
    assert first <= second if "monotone" in primitive.laws else first >= second


_JOINS = [one for one in registry if one.kind == "aggregator" and "monotone" in one.laws]


@pytest.mark.parametrize("primitive", _JOINS, ids=lambda one: one.name)
@given(scores=st.lists(st.floats(-2, 2), min_size=1, max_size=4), place=st.integers(0, 3), more=st.floats(0, 2))
def test_an_aggregator_grows_with_every_score(
    primitive: Primitive, scores: list[float], place: int, more: float
) -> None:
    raised = [score + more * (at == place % len(scores)) for at, score in enumerate(scores)]
    first, second = (primitive.function(FieldScores.of(one, [1, 2, 3, 4][: len(one)])) for one in (scores, raised))
    assert first <= second


def test_the_usual_aggregators_declare_it() -> None:
    assert {one.name for one in _JOINS} == {"mean", "sum", "min", "max"}
