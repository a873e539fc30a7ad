"""What `prediction:` and `reference:` say, and what is compared where they say nothing: by the file, never by data."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import Diagnostic, SpecError

RECORD = {
    "id": 1,
    "response": '{"town": "Rom", "at": {"unit price": [3, 5]}}',
    "reference": {"town": "ROM", "at": "Rom"},
    "town": "Bonn",
    "context": {"town": "Köln"},
}


def task(fields: dict[str, Any], **more: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", "fields": fields, **more})


def compared(field: Any, record: Any = RECORD, **more: Any) -> tuple[Any, Any]:
    """Return the two values that a field called `town` compares."""
    found = task({"town": field}, **more).score(record).fields["town"]
    return found.prediction, found.reference


def error(fields: dict[str, Any], **more: Any) -> Diagnostic:
    with pytest.raises(SpecError) as raised:
        task(fields, **more)
    (found,) = (one for one in raised.value.diagnostics if one.severity == "error")
    return found


# ---- what is compared where nothing is said


def test_without_a_parse_stage_fields_compare_the_whole_answer_with_the_whole_reference() -> None:
    fields = {"exact": "equal", "near": "lower | equal"}
    for record in ({"response": "Rom", "reference": "rom"}, {"response": {"exact": "a"}, "reference": {"exact": "a"}}):
        found = task(fields).score(record).fields
        assert all(
            (one.prediction, one.reference) == (record["response"], record["reference"]) for one in found.values()
        )


def test_a_parse_stage_that_may_give_a_mapping_gives_fields_by_name() -> None:
    assert compared("equal", parse="json") == ("Rom", "ROM")
    assert compared("equal", parse="sides(prediction=json, reference=map_values(lower))") == ("Rom", "rom")
    assert compared("equal", {**RECORD, "response": {"town": "Rom"}}, parse="json") == ("Rom", "ROM")


@pytest.mark.parametrize("parse", ["strip", "words", "length", "words | to_set"])
def test_a_parse_stage_that_gives_no_mapping_leaves_the_whole(parse: str) -> None:
    one = task({"a": "equal", "b": "equal"}, parse=parse).score({"response": "Rom", "reference": "x"})
    assert one.fields["a"].prediction == one.fields["b"].prediction == one.parsed
    assert one.fields["a"].reference == "x"


def test_each_side_goes_by_what_is_made_of_it() -> None:
    parse = "sides(prediction=strip, reference=map_values(lower))"
    assert compared("equal", {"response": " rom ", "reference": {"town": "ROM"}}, parse=parse) == ("rom", "rom")


def test_a_task_with_one_score_compares_the_whole_whatever_is_parsed() -> None:
    one = scoring.load({"kind": "task", "name": "t", "parse": "json", "score": "equal"})
    assert one.score({"response": '{"answer": 1}', "reference": {"answer": 1}}).score == 1.0


def test_data_of_another_shape_are_told_and_not_read_otherwise() -> None:
    one = task({"town": "equal"}, parse="json").score({**RECORD, "reference": "Rom"})
    assert one.status == "unscored"
    assert "`reference: reference` takes all of it" in str(one.reason)


# ---- paths, values, pipelines


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("parsed", {"town": "Rom", "at": {"unit price": [3, 5]}}),
        ("parsed.town", "Rom"),
        ('parsed.at."unit price"[0]', 3),
        ("parsed.town | lower", "rom"),
        ("prediction", RECORD["response"]),
        ("prediction | length", 45),
        ("record.town", "Bonn"),
        ("context.town", "Köln"),
        ("reference.town", "ROM"),
        ("said", "rom"),
        ("values.said | upper", "ROM"),
        ("whole.at", {"unit price": [3, 5]}),
    ],
)
def test_a_field_compares_what_its_expression_gives(prediction: str, value: Any) -> None:
    values = {"said": "parsed.town | lower", "whole": "parsed"}
    values = {name: text for name, text in values.items() if name in prediction}
    assert compared({"prediction": prediction, "score": "equal"}, parse="json", values=values)[0] == value


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("reference", RECORD["reference"]),
        ("reference.at", "Rom"),
        ("reference.at | lower", "rom"),
        ("parsed.town", "Rom"),
    ],
)
def test_so_it_is_with_the_reference(reference: str, value: Any) -> None:
    assert compared({"reference": reference, "score": "equal"}, parse="json")[1] == value


def test_the_word_reference_is_the_reference_as_it_came() -> None:
    parse = "sides(prediction=json, reference=map_values(lower))"
    assert compared({"reference": "reference.town", "score": "equal"}, parse=parse)[1] == "ROM"
    assert compared({"reference": "reference", "score": "equal"}, parse=parse)[1] == RECORD["reference"]


# ---- one text never means two things


@pytest.mark.parametrize(
    ("key", "text", "written"),
    [
        ("prediction", "answer", "parsed.answer"),
        ("prediction", "answer | lower", "parsed.answer | lower"),
        ("prediction", "answer.x | lower | strip", "parsed.answer.x | lower | strip"),
        ("prediction", "lower | strip", "parsed | lower | strip"),
        ("prediction", 'strip("x") | lower', 'parsed | strip("x") | lower'),
        ("prediction", "lines[0].total", "parsed.lines[0].total"),
        ("prediction", "lines[0] | lower", "parsed.lines[0] | lower"),
        ("prediction", "[0]", "parsed[0]"),
        ("prediction", '"unit price"', 'parsed."unit price"'),
        ("prediction", "@", "parsed"),
        ("reference", "gold", "reference.gold"),
        ("reference", "gold | lower", "reference.gold | lower"),
        ("reference", "@", "reference"),
    ],
)
def test_a_name_that_is_no_value_is_an_error_with_what_to_write(key: str, text: str, written: str) -> None:
    found = error({"f": {key: text, "score": "equal"}}, parse="json")
    assert found.help[0].startswith(f"write `{written}`"), found.help
    assert found.primary.span is not None
    assert found.primary.span.text.strip("'\"").replace("\\", "").strip('"') == text.strip('"')
    task({"f": {key: written, "score": "equal"}}, parse="json")  # what is advised is right


def test_a_value_that_is_deleted_is_missed() -> None:
    fields = {"f": {"prediction": "answer | lower", "score": "equal"}}
    task(fields, values={"answer": "prediction"})
    assert error(fields).message == "`answer` is no value of this file"
    assert error(fields, values={"anwser": "prediction"}).primary.text == "did you mean `anwser`?"


@pytest.mark.parametrize("text", ["a || b", "not_null(a, b)[]", "lines[*].total", "lines[?paid]", "{a: b}", "keys(@)"])
def test_a_jmespath_is_told_where_it_belongs(text: str) -> None:
    found = error({"f": {"reference": text, "score": "equal"}})
    assert (found.id, found.message) == ("bad-path", "this is a JMESPath, which stands under `record:` alone")
    assert f"`record: {{reference_of: '{text}'}}`" in found.help[0]


def test_a_key_of_what_is_no_mapping_is_refused() -> None:
    found = error({"f": {"prediction": "parsed.town", "score": "equal"}}, parse="strip")
    assert (found.id, found.message) == ("parse-shape", "`parse` gives Text, in which nothing is called `town`")


def test_an_item_is_nothing_outside_of_each() -> None:
    assert error({"f": {"prediction": "item.town", "score": "equal"}}).id == "bad-path"


# ---- breakdowns and metrics


def test_breakdowns_read_paths_and_each_item_of_a_list() -> None:
    rows = [{"id": 1, "response": "a", "reference": "a", "meta": {"tags": ["x", "y"], "unit price": [3]}}]
    by = ["meta.tags[]", 'meta."unit price"[0]', "record.meta.tags[1]"]
    found = scoring.evaluate({"kind": "task", "name": "t", "score": "equal", "by": by}, rows)
    assert found.records[0].attributes == dict(zip(by, (["x", "y"], 3, "y"), strict=True))


def test_a_key_of_the_record_may_be_called_parsed() -> None:
    spec = {"kind": "task", "name": "t", "score": "equal", "values": {"n": "prediction"}, "by": ["parsed", "values.n"]}
    one = scoring.load(spec).score({"id": 1, "response": "a", "reference": "a", "parsed": "x"})
    assert one.attributes == {"parsed": "x", "values.n": "a"}
    with pytest.raises(SpecError, match="there is no value `m`"):
        scoring.load({**spec, "by": ["values.m"]})


@pytest.mark.parametrize("path", ["length(meta)", "a || b", "tags[?x]"])
def test_what_computes_has_a_name_under_record(path: str) -> None:
    spec = {"kind": "task", "name": "t", "score": "equal"}
    for more in ({"by": [path]}, {"intervals": {"cluster": path}}):
        with pytest.raises(SpecError) as raised:
            scoring.load({**spec, **more})
        (found,) = raised.value.diagnostics
        assert found.message == f"`{path}` is a JMESPath, which stands under `record:` alone"
        assert found.help[0].startswith("write `record: {")


def test_parsed_is_the_answer_in_a_metric_whatever_the_record_declares() -> None:
    spec = {"kind": "task", "name": "t", "parse": "json", "fields": {"n": "equal"}, "record": {"parsed": "parsed"}}
    rows = [{"id": n, "response": {"n": n}, "reference": {"n": n}, "parsed": {"n": -n}} for n in range(4)]
    metrics = [{"said": "mean(parsed.n)"}, {"had": "mean(record.parsed.n)"}]
    assert dict(scoring.evaluate({**spec, "metrics": metrics}, rows).metrics) == {"said": 1.5, "had": -1.5}
