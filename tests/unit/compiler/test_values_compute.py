"""Values that are formulas: what they come to, what reads them, and what is said of mistakes."""

from __future__ import annotations

import random
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

ORDER: dict[str, Any] = {
    "id": 1,
    "response": "x",
    "reference": "x",
    "n": 4,
    "k": 2,
    "unit": "g",
    "factor": {"g": 0.5, "kg": 500},
    "items": ["a", "b", "c"],
    "numbers": [1, 2.5],
}


def task(values: dict[str, Any], **more: Any) -> scoring.Task:
    fields = {f"of {name}": {"prediction": name, "reference": "record.n", "score": "equal"} for name in values}
    return scoring.load({"kind": "task", "name": "t", "values": values, "fields": fields, **more})


def computed(values: dict[str, Any], record: dict[str, Any] = ORDER) -> dict[str, Any]:
    fields = task(values).score(record).fields
    return {name: fields[f"of {name}"].prediction for name in values}


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("record.n / 2", 2),
        ("-record.k", -2),
        ("record.n * record.factor[record.unit]", 2),
        ('record.factor["kg"]', 500),
        ("record.items[record.k]", "c"),
        ("length(record.items) - 1", 2),
        ("length(record.items)", 3),
        ("max(record.n, record.k)", 4),
        ("record.numbers * 2", [2, 5]),
        ("[record.n, record.k]", [4, 2]),
        ("record.n > 3", True),
        ('record.unit in ["g", "kg"] and not record.n == 4', False),
        ('if(record.unit == "g", record.n, record.missing)', 4),
    ],
)
def test_a_value_may_be_a_formula_over_the_record(formula: str, wanted: Any) -> None:
    found = computed({"it": formula})["it"]
    assert (found, type(found) is bool) == (wanted, type(wanted) is bool)


def test_formulas_and_pipelines_read_one_another_in_any_order() -> None:
    values = {
        "tail": "record.items | slice(start=back)",
        "twice": "2 * half",
        "back": "-record.k",
        "half": "record.n / 2",
        "quotient": "half / twice",
        "sizes": "length(tail) + length(record.items)",
    }
    wanted = {"tail": ["b", "c"], "twice": 4, "back": -2, "half": 2, "quotient": 0.5, "sizes": 5}
    assert computed(values) == wanted


def test_what_one_record_lacks_leaves_that_record_without_a_score() -> None:
    run = task({"it": "record.n / record.k"}).evaluate(
        [ORDER, {**ORDER, "id": 2, "k": 0}, {**ORDER, "id": 3, "k": "2"}]
    )
    assert [(one.status, one.reason) for one in run.records] == [
        ("scored", None),
        ("unscored", "the formula has no value at its `/`: it would divide by 0"),
        ("unscored", "the formula has no value at its `/`: `'2'` is not a number"),
    ]


def test_a_failing_value_passes_on_its_reason() -> None:
    values = {"number": "prediction | number", "twice": "2 * number"}
    found = task(values).score({**ORDER, "response": "none"}).fields["of twice"]
    assert (found.status, found.reason) == ("unparsed", "not a number: 'none'")


def test_batches_and_processes_give_what_single_records_give() -> None:
    source = random.Random(4)
    given = [{**ORDER, "id": n, "n": source.randrange(5), "k": source.randrange(3)} for n in range(200)]
    spec = task({"it": "record.n / record.k", "other": "it * it - record.n"})
    single = [(one.score, one.status, one.reason) for one in map(spec.score, given)]
    cuts: list[dict[str, Any]] = [{}, {"processes": 2}, {"batch_size": 7}]
    for more in cuts:
        run = scoring.evaluate(spec, given, **more)
        assert [(one.score, one.status, one.reason) for one in run.records] == single


def test_the_meaning_is_the_formula_and_not_its_spelling_or_name() -> None:
    def meaning(values: dict[str, str], named: str) -> str:
        field = {"prediction": named, "reference": "record.n", "score": "equal"}
        loaded = scoring.load({"kind": "task", "name": "t", "values": values, "fields": {"f": field}})
        return str(loaded.signature.meaning)

    plain = meaning({"a": "record.n / 2"}, "a")
    assert meaning({"b": "(record.n)/2"}, "b") == plain
    assert meaning({"a": "record.n / 4"}, "a") != plain
    assert meaning({"a": "record.n"}, "a") != plain


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"it": "1 + 1"}, "this is the same for all records"),
        ({"it": "record.n + thing"}, "there is no value `thing`"),
        ({"it": "2 * other", "other": "it + 1"}, "`it` is computed from itself: `it` -> `other` -> `it`"),
        ({"it": "score + record.n"}, "there is no `score` here"),
        ({"it": 'record.n + "a"'}, "there is no value `a`"),
        ({"it": "n / 2"}, "there is no value `n`"),
        ({"it": "len(record.items)"}, "formulas have no function `len`"),
        ({"it": "record.n // 2"}, "`//` is not an operator of formulas"),
        ({"it": "record.n +"}, "`+` has nothing to its right"),
        ({"it": "lower | equal"}, "`it` begins with the step `lower`, but there is no value yet that it could work on"),
    ],
)
def test_a_mistake_is_told_where_it_stands(values: dict[str, str], message: str) -> None:
    with pytest.raises(SpecError) as refused:
        task(values)
    assert message in [one.message for one in refused.value.diagnostics], refused.value
