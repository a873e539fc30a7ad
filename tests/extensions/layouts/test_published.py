"""Files in the layouts in which benchmarks publish them are scored by a few lines that say where their parts are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError

SQUAD_GOLD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Paris",
            "paragraphs": [
                {
                    "context": "Paris is …",
                    "qas": [
                        {"id": "q1", "question": "?", "answers": [{"text": "Paris", "answer_start": 0}]},
                        {"id": "q2", "question": "?", "answers": [], "is_impossible": True},
                    ],
                },
                {"context": "", "qas": []},
            ],
        },
        {
            "title": "Tower",
            "paragraphs": [
                {"context": "…", "qas": [{"id": "q3", "question": "?", "answers": [{"text": "iron tower"}] * 2}]}
            ],
        },
    ],
}
SQUAD = {"q1": "Paris", "q2": "", "q3": "the tower", "q9": "of no question"}

HOTPOT_GOLD = [
    {"_id": "a", "question": "?", "answer": "Rome", "supporting_facts": [["Rome", 0]], "type": "bridge"},
    {"_id": "b", "question": "?", "answer": "yes", "supporting_facts": [["X", 1], ["Y", 0]], "type": "comparison"},
]
HOTPOT = {"answer": {"a": "rome", "b": "no"}, "sp": {"a": [["Rome", 0]], "b": [["X", 1]]}}

DOCVQA_GOLD = {
    "dataset_name": "DocVQA",
    "data": [{"questionId": 7, "question": "?", "answers": ["12 March"]}, {"questionId": 8, "answers": ["A", "B"]}],
}
DOCVQA = [{"questionId": 7, "answer": "12 march"}, {"questionId": 8, "answer": "zzzz"}]

VQA_GOLD = {
    "info": {},
    "annotations": [
        {"question_id": 1, "answers": [{"answer": "red", "answer_id": n} for n in range(10)], "question_type": "what"},
        {"question_id": 2, "answers": [{"answer": "yes"}] * 2 + [{"answer": "no"}] * 8, "question_type": "is"},
    ],
}
VQA = [{"question_id": 1, "answer": "red"}, {"question_id": 2, "answer": "yes"}]

IFEVAL_GOLD = [
    {"key": 1, "prompt": "No commas!", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
    {"key": 2, "prompt": "Shout.", "instruction_id_list": ["change_case:english_capital"], "kwargs": [{}]},
]
IFEVAL = [{"prompt": "No commas!", "response": "a, b"}, {"prompt": "Shout.", "response": "THIS IS A LOUD ANSWER"}]

LM_EVAL = [
    {
        "doc_id": number,
        "doc": {"question": "?", "answer": f"reasons #### {gold}"},
        "target": f"reasons #### {gold}",
        "resps": [[said]],
        "filtered_resps": [said],
        "filter": "strict-match",
    }
    for number, (gold, said) in enumerate([("12", "so #### 12"), ("7", "so #### 8")])
]
BY_NUMBER = {"0": {"prediction": "A", "gold": "A"}, "1": {"prediction": "B", "gold": "C"}}

CASES: dict[str, tuple[dict[str, Any], Any, str | None, Any, str | None, float]] = {
    # SQuAD's F1 of "tower" against "iron tower" is 2 · 1 · ½ / 1½.
    "squad": (
        {
            "extends": "squad@2",
            "record": {
                "id": "id || key",
                "response": "prediction.value",
                "reference": "reference.answers[].text",
            },
        },
        SQUAD, "json,rows=*", SQUAD_GOLD, "json,rows=data[*].paragraphs[*].qas[*]", (1 + 1 + 2 / 3) / 3,
    ),
    "hotpotqa": (
        {"extends": "hotpotqa@1", "record": {"id": "_id || key", "response": "prediction", "reference": "reference"}},
        HOTPOT, "json,rows=answer.*+sp.*", HOTPOT_GOLD, None, 0.5,
    ),
    "docvqa": (
        {
            "extends": "docvqa@1",
            "record": {"id": "questionId", "response": "prediction.answer", "reference": "reference.answers"},
        },
        DOCVQA, None, DOCVQA_GOLD, "json,rows=data[*]", 0.5,
    ),
    # Two of ten annotators say yes: without one of them 1/3 twice, with both 2/3 eight times.
    "vqa": (
        {
            "extends": "vqa@1",
            "record": {"id": "question_id", "response": "prediction.answer", "reference": "reference.answers[].answer"},
        },
        VQA, None, VQA_GOLD, "json,rows=annotations[*]", (1 + (2 * 1 / 3 + 8 * 2 / 3) / 10) / 2,
    ),
    "ifeval": (
        {
            "extends": "ifeval@1",
            "record": {
                "id": "prompt",
                "response": "prediction.response",
                "instruction_id_list": "reference.instruction_id_list",
                "kwargs": "reference.kwargs",
            },
        },
        IFEVAL, None, IFEVAL_GOLD, None, 0.5,
    ),
    "lm-eval": (
        {
            "extends": "gsm8k-lm-eval-strict@1",
            "record": {"id": "doc_id", "response": "resps[0][0]", "reference": "target"},
        },
        LM_EVAL, None, None, None, 0.5,
    ),
    "by number": (
        {"score": "equal", "record": {"id": "key", "response": "value.prediction", "reference": "value.gold"}},
        BY_NUMBER, "json,rows=*", None, None, 0.5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_published_files_are_scored_as_they_come(tmp_path: Path, name: str) -> None:
    spec, said, said_format, gold, gold_format, expected = CASES[name]
    data, references = tmp_path / "said.json", tmp_path / "gold.json"
    data.write_text(json.dumps(said))
    references.write_text(json.dumps(gold))
    run = scoring.evaluate(
        {"kind": "task", "name": "mine", "version": "1.0.0", **spec},
        data,
        input_format=said_format,
        references=None if gold is None else references,
        reference_format=gold_format,
        output=tmp_path / "run",
    )
    assert run.coverage == 1.0
    assert next(iter(run.metrics.values())) == pytest.approx(expected, abs=1e-12)
    assert scoring.runs.verify(tmp_path / "run").passed


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("datum[*]", "there is no `datum`; there are `version`, `data`"),
        ("data.*", "`*` is of an object, and there is a list"),
        ("data[*].title[*]", "`[*]` is for a list, and there is a text"),
        ("data", "leads to one value, not to rows"),
        ("data[0]", "is no path to rows"),
        ("*+data[*]", "each of several paths ends in a name and `.*`"),
    ],
)
def test_a_path_that_a_file_does_not_have_is_refused(tmp_path: Path, path: str, message: str) -> None:
    file = tmp_path / "gold.json"
    file.write_text(json.dumps(SQUAD_GOLD))
    with pytest.raises(InputError) as found:
        scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, file, input_format=f"json,rows={path}")
    assert message in str(found.value)


def test_a_document_of_too_deep_rows_is_refused_as_ever(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text('{"data": ' + "[" * 5_000 + "]" * 5_000 + "}")
    with pytest.raises(InputError, match="can't read"):
        scoring.evaluate({"kind": "task", "name": "t", "score": "equal"}, file, input_format="json,rows=data[*]")
