"""What a scorer reads decides whether a record needs a reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import use_judge

ALONE = "has_length(most=3)"
RECORD = {"id": 1, "response": "a b c"}


def task(**spec: Any) -> Any:
    return scoring.load({"kind": "task", "name": "t", **spec})


@pytest.mark.parametrize(
    ("scorer", "needs"),
    [
        ("equal", True),
        (ALONE, False),
        (f"lower | strip | {ALONE}", False),
        (f"any_of({ALONE}, has_word(words=['b']))", False),
        (f"any_of({ALONE}, equal)", True),
        (f"all_of({ALONE}, lower | any_of({ALONE}, equal))", True),
        (f"average_of(attempt({ALONE}), {ALONE} | invert)", False),
        (f"when(test={ALONE}, then={ALONE}, otherwise=levenshtein)", True),
        (f"switch(on=record.kind, near={ALONE}, far={ALONE})", False),
        (f"switch(on=record.kind, near={ALONE}, far=equal)", True),
        (f"cascade(rule={ALONE}, unsure={ALONE})", False),
        (f"any_reference({ALONE})", True),
        (f"align({ALONE})", True),
        ("sides(reference=value_of(context.answer)) | equal", False),
        ("sides(reference=value_of(reference.answer)) | equal", True),
        ("sides(prediction=lower) | has_word(words=reference)", True),
        ("has_word(words=record.words)", False),
    ],
)
def test_what_is_read_is_known_before_a_record_is(scorer: str, needs: bool) -> None:
    assert task(score=scorer).needs_reference is needs
    assert scoring.scorer(scorer).reads_reference is needs


@pytest.mark.parametrize("scorer", [ALONE, f"lower | strip | {ALONE}", f"any_of(lower | {ALONE}, {ALONE})"])
def test_a_record_without_a_reference_is_scored(scorer: str) -> None:
    found = task(score=scorer)
    assert found.score(RECORD).score == 1.0
    assert [one.score for one in found.score_batch([RECORD, {**RECORD, "response": "a b c d"}])] == [1.0, 0.0]
    assert found.score_parts("a b c").score == 1.0
    assert found.score({**RECORD, "reference": "anything"}).score == 1.0


def test_a_scorer_that_reads_values_of_the_row_needs_the_reference_that_it_compares_with() -> None:
    found = task(score=f"switch(on=record.kind, near={ALONE}, far=equal)")
    assert found.score({**RECORD, "kind": "far"}).reason == "the record has no reference"


def test_the_fields_that_read_a_reference_are_unscored_without_it_and_the_others_are_scored() -> None:
    found = task(fields={"short": ALONE, "right": "equal"}, aggregate="short")
    result = found.score({"response": {"short": "a b c", "right": "x"}})
    assert result.score == 1.0
    assert result.fields["right"].reason == "the record has no reference"
    assert [one.score for one in found.score_batch([{"response": {"short": "a b c d", "right": "x"}}])] == [0.0]


def test_a_field_that_reads_no_reference_is_applicable_where_the_reference_lacks_it() -> None:
    found = task(fields={"short": ALONE, "right": "equal"})
    result = found.score({"response": {"short": "a b c d", "right": "x"}, "reference": {"right": "x"}})
    assert (result.fields["short"].status, result.score) == ("scored", 0.5)


def test_a_parameter_decides_what_a_packs_scorer_reads(tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text(
        "kind: pack\nname: house\nversion: 1.0.0\nscorers:\n"
        "  twice:\n    doc: Both.\n    params: {inner: {type: pipeline, default: equal}}\n"
        f"    score: all_of({ALONE}, inner)\n"
    )
    for inner, needs in ((ALONE, False), ("equal", True)):
        spec = f"kind: task\nname: t\nimports: {{house: ./house.yaml}}\nscore: 'house.twice(inner={inner})'\n"
        (tmp_path / "task.yaml").write_text(spec)
        assert scoring.load(tmp_path / "task.yaml").needs_reference is needs


JUDGE = {
    "prompt": "Is the text kind?",
    "reply": {"integer": {"minimum": 0, "maximum": 1}},
    "gives": {"verdict": "@"},
    "score": "verdict",
}


@pytest.mark.parametrize(
    ("inputs", "show", "needs"),
    [
        ({"text": "prediction"}, ["text"], False),
        ({"text": "prediction", "gold": "reference"}, ["text", "gold"], True),
        ({"text": "prediction", "golds": "reference[]"}, ["text", "golds"], True),
        ({"text": "prediction", "gold": "reference"}, ["text"], False),
        ({"text": "prediction", "query": "record.query"}, ["text", "query"], False),
    ],
)
def test_a_judge_needs_a_reference_where_its_prompt_names_one(
    inputs: dict[str, str], show: list[str], needs: bool, tmp_path: Path
) -> None:

    pack = {
        "kind": "pack",
        "name": "house",
        "version": "1.0.0",
        "judges": {"kind": {**JUDGE, "inputs": inputs, "show": show}},
    }
    (tmp_path / "house.json").write_text(json.dumps(pack))
    (tmp_path / "task.yaml").write_text(
        "kind: task\nname: t\nimports: {house: ./house.json}\nrecord: {query: query}\nscore: house.kind\n"
    )
    found = scoring.load(tmp_path / "task.yaml")
    assert found.needs_reference is needs
    with use_judge(ScriptedJudge(["1"])):
        result = found.score({**RECORD, "query": "How?"})
    assert (result.score, result.reason) == ((None, "the record has no reference") if needs else (1.0, None))


@pytest.mark.parametrize("name", ["bias", "toxicity", "coherence", "hallucination", "faithfulness"])
def test_the_judges_that_look_at_the_answer_alone_need_none(name: str) -> None:
    assert not scoring.scorer(f"valor-llm:{name}").reads_reference


def test_the_judges_that_look_at_the_reference_need_one() -> None:
    assert scoring.scorer("valor-llm:answer_correctness").reads_reference


def test_an_explanation_says_that_no_reference_is_read() -> None:
    told = scoring.explain({"kind": "task", "name": "t", "score": ALONE}, [RECORD])
    assert "reads no reference" in told.text()
    assert told.data["fields"][0]["reads_reference"] is False
    assert [stage["stage"] for stage in told.data["fields"][0]["stages"]] == ["input", "has_length"]
    beside = scoring.explain({"kind": "task", "name": "t", "score": "equal"}, [{**RECORD, "reference": "a b c"}])
    assert "reads no reference" not in beside.text()


def test_the_page_of_a_packs_scorer_says_what_it_gives_and_reads() -> None:
    told = scoring.explain("valor-llm:bias")
    assert told.data["reads_reference"] is False
    assert "reads no reference" in told.text()
    assert scoring.explain("anls:anls").data["range"] == [0.0, 1.0]
    assert "in [1, 5] · reads no reference" in scoring.explain("valor-llm:summary_coherence").text()
