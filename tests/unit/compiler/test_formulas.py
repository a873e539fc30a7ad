"""Formulas: what they read, what they come to, and what is said where they have no value."""

from __future__ import annotations

import math
from typing import Any

import pytest

import scoring

RECORD = {
    "id": 1,
    "response": "paris",
    "reference": "Paris",
    "gold": 1,
    "logprobs": [-4.0, -0.5, -2],
    "kind": "easy",
    "options": [{"text": "no"}, {"text": "yes"}],
    "flag": True,
    "empty": [],
    "nested": {"a b": [1, 2]},
}


def task(formula: str, **more: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", "fields": {"f": {"score": formula}}, **more})


def outcome(formula: str, **changes: Any) -> tuple[Any, str | None]:
    result = task(formula).score({**RECORD, **changes})
    return result.score, result.reason


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("argmax(record.logprobs) == record.gold", 1),
        ("argmax([1, 3, 3])", 1),
        ("record.logprobs[record.gold]", -0.5),
        ("record.logprobs[-1]", -2),
        ('record.options[record.gold].text == "yes"', 1),
        ('record.nested["a b"][0] + record.nested."a b"[1]', 3),
        ('record.kind in ["easy", "hard"]', 1),
        # Where a number is wanted a condition is one: 1 where it holds, else 0.
        ("(record.gold == 1) + 2 * (record.gold > 1)", 1),
        ('-(record.kind == "easy")', -1),
        ("max(record.gold > 3, 0.5)", 0.5),
        ('"as" in record.kind', 1),
        ("record.gold not in record.logprobs", 1),
        ("-2 in record.logprobs", 1),
        ("record.flag", 1),
        ("not record.flag", 0),
        ("record.flag and record.gold == 1.0", 1),
        ("record.flag == 1", 0),
        ('if(record.kind == "easy", 0.25, 4)', 0.25),
        ("exp(0) + log(exp(2)) + sqrt(9)", 6),
        ("clip(record.gold * 7, 0, 5)", 5),
        ("round(2.675, 2) + round(0.5) + round(1.5)", 4.67),
        ("dot(record.logprobs, [2, 4, 0.5])", -11),
        ("length(record.kind) + length(record.logprobs) + length(record.nested)", 8),
        ("sum(record.logprobs) + sum(record.empty)", -6.5),
        ("max(record.logprobs, 1, [3])", 3),
        ("mean(record.logprobs)", -6.5 / 3),
        ("abs(min(record.logprobs))", 4),
        ("max(record.logprobs / [1, 2, 4])", -0.25),
        ("sum(exp(record.logprobs - max(record.logprobs)))", 1 + math.exp(-1.5) + math.exp(-3.5)),
        ("dot(-record.logprobs, 1 - [1, 0, 0.5] * 2)", -3.5),
        ("argmax(abs(record.logprobs))", 0),
        ("length(prediction) == length(reference) and prediction != reference", 1),
        ("exp(record.logprobs[1]) / sum([exp(record.logprobs[0]), exp(record.logprobs[1])])", 0.9706877692486436),
    ],
)
def test_a_formula_comes_to_its_value(formula: str, value: float) -> None:
    assert outcome(formula) == (pytest.approx(value, abs=1e-15), None)


@pytest.mark.parametrize(
    ("formula", "changes", "reason"),
    [
        ("log(record.gold)", {"gold": 0}, "the formula has no value at its `log`: there is no logarithm of 0"),
        ("sqrt(record.gold)", {"gold": -1}, "the formula has no value at its `sqrt`: there is no square root of -1"),
        ("1 / record.gold", {"gold": 0}, "the formula has no value at its `/`: it would divide by 0"),
        ("exp(record.gold)", {"gold": 1e9}, "the formula has no value at its `exp`: a number is too large"),
        ("max(record.empty)", {}, "the formula has no value at its `max`: it has no numbers to work on"),
        ("record.kind + 1", {}, "the formula has no value at its `+`: `'easy'` is not a number"),
        ("record.flag * 2", {}, "the formula has no value at its `*`: `Bool` is not a number"),
        ("record.kind * 2", {"kind": "x" * 10**6}, "the formula has no value at its `*`: `'xxx"),
        ("record.gold < 1", {"gold": float("nan")}, "the record has no `record.gold`"),
        ("record.gold and true", {}, "the formula has no value at its `and`: `1` is neither true nor false"),
        ("record.logprobs[3]", {}, "the record has no `record.logprobs[3]`"),
        ("[1, 2][record.gold]", {"gold": 2}, "the formula has no value at its `[…]`: there is no item 2 of 2"),
        ("record.logprobs[record.gold]", {"gold": 7}, "there is no item 7 of 3"),
        ("record.logprobs[record.gold]", {"gold": 0.5}, "a position in List[Number] must be a whole number, not 0.5"),
        ("record.nested[record.kind]", {}, "there is no key 'easy'"),
        ("record.gold in record.kind", {}, "only a text is in a text, not Number"),
        ("dot(record.logprobs, [1, 2])", {}, "the lists have 3 and 2 numbers"),
        ("clip(0.5, record.gold, 0)", {}, "no number is between 1 and 0"),
        ("record.other == 1", {"other": None}, "the record has no `record.other`"),
        ("record.gold * 1e70", {"gold": 1e9}, "which is too large to count"),
        ("record.logprobs * 2", {}, "the formula gives no value: `List[Number]` is not a number"),
        ("sum(record.logprobs * [1, 2])", {}, "the lists have 3 and 2 numbers"),
        ("sum(record.options + 1)", {}, "the formula has no value at its `+`: `Dict[Text, Text]` is not a number"),
        ("record.kind", {}, "the formula gives no value: `'easy'` is not a number"),
        ("if(record.flag, record.kind, 1)", {}, "the formula gives no value: `'easy'` is not a number"),
    ],
)
def test_a_formula_without_a_value_says_why(formula: str, changes: dict[str, Any], reason: str) -> None:
    score, said = outcome(formula, **changes)
    assert score is None
    assert reason in (said or "")


@pytest.mark.parametrize(
    ("formula", "finding", "message"),
    [
        ("record.kind == 1 == 2", "constant-condition", "can never hold"),
        ('"a" == "b"', "constant-condition", "can never hold"),
        ('length(record.kind) == "a"', "unknown-field", "there is no field `a`"),
        ("record.gold in 3", "formula-type", "nothing is `in` a number"),
        ('1 in "abc"', "formula-type", "a number is never in a text"),
        ('"a" + 1', "unknown-field", "there is no field `a`"),
        ("[1, 2] + 1", "formula-type", "this is a list, where a number is required"),
        ("sum([1, 2] + [1])", "formula-type", "the lists have 2 and 1 numbers"),
        ("sum(exp(record.logprobs)) >= 0", "constant-condition", "can never fail"),
        ("1[0]", "formula-type", "a number has no items"),
        ("[1, 2][true]", "formula-type", "a condition is not a position"),
        ("length(1)", "formula-type", "only texts, lists and mappings have a length"),
        ("log(0 - 1)", "formula-type", "there is no logarithm of -1"),
        ("log(0)", "formula-type", "there is no logarithm of 0"),
        ("sqrt(-2)", "formula-type", "there is no square root of -2"),
        ("clip(record.gold, 2, 1)", "formula-type", "no number is between 2 and 1"),
        ("round(record.gold, record.gold)", "formula-type", "the digits of `round` must be a number"),
        ("exp(1, 2)", "formula-type", "`exp` takes 1 argument"),
        ("round(1, 2, 3)", "formula-type", "`round` takes 1 or 2 arguments"),
        ("dot([1], [1, 2])", "formula-type", "the lists have 1 and 2 numbers"),
        ("dot(1, 2)", "formula-type", "`dot` takes two lists of numbers"),
        ("power(2, 3) + 0", "unknown-function", "formulas have no function `power`"),
        ("fields(1)", "formula-type", "`fields` takes one text"),
        ('mean(fields("p*"))', "unknown-field", "no field matches `p*`"),
        ("f + 1", "definition-cycle", "the formula of `f` needs `f` itself"),
        ("score + 1", "unknown-field", "`score` is what this formula defines"),
        ("exp(record.gold) < 0", "constant-condition", "can never hold"),
    ],
)
def test_a_formula_that_can_not_work_is_refused(formula: str, finding: str, message: str) -> None:
    with pytest.raises(scoring.SpecError) as refused:
        task(formula)
    found = refused.value.diagnostics[0]
    assert (found.id, message in found.message) == (finding, True), str(refused.value)


FIELDS = {"p0": "equal", "p1": "lower | equal", "q": "levenshtein", "odd name": "equal"}


def several(**formulas: str) -> Any:
    fields = {**FIELDS, **{name: {"score": formula} for name, formula in formulas.items()}}
    return scoring.load({"kind": "task", "name": "t", "parse": "json", "fields": fields, "aggregate": "max"})


PAIRS = {"response": dict.fromkeys(FIELDS, "Paris"), "reference": dict.fromkeys(FIELDS, "paris")}


def test_formulas_read_fields_in_any_order() -> None:
    """Given fields that are formulas over others, also over those below, then each is scored behind what it reads."""
    result = several(a="2 * b + 1", b='mean(fields("p*")) - 1 * "odd name"', c="q in [0.8]").score(PAIRS)
    assert [*result.fields] == [*FIELDS, "a", "b", "c"]
    assert [result.fields[name].score for name in ("a", "b", "c")] == [2.0, 0.5, 1.0]


def test_what_a_formula_reads_may_have_no_score() -> None:
    found = several(a="q + 1", b="p0 + 1").score({**PAIRS, "response": {**PAIRS["response"], "q": 1}})
    assert (found.fields["a"].status, found.fields["b"].score) == ("unparsed", 1.0)
    assert (found.fields["a"].reason or "").startswith("q: `levenshtein` takes Text")
    absent = several(a="q + 1").score({**PAIRS, "reference": {"p0": "x"}})
    assert absent.fields["a"].status == "not_applicable"


def test_columns_are_what_single_records_are() -> None:
    """Given records of which some fail, then a batch gives what each gives alone, also where `pass` reads them."""
    one = scoring.load(
        {
            "kind": "task",
            "name": "t",
            "parse": "json",
            "fields": {"a": "equal", "b": "log(record.n) + a"},
            "aggregate": "if(record.n > 2, a, b)",
            "pass": 'record.kind == "x" and score > 0',
        }
    )
    records = [
        {"id": n, "response": {"a": "y"}, "reference": {"a": "y" if n % 2 else "z"}, "n": n - 1, "kind": "xyz"[n % 3]}
        for n in range(9)
    ]
    records.append({"id": 10, "response": {"a": "y"}, "reference": {"a": "y"}, "n": "1"})
    assert [result.to_json() for result in one.score_batch(records)] == [
        one.score(record).to_json() for record in records
    ]


def test_two_spellings_have_one_meaning() -> None:
    texts = ["record.a.b == 1", '(record.a["b"]) == 1', 'record."a"."b"==1.0']
    meanings = {str(scoring.load({"kind": "task", "name": "t", "score": text}).signature) for text in texts}
    assert len(meanings) == 1
    assert str(task("record.a.c == 1").signature) != str(task("record.a.b == 1").signature)


def test_a_formula_is_told_from_a_pipeline() -> None:
    assert scoring.load({"kind": "task", "name": "t", "score": "record.n / 4"}).score({"n": 1}).score == 0.25
    assert scoring.load({"kind": "task", "name": "t", "score": "max(record.n, 1) / 4"}).score({"n": 2}).score == 0.5
    assert scoring.load({"kind": "task", "name": "t", "score": "max(record.n, 1)"}).score({"n": 2}).score == 2.0
    with pytest.raises(scoring.SpecError, match="`max` is an aggregator"):
        scoring.load({"kind": "task", "name": "t", "score": "max"})


def test_quotes_name_fields_where_a_number_is_meant() -> None:
    """Given a text in quotes that is a field's name, then beside a text it is the text, unless only quotes name it."""
    found = several(a='if(record.kind == "q", "q" * 2, 0)').score({**PAIRS, "kind": "q"})
    assert found.fields["a"].score == 1.6
    with pytest.raises(scoring.SpecError, match="may be a text here, or the field of that name"):
        several(a='record.kind == "odd name"')


def test_what_has_no_effect_beside_a_formula_is_refused() -> None:
    for key, value in {"prediction": "parsed.x", "optional": True}.items():
        with pytest.raises(scoring.SpecError, match=f"`{key}` has no effect: `f` is a formula"):
            scoring.load({"kind": "task", "name": "t", "fields": {"f": {"score": "record.a", key: value}}})


def test_a_path_that_no_record_has_is_found(tmp_path: Any) -> None:
    with pytest.raises(scoring.SpecError, match="no record has `logprob`, which the formula of the field `f` reads"):
        scoring.evaluate(task("record.logprob + 1"), [RECORD])


def test_formulas_read_declared_values() -> None:
    """Given values that formulas name, bare or behind `values`, then they are computed, and stand in the meaning."""
    texts = ["sum(record.logprobs / lengths)", "sum(record.logprobs / values.lengths)"]
    loaded = [task(text, values={"lengths": "record.words | map_items(length)"}) for text in texts]
    record = {**RECORD, "words": ["abcd", "a", "ab"]}
    assert [one.score(record).score for one in loaded] == [-2.5, -2.5]
    assert len({one.signature.meaning for one in loaded}) == 1
    other = task(texts[0], values={"lengths": "record.words | map_items(strip | length)"})
    assert other.signature.meaning != loaded[0].signature.meaning
    item = task("lengths[0] + lengths[record.gold]", values={"lengths": "record.words | map_items(length)"})
    assert item.score(record).score == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max(a, 0.5)", 1.0),
        ("mean(a, record.x)", 0.75),
        ("round(record.x, 1)", 0.5),
        ("sum(record.xs)", 0.75),
        ("length(reference) ", 1.0),
        ('mean(fields("a*"))', 1.0),
        ("if(a == 1, record.x, 0)", 0.5),
    ],
)
def test_a_field_that_is_a_lone_call_of_a_function_is_a_formula(text: str, expected: float) -> None:
    record = {"response": "B", "reference": "B", "x": 0.5, "xs": [0.5, 0.25]}
    one = scoring.load({"kind": "task", "name": "t", "fields": {"a": "equal", "b": text}})
    assert one.score(record).fields["b"].score == expected


def test_a_scorer_of_ones_own_with_the_name_of_a_function_is_a_scorer() -> None:
    clip = {"params": {"at": 0.5}, "score": "levenshtein | zero_below(at)"}
    one = scoring.load({"kind": "task", "name": "t", "scorers": {"clip": clip}, "fields": {"a": "clip(0.2)"}})
    assert one.score({"response": "abc", "reference": "abc"}).score == 1.0


def test_a_formula_with_a_mistake_is_told_as_one() -> None:
    with pytest.raises(scoring.SpecError, match="this field name needs quotes") as told:
        several(a="if(info.town == reference, 1, 0)")
    assert "`values.name.part`" in str(told.value.diagnostics[0].help)
