"""Formulas as arguments, as conditions of scorers, and at the beginning of pipelines."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.lang.parser import parse_pipeline
from scoring.lang.printer import print_pipeline

ROW: dict[str, Any] = {
    "id": 1,
    "response": "x",
    "reference": "x",
    "n": 2,
    "on": True,
    "kind": "b",
    "letters": ["a", "b", "c", "d"],
    "points": [{"score": 0.9, "x": 1}, {"score": 0.2, "x": 2}],
}


def value(text: str, record: dict[str, Any] = ROW) -> Any:
    """What an expression comes to for a record."""
    fields = {"f": {"prediction": "it", "reference": "record.n", "score": "equal"}}
    values = {"it": text, "n": "record.n", "k": "record.n * 3"}
    spec = {"kind": "task", "name": "t", "values": values, "fields": fields}
    return scoring.load(spec).score(record).fields["f"].prediction


def score(scorer: str, record: dict[str, Any] = ROW, **more: Any) -> Any:
    outcome = scoring.load({"kind": "task", "name": "t", "score": scorer, **more}).score(record).outcome
    return outcome.value if outcome.is_scored else outcome.reason


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("record.letters | slice(-record.n)", ["c", "d"]),
        ("record.letters | slice(length(record.letters) - 1)", ["d"]),
        ("record.letters | slice(record.n / 2, stop=record.n + 1)", ["b", "c"]),
        ("record.letters | slice(max(record.n, 3))", ["d"]),
        ("record.letters | slice(k / n)", ["d"]),
        ("record.letters | slice(2 * 3 / 2)", ["d"]),
        ("record.letters | item_at(record.n - 1)", "b"),
        ('record.letters | keep(where=item in [record.kind, "d"])', ["b", "d"]),
        ("record.points | keep(where=item.score > 0.5) | length", 1),
        ("record.points | keep(where=item.x >= n and item.score < 1) | length", 1),
        ('record.letters | keep(that=find("[bc]"), where=item != record.kind)', ["c"]),
        ("record.n / 3 | rounded", 1),
        ("record.n * 2 + 1 | to_text", "5"),
        ('[record.kind, "z"] | join("-")', "b-z"),
        ("record.points[record.n - 1].x", 2),
    ],
)
def test_formulas_stand_where_values_may(text: str, wanted: object) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    ("scorer", "wanted"),
    [
        ("when(test=record.on, then=equal, otherwise=equal | invert)", 1),
        ("when(test=not record.on, then=equal, otherwise=equal | invert)", 0),
        ('when(test=record.kind == "b" and record.n > 1, then=equal)', 1),
        ("when(test=on, then=equal)", 1),
        ("any_of(record.on, record.n > 5)", 1),
        ("all_of(record.on, record.n > 5)", 0),
        ("each(over=record.points, score=item.x * 2 > record.n, weight=item.x * 2, join=mean)", 2 / 3),
        ("each(over=record.points | keep(where=item.x > 1), score=item.score > 0.5, join=mean)", 0),
        ("is_true(record.n in [1, 2])", 1),
        ("when(test=record.kind, then=equal)", "`condition` of `is_true` takes Bool, but `record.kind` is Text"),
        ("when(test=record.missing > 2, then=equal)", "the record has no `record.missing`"),
        ("when(test=record.n / 0 > 1, then=equal)", None),
    ],
)
def test_a_condition_is_a_scorer(scorer: str, wanted: object) -> None:
    if wanted is None:
        with pytest.raises(SpecError, match="divides by 0"):
            score(scorer)
    else:
        assert score(scorer, values={"on": "record.on"}) == wanted


def test_parameters_of_definitions_stand_in_formulas() -> None:
    more = {
        "scorers": {"last": {"params": {"n": 1, "extra": 0}, "score": "slice(-(n + extra)) | equal"}},
        "parse": "split('')",
    }
    row = {**ROW, "response": "abcd", "reference": ["c", "d"]}
    assert score("sides(prediction=slice(0)) | last(2)", {**row, "reference": list("abcd")}, **more) == 1
    assert score("last(extra=record.n)", {**row, "reference": list("abcd")}, **more) == 1
    assert score("last(2)", row, **more) == 1


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        ("slice(other / 2) | equal", "there is no value `other`"),
        ("slice(stop == 3) | equal", "write `stop=3`"),
        ("slice(item.x * 2) | equal", "has a value only inside a step that iterates over items"),
        ("slice(record.n > 1) | equal", "takes Number"),
        ("slice(record.n // 2) | equal", "`//` is not an operator"),
        ("slice(record.n +) | equal", "nothing to its right"),
        ("slice(len(record.letters)) | equal", "`len`"),
        ("slice(1 / 0) | equal", "divides by 0"),
        ("slice(record.letters[0.5]) | equal", "0.5 is not a position"),
        ("slice(5 | rounded) | equal", "`5` is the same for all records"),
        ('when(test="a" == "b", then=equal)', "can never hold"),
    ],
)
def test_a_mistake_is_told_where_it_stands(scorer: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        score(scorer)
    told = "\n".join(f"{one.message} {one.primary} {one.help}" for one in caught.value.diagnostics)
    assert message in told


def test_a_value_is_not_of_an_item_because_a_step_in_it_is() -> None:
    with pytest.raises(SpecError, match="an item is another one for each step"):
        value("item.x + 1 | rounded")


def test_an_argument_in_data_is_a_formula_where_it_says_so() -> None:
    spec = [{"slice": {"start": {"$formula": "-record.n"}}}, "equal"]
    row = {**ROW, "response": ["a", "b", "c"], "reference": ["b", "c"]}
    assert scoring.load({"kind": "task", "name": "t", "score": spec}).score(row).outcome.value == 1


def test_formulas_have_one_canonical_text() -> None:
    text = 'f((record.n/2)|rounded, -(a+b), x=[record.a,1], y=record.o[record.k].z, when=not(a) and b=="c")'
    printed = print_pipeline(parse_pipeline(text))
    assert printed == (
        'f(record.n / 2 | rounded, -(a + b), x=[record.a, 1], y=record.o[record.k]["z"], when=not a and b == "c")'
    )
    assert parse_pipeline(printed) == parse_pipeline(text)
