"""A judge needs a reference where its prompt names one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.extensions.judge.asking.scripted import ScriptedJudge
from scoring.extensions.judge.protocol import use_judge
from tests.extensions.constraints.test_without_references import RECORD

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
