"""What a data-set metric reads where nothing is said: the answers and references that the task compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.diagnostics.diagnostic import SpecError
from scoring.registry import registry

GOLD = ["a", "a", "b", "c", "c", "none", "none", "b", "a", "c"]
# One record has no response.
SAID = ["A", "Answer: B", "B", "Answer: c", None, "None", "Answer: NONE", "C", "a", "Answer: A"]
RECORDS: list[dict[str, Any]] = [
    {"id": place, "response": said, "reference": gold}
    for place, (said, gold) in enumerate(zip(SAID, GOLD, strict=True))
]
PARSE = "final_answer | lower"
TASK = {"kind": "task", "name": "t", "parse": PARSE, "score": "equal"}

# scikit-learn 1.9, precision_recall_fscore_support of the parsed answers, the missing one as a label of its own.
MACRO = (0.5333333333333333, 0.5, 0.5133333333333333)
MICRO = (0.6, 0.6, 0.6)
WEIGHTED = (0.65, 0.6, 0.62)


def values(spec: dict[str, Any], records: Any = RECORDS, **options: Any) -> list[float | None]:
    return [figure["value"] for figure in scoring.evaluate(spec, records, **options).summary["metrics"]]


@pytest.mark.parametrize(("average", "expected"), [("macro", MACRO), ("micro", MICRO), ("weighted", WEIGHTED)])
def test_label_metrics_read_the_parsed_answers(average: str, expected: tuple[float, ...]) -> None:
    metrics = [f'{name}(average="{average}")' for name in ("precision", "recall", "f1")]
    assert values({**TASK, "metrics": metrics}) == pytest.approx(expected)


def test_generalised_metrics_read_the_parsed_answers() -> None:
    # 7 of the 8 answerable questions are answered (one not parsed, counted as an answer), 4 of them rightly.
    metrics = [f'generalised_{name}(unanswerable="none")' for name in ("precision", "recall", "f1")]
    answered = [one for one in RECORDS if one["response"] is not None]
    assert values({**TASK, "metrics": metrics}, answered) == pytest.approx([4 / 7, 4 / 7, 4 / 7])


def test_corpus_metrics_read_the_parsed_answers() -> None:
    answers = [{"id": 1, "response": "Answer: the dog bit the man", "reference": "the dog bit the man"}]
    found = values({**TASK, "metrics": ["corpus_bleu", "corpus_chrf", "corpus_ter"]}, answers)
    assert found == pytest.approx([1.0, 1.0, 0.0])


def test_the_raw_response_is_read_where_it_is_named() -> None:
    raw = values({**TASK, "metrics": ['f1(prediction="response")']})
    assert raw != values({**TASK, "metrics": ["f1"]})
    assert values({**TASK, "metrics": ['f1(prediction="parsed")']}) == values({**TASK, "metrics": ["f1"]})


def test_the_references_are_those_that_are_compared() -> None:
    records = [{**one, "reference": one["reference"].upper()} for one in RECORDS]
    spec = {**TASK, "parse": f"sides(prediction={PARSE}, reference=lower)", "metrics": ["precision", "recall", "f1"]}
    assert values(spec, records) == pytest.approx(MACRO)


FIELDS = {"kind": "task", "name": "t", "parse": "json", "fields": {"city": "lower | equal"}}


def answer(key: int, city: str, gold: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "response": json.dumps({"city": city, **more}), "reference": {"city": gold, **more}}


CITIES = [answer(1, "Bonn", "Bonn"), answer(2, "Bonn", "Rome"), answer(3, "Rome", "Rome"), answer(4, "Kyiv", "Bonn")]
# scikit-learn: of Bonn, Kyiv, Rome 1/2, 0, 1 precise, 1/2, 0, 1/2 recalled.
CITY_MACRO = (0.5, 1 / 3, (0.5 + 0 + 2 / 3) / 3)


def test_the_only_field_is_meant_where_none_is_named() -> None:
    assert values({**FIELDS, "metrics": ["precision", "recall", "f1"]}, CITIES) == pytest.approx(CITY_MACRO)


TWO = {**FIELDS, "fields": {"city": "lower | equal", "day": "equal"}}
DATED = [
    answer(key, json.loads(one["response"])["city"], one["reference"]["city"], day=1) for key, one in enumerate(CITIES)
]


def test_one_of_several_fields_is_meant_where_it_is_named() -> None:
    metrics = [f'{name}(field="city")' for name in ("precision", "recall", "f1")]
    assert values({**TWO, "metrics": metrics}, DATED) == pytest.approx(CITY_MACRO)
    assert values({**TWO, "metrics": ['f1(field="day")']}, DATED) == [1.0]


def test_columns_by_name_are_read_as_they_are_named() -> None:
    named = 'f1(prediction="parsed.city", reference="reference.city")'
    assert values({**TWO, "metrics": [named]}, DATED) == pytest.approx([CITY_MACRO[2]])


def test_a_generalised_figure_of_a_field_has_the_scores_of_the_field() -> None:
    metrics = ['generalised_f1(field="city", unanswerable="none")', 'generalised_accuracy(field="city")']
    assert values({**TWO, "metrics": metrics}, DATED) == pytest.approx([0.5, 0.5])


def reading() -> list[str]:
    """Every metric that reads compared values."""
    known = [registry.metric(name) for name in registry.names()]
    return sorted({one.name for one in known if one is not None and any(param.compared for param in one.params)})


@pytest.mark.parametrize("name", ["corpus_bleu", "corpus_chrf", "corpus_ter", "f1", "generalised_f1"])
def test_with_several_fields_a_metric_must_be_told(name: str) -> None:
    with pytest.raises(SpecError) as error:
        scoring.load({**TWO, "metrics": [name]})
    (found,) = error.value.diagnostics
    assert found.message == f"`{name}` has to know which answers it reads: this task has 2 fields"
    assert found.help[0] == (
        f'name the field, as in `{name}(field="city")`, or columns, as in '
        f'`{name}(prediction="parsed.city", reference="reference.city")`'
    )


def test_every_metric_of_answers_has_the_one_rule() -> None:
    assert reading() == [
        "cider", "corpus_bleu", "corpus_chrf", "corpus_codebleu", "corpus_ter", "f1", "generalised_f1",
        "generalised_precision", "generalised_recall", "mae", "matthews", "precision", "r_squared", "recall", "rmse",
    ]  # fmt: skip
    for name in reading():
        metric = registry.metric(name)
        assert metric is not None
        defaults = {param.name: param.default for param in metric.params}
        assert (defaults["prediction"], defaults["reference"], defaults["field"]) == (None, None, None)
        given = 'language="java", ' if "language" in defaults else ""
        with pytest.raises(SpecError):
            scoring.load({**TWO, "metrics": [f"{name}({given})" if given else name]})
        scoring.load({**TWO, "metrics": [f'{name}({given}field="city")']})


def test_a_field_beside_both_paths_is_refused() -> None:
    metric = 'f1(prediction="parsed.city", reference="reference.city", field="city")'
    with pytest.raises(SpecError, match="`field` of `f1` has no effect when both paths are given"):
        scoring.load({**TWO, "metrics": [metric]})


def test_a_part_of_the_parsed_answer_that_no_record_has_is_told() -> None:
    metric = 'f1(prediction="parsed.town", reference="reference.city")'
    assert scoring.evaluate({**TWO, "metrics": [metric]}, DATED).summary["inputs"]["empty_paths"]["examples"] == [
        "parsed.town"
    ]


def test_a_record_may_have_a_part_of_that_name() -> None:
    spec = {**TASK, "record": {"parsed": "given"}, "metrics": ["f1(prediction=record.parsed)"]}
    assert values(spec, [{**one, "given": one["reference"]} for one in RECORDS]) == [1.0]


def test_a_missing_answer_is_no_answer_that_says_none() -> None:
    records = [{"id": 1, "response": None, "reference": "None"}, {"id": 2, "response": "None", "reference": "None"}]
    assert values({"kind": "task", "name": "t", "score": "equal", "metrics": ['recall(label="None")']}, records) == [
        0.5
    ]


def test_groups_and_processes_read_the_same(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    rows = [{**RECORDS[n % 10], "id": n, "kind": "xy"[n % 2]} for n in range(400)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    spec = {**TASK, "metrics": ["f1", "precision"], "by": ["kind"]}
    whole = scoring.evaluate(spec, data)
    assert whole.metrics["f1"] == pytest.approx(MACRO[2])
    for options in ({"processes": 2}, {"keep_values": False, "keep_records": False}, {"batch_size": 7}):
        found = scoring.evaluate(spec, data, **options)
        assert found.summary["metrics"] == whole.summary["metrics"]
        assert found.summary["by"] == whole.summary["by"]
    assert [group["metrics"][0]["value"] for group in whole.summary["by"]["kind"]] != [None, None]


def test_one_answer_has_no_interval_and_says_how_many_it_takes() -> None:
    (found,) = scoring.evaluate({**TASK, "metrics": ["f1"]}, RECORDS[:1]).summary["metrics"]
    assert (found["interval"], found["note"]) == (None, "no interval: it needs at least 2 units")


def test_a_step_on_a_reference_that_only_a_metric_reads_has_an_effect(tmp_path: Path) -> None:
    spec = tmp_path / "task.json"
    task = {**TASK, "version": "1.0.0", "score": "is_true(condition=record.id)", "parse": "sides(reference=lower)"}
    found = {}
    for metric in ("f1", "mean"):
        spec.write_text(json.dumps({**task, "metrics": [metric]}))
        found[metric] = [one.id for one in scoring.check(spec).findings]
    assert found == {"f1": [], "mean": ["unused-step"]}
