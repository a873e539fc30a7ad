"""Computed values of records: their names, what reads them, and that they change no rule but how it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError

LETTER = 'prediction | find(r"(?i)answer\\s*:\\s*\\(?([A-D])\\)?", pick="last")'


PLAIN = [{"response": "B", "reference": "B"}, {"response": "B", "reference": "C"}]


def task(**spec: Any) -> scoring.Task:
    return scoring.load({"kind": "task", "name": "t", **spec})


def findings(**spec: Any) -> dict[str, str]:
    try:
        return {found.id: found.message for found in task(**spec).warnings}
    except SpecError as error:
        return {found.id: found.message for found in error.diagnostics}


def choice(**more: Any) -> scoring.Task:
    fields = {"choice": {"prediction": "letter", "score": "equal"}}
    return task(values={"letter": LETTER}, fields=fields, **more)


def test_a_field_compares_a_value_by_its_name() -> None:
    result = choice().score({"response": "Answer: (C), no, answer: B", "reference": "B"})
    assert (result.score, dict(result.values), result.fields["choice"].prediction) == (1.0, {"letter": "B"}, "B")


def test_a_path_may_go_on_from_a_value() -> None:
    one = task(values={"info": "prediction | json"}, fields={"town": {"prediction": "info.at.town", "score": "equal"}})
    assert one.score({"response": '{"at": {"town": "Rom"}}', "reference": "Rom"}).score == 1.0
    assert one.score({"response": '{"at": 1}', "reference": "Rom"}).fields["town"].reason == (
        "the response has no field `town`"
    )


def test_a_field_may_compare_what_a_path_of_the_row_reads() -> None:
    fields = {
        "year": {"prediction": "parsed.year", "reference": "record.gold[0].year", "score": "equal"},
        "town": {"prediction": "record.said.town", "reference": "reference.town", "score": "equal"},
    }
    record = {
        "response": '{"year": 1999, "record": {"said": {"town": "Bonn"}}}',
        "reference": {"town": "Rom"},
        "gold": [{"year": 1999}],
        "said": {"town": "Rom"},
    }
    result = task(parse="json", fields=fields).score(record)
    assert {name: one.score for name, one in result.fields.items()} == {"year": 1.0, "town": 1.0}
    missing = task(fields={"town": {"prediction": "record.said.town", "score": "equal"}})
    assert missing.score({"response": "", "reference": "x"}).reason == "the record has no `record.said.town`"


def test_a_path_of_the_row_that_is_none_is_told_once() -> None:
    found = findings(fields={"town": {"prediction": "record.x[[", "score": "equal"}})
    assert [*found] == ["syntax-unclosed-bracket"]


def test_arguments_read_values_by_bare_names_paths_and_pipelines() -> None:
    record = {"response": "12", "reference": "one two three"}
    for argument in ("n_gold", "values.n_gold", "reference | words | length"):
        scorer = f"sides(prediction=number, reference=value_of(10)) | within(absolute={argument})"
        found = task(values={"n_gold": "reference | words | length"}, score=scorer).score(record)
        assert found.score == 1.0, argument


def test_one_side_of_a_scorer_may_begin_with_a_value() -> None:
    one = task(values={"gold": "record.gold | lower"}, score="sides(prediction=lower, reference=gold) | equal")
    assert one.score({"response": "ROM", "reference": "x", "gold": "Rom"}).score == 1.0
    both = findings(values={"gold": "record.gold"}, score="gold | equal")
    assert both["wrong-stage"] == "`gold` would replace both the prediction and the reference"


def test_breakdowns_go_by_values() -> None:
    one = choice(by=["letter", "values.letter"])
    records = [{"response": "answer: A", "reference": "A"}, {"response": "none", "reference": "A"}]
    assert [result.attributes["letter"] for result in one.score_batch(records)] == ["A", None]
    assert one.score(records[0]).attributes == {"letter": "A", "values.letter": "A"}


def test_a_field_may_read_the_response_in_its_own_way() -> None:
    fields = {
        "number": {
            "prediction": r'prediction | find(r"\d+") | number',
            "reference": "reference.number",
            "score": "equal",
        },
        "town": {"prediction": 'prediction | json | value_at("town")', "reference": "reference.town", "score": "equal"},
    }
    one = task(fields=fields, on_unparsed="unscored")
    record = {"response": '{"town": "Rom", "n": 12}', "reference": {"number": 12, "town": "Rom"}}
    assert one.score(record).score == 1.0
    broken = one.score({**record, "response": "12 towns"})
    assert {name: part.status for name, part in broken.fields.items()} == {"number": "scored", "town": "unparsed"}
    parsed = task(parse="words", fields=fields)
    assert parsed.score(record).score == 1.0


def test_what_fails_in_a_value_fails_what_reads_it_with_its_reason() -> None:
    found = choice().score({"response": "no idea", "reference": "B"})
    assert (found.status, found.values["letter"]) == ("unparsed", None)
    assert choice(on_unparsed="zero").score({"response": "no idea", "reference": "B"}).score == 0.0
    data = task(values={"n": "record.n | number"}, score="number | within(absolute=n)")
    assert data.score({"response": "1", "reference": "1", "n": "x"}).status == "unscored"
    assert "record.n" in str(data.score({"response": "1", "reference": "1", "n": "x"}).reason)
    assert choice().score({"reference": "B"}).reason == "the record has no response"


def test_values_of_what_was_parsed_wait_for_it() -> None:
    one = task(parse="json", values={"n": "parsed.list | length"}, score="value_of(1) | within(absolute=n)")
    assert one.score({"response": '{"list": [1, 2]}', "reference": "x"}).values == {"n": 2}
    assert one.score({"response": "{", "reference": "x"}).status == "unparsed"
    assert "definition-cycle" in findings(parse="value_of(n)", values={"n": "parsed | length"}, fields={"a": "equal"})


def test_a_circle_of_values_is_shown() -> None:
    found = findings(
        values={"a": "b | lower", "b": "c", "c": "a | upper"}, fields={"x": {"prediction": "a", "score": "equal"}}
    )
    assert found["definition-cycle"] == "`a` is computed from itself: `a` -> `b` -> `c` -> `a`"


@pytest.mark.parametrize(
    ("spec", "id", "words"),
    [
        ({"values": {"x": "prediction"}, "fields": {"x": "equal"}}, "name-conflict", "both a value and a field"),
        ({"values": {"score": "prediction"}, "score": "equal"}, "name-conflict", "a word of the language"),
        ({"values": {"kind": "prediction"}, "record": {"kind": "k"}, "score": "equal"}, "name-conflict", "the record"),
        ({"values": {"a": "prediction"}, "score": "equal"}, "unused-definition", "nothing reads the value `a`"),
        (
            {"record": {"kind": "k"}, "score": "equal"},
            "unused-definition",
            "nothing reads the part `kind` of the record",
        ),
        ({"values": {"a": "lower"}, "score": "equal"}, "wrong-stage", "begins with the step `lower`"),
        ({"values": {"a": "reference | words"}, "score": "number | within(absolute=a)"}, "argument-type", "List[Text]"),
        ({"score": "number | within(absolute=values.a)"}, "unknown-name", "there is no value `a`"),
        ({"values": {"a": "prediction | lenght"}, "score": "equal"}, "unknown-name", "nothing is called `lenght`"),
    ],
)
def test_mistakes_are_told(spec: dict[str, Any], id: str, words: str) -> None:
    assert words in findings(**spec).get(id, str(findings(**spec)))


def test_names_and_spelling_leave_the_meaning_as_it_is() -> None:
    def meaning(values: dict[str, str], argument: str) -> str:
        return task(values=values, score=f"number | within(absolute={argument})").signature.meaning

    plain = meaning({}, "reference | words | length")
    assert meaning({"n": "reference | words | length"}, "n") == plain
    assert meaning({"w": "reference | words", "m": "w | length"}, "values.m") == plain
    assert meaning({"n": "prediction | words | length"}, "n") != plain
    assert meaning({"x": "record.x"}, "x") == meaning({}, "record.x")


def test_values_of_packs_are_read_by_their_alias(tmp_path: Any) -> None:
    (tmp_path / "p.yaml").write_text(
        "kind: pack\nname: p\nversion: '1'\nvalues:\n  letter: {value: prediction | upper, doc: Its letter.}\n"
        "scorers:\n  close: number | within(absolute=values.far)\n  own: within(absolute=values.letter | number)\n",
        "utf-8",
    )
    (tmp_path / "t.yaml").write_text(
        "kind: task\nname: t\nimports: {p: ./p.yaml}\nvalues: {far: record.far}\n"
        "fields:\n  a: {prediction: p.letter, score: equal}\n"
        "  b: {reference: record.n | number, score: p.close}\nby: [p.letter]\n",
        "utf-8",
    )
    one = scoring.load(tmp_path / "t.yaml")
    found = one.score({"response": "7", "reference": "7", "far": 3, "n": "9"})
    assert (found.score, dict(found.attributes)) == (1.0, {"p.letter": "7"})
    without = (tmp_path / "t.yaml").read_text("utf-8").replace("values: {far: record.far}\n", "")
    (tmp_path / "t.yaml").write_text(without, "utf-8")
    with pytest.raises(SpecError, match="does not declare"):
        scoring.load(tmp_path / "t.yaml")


def test_formulas_read_values() -> None:
    values = {"n": "prediction | words | length", "m": "reference | words | length", "kind": "record.kind"}
    one = task(
        values=values,
        fields={"a": "equal", "ratio": {"score": "min(n, m) / max(n, values.m)"}},
        aggregate='if(kind == "long", ratio, a)',
        **{"pass": "n <= m"},
    )
    long = one.score({"response": "a b", "reference": "a b c d", "kind": "long"})
    assert (long.score, long.passed, long.values) == (0.5, True, {"n": 2, "m": 4, "kind": "long"})
    records = [{"response": "a b c", "reference": "a b", "kind": "short"}, {"response": "a", "reference": "a"}]
    for record, result in zip(records, one.score_batch(records), strict=True):
        assert one.score(record) == result
    assert "there is no value `o`" in findings(values=values, fields={"a": {"score": "values.o"}})["unknown-name"]


def test_scorers_alone_compute_what_they_read() -> None:
    one = scoring.scorer(
        "sides(prediction=record.n | number, reference=number) | within(absolute=reference | words | length)"
    )
    assert one.score("x", "3", record={"n": "4"}).value == 1.0
    assert one.score("x", "3", record={"n": "5"}).value == 0.0
    assert one.score("x", "3", record={"n": "?"}).status == "unscored"


def test_inside_of_items_a_value_is_another_one_for_each() -> None:
    inner = "switch(on=item.text | lower, yes=equal, default=contains)"
    one = task(score=f"each(over=record.points, score={inner}, join=mean)")
    record = {"response": "a b", "reference": "b", "points": [{"text": "YES"}, {"text": "No"}]}
    assert one.score(record).score == one.score_batch([record, record])[1].score == 0.5
    assert "argument-type" in findings(values={"n": "item.text"}, fields={"a": {"prediction": "n", "score": "equal"}})
    assert "argument-type" in findings(score=inner)


def test_the_one_field_that_compares_takes_a_plain_reference_beside_formulas() -> None:
    fields = {"choice": {"prediction": "letter", "score": "equal"}, "brief": "1 - length(prediction) / 100"}
    one = task(values={"letter": LETTER}, fields=fields)
    assert one.score({"response": "Answer: B", "reference": "B"}).fields["choice"].score == 1.0
    plain = task(fields={"same": "equal", "brief": "1 - length(prediction) / 100"})
    assert [found.fields["same"].score for found in plain.score_batch(PLAIN)] == [1.0, 0.0]


def test_a_reference_that_is_no_mapping_says_how_it_is_taken() -> None:
    one = task(parse="json", fields={"a": "equal"}).score({"response": '{"a": "B"}', "reference": "B"})
    assert one.fields["a"].reason == (
        "the reference is Text, not a mapping of fields; `reference: reference` takes all of it"
    )
    read = 'json(accept="any", strict=true)'
    parsed = task(parse=read, fields={"a": "equal", "b": "equal"}).score({"response": '"B"', "reference": {"a": "B"}})
    assert parsed.fields["a"].reason == (
        "the parsed answer is Text, not a mapping of fields; `prediction: parsed` takes all of it"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("record.meta.tga", "no record has `meta.tga`, which the value `tag` reads"),
        ("record.mata.tag | lower", "no record has `mata.tag`, which the value `tag` reads"),
        ("prediction | replace(old=record.odl, new='')", "no record has `odl`, which the value `tag` reads"),
    ],
)
def test_a_value_that_no_record_can_have_is_refused_before_the_run(value: str, message: str) -> None:
    rows = [{**row, "meta": {"tag": "t"}} for row in PLAIN]
    with pytest.raises(SpecError, match=message):
        scoring.evaluate({"kind": "task", "name": "t", "values": {"tag": value}, "score": "equal", "by": ["tag"]}, rows)


def test_a_value_that_is_misspelt_where_it_is_read_is_the_one_that_is_meant() -> None:
    with pytest.raises(SpecError, match="`leter` is no value of this file") as raised:
        task(values={"letter": LETTER}, fields={"choice": {"prediction": "leter", "score": "equal"}})
    (error,) = (one for one in raised.value.diagnostics if one.severity == "error")
    assert error.primary.text == "did you mean `letter`?"
    spec = {"kind": "task", "name": "t", "values": {"letter": LETTER}, "score": "sides(prediction=letter) | equal"}
    with pytest.raises(SpecError, match="no record has `leter`, which `by` names") as told:
        scoring.evaluate({**spec, "by": ["leter"]}, PLAIN)
    assert told.value.diagnostics[0].primary.text == "did you mean `letter`?"


HOUSE = """
kind: pack
name: house
version: 1.0.0
doc: Letters.
values: {letter: prediction | lower, n: reference | length}
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "house.yaml").write_text(HOUSE, encoding="utf-8")
    return tmp_path


def of_house(folder: Path, fields: str) -> scoring.Task:
    path = folder / "task.yaml"
    text = f"kind: task\nname: t\nversion: 1.0.0\nimports: {{house: ./house.yaml}}\nfields: {fields}\n"
    path.write_text(text, encoding="utf-8")
    return scoring.load(path)


@pytest.mark.parametrize("place", ["house.leter", "house.leter.start", "house.leter | upper"])
def test_a_misspelled_value_of_a_pack_is_no_place_in_the_answer(place: str, house: Path) -> None:
    with pytest.raises(SpecError, match="`house` has no value `leter`") as raised:
        of_house(house, f'{{a: {{prediction: "{place}", score: equal}}}}')
    (found,) = raised.value.diagnostics
    assert found.primary.text == "did you mean `letter`?"
    assert of_house(house, "{a: {prediction: parsed.house.leter, score: equal}}")
