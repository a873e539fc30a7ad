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
HUMANEVAL_GOLD = [
    {"task_id": f"HumanEval/{number}", "prompt": "def add(a, b):\n", "entry_point": "add", "canonical_solution": "",
     "test": f"def check(candidate):\n    assert candidate({number}, 2) == {number + 2}\n"}
    for number in range(2)
]  # fmt: skip
HUMANEVAL = [
    {"task_id": f"HumanEval/{number}", "completion": said}
    for number, said in [(0, "    return a + b\n"), (1, "    return a - b\n"), (1, "    return b + a\n")]
]

AREA = {
    "name": "area",
    "description": "",
    "parameters": {
        "type": "dict",
        "properties": {"base": {"type": "integer"}, "height": {"type": "integer"}},
        "required": ["base", "height"],
    },
}
BFCL_QUESTIONS = [{"id": f"simple_{n}", "question": [[{"role": "user"}]], "function": [AREA]} for n in range(2)]
BFCL_ANSWERS = [{"id": f"simple_{n}", "ground_truth": [{"area": {"base": [10], "height": [5]}}]} for n in range(2)]
BFCL = [
    {"id": "simple_0", "result": "[area(base=10, height=5)]", "latency": 0.3},
    {"id": "simple_1", "result": "[area(base=10, height=6)]", "latency": 0.2},
]
BY_NUMBER = {"0": {"prediction": "so #### 12", "gold": "#### 12"}, "1": {"prediction": "#### 8", "gold": "#### 7"}}
HELM = {
    "adapter_spec": {},
    "request_states": [
        {
            "instance": {"id": f"id{number}", "references": [{"output": {"text": gold}, "tags": ["correct"]}]},
            "result": {"completions": [{"text": said}]},
        }
        for number, (said, gold) in enumerate([("the Seine", "Seine"), ("Rhine", "Seine")])
    ],
}
POPE_GOLD = [{"question_id": n, "image": "a.jpg", "text": "Is there a dog?", "label": "yes"} for n in range(2)]
POPE = [{"question_id": 0, "text": "Yes, there is."}, {"question_id": 1, "text": "No."}]
GQA_GOLD = {"05": {"question": "?", "answer": "yes"}, "07": {"question": "?", "answer": "no"}}
GQA = [{"questionId": "05", "prediction": "yes"}, {"questionId": "07", "prediction": "yes"}]

CAPTIONS_GOLD = {
    "images": [{"id": 5}, {"id": 7}],
    "annotations": [
        {"image_id": image, "id": number, "caption": said}
        for number, (image, said) in enumerate([(5, "a red dog"), (7, "a boat at sea"), (5, "one dog")])
    ],
}
CAPTIONS = [{"image_id": 5, "caption": "a red dog"}, {"image_id": 7, "caption": "two trees"}]

CASES: dict[str, tuple[str, Any, tuple[Any, ...], str, float]] = {
    # SQuAD's F1 of "tower" against "iron tower" is 2 · 1 · ½ / 1½.
    "squad@2": ("squad@2", SQUAD, (SQUAD_GOLD,), "official", (1 + 1 + 2 / 3) / 3),
    "hotpotqa": ("hotpotqa@1", HOTPOT, (HOTPOT_GOLD,), "official", 0.5),
    "docvqa": ("docvqa@1", DOCVQA, (DOCVQA_GOLD,), "official", 0.5),
    # Two of ten annotators say yes: without one of them 1/3 twice, with both 2/3 eight times.
    "vqa": ("vqa@1", VQA, (VQA_GOLD,), "official", (1 + (2 * 1 / 3 + 8 * 2 / 3) / 10) / 2),
    "gqa": ("gqa@1", GQA, (GQA_GOLD,), "official", 0.5),
    "pope": ("pope@1", POPE, (POPE_GOLD,), "llava", 0.5),
    "ifeval": ("ifeval@1", IFEVAL, (IFEVAL_GOLD,), "official", 0.5),
    # One sample of a problem, which passes, and two of another, of which one does.
    "humaneval": ("humaneval@1", HUMANEVAL, (HUMANEVAL_GOLD,), "official", 0.75),
    "bfcl": ("bfcl-simple@1", BFCL, (BFCL_ANSWERS, BFCL_QUESTIONS), "official", 0.5),
    "lm-eval": ("gsm8k-lm-eval-strict@1", LM_EVAL, (), "lm-eval", 0.5),
    "opencompass": ("gsm8k@1", BY_NUMBER, (), "opencompass", 0.5),
    "helm": ("nq@1", HELM, (), "helm", 0.5),
}
LINES = {"humaneval", "bfcl", "lm-eval", "pope", "ifeval"}
"""Those whose files hold a record on each line, whatever they are called."""


def written(folder: Path, name: str, content: Any, *, lines: bool) -> Path:
    path = folder / (f"{name}.jsonl" if lines and name != "gold1" else f"{name}.json")
    path.write_text("".join(f"{json.dumps(one)}\n" for one in content) if lines else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("name", CASES)
def test_published_files_are_scored_as_they_come(tmp_path: Path, name: str) -> None:
    task, said, golds, layout, expected = CASES[name]
    data = written(tmp_path, "said", said, lines=name in LINES)
    references = [written(tmp_path, f"gold{n}", gold, lines=name in LINES) for n, gold in enumerate(golds)]
    notes: list[str] = []
    run = scoring.evaluate(task, data, references=references or None, output=tmp_path / "run", on_note=notes.append)
    assert run.coverage == 1.0
    assert next(iter(run.metrics.values())) == pytest.approx(expected, abs=1e-12)
    assert notes == [f"{data} is read in the layout `{layout}` of {task.partition('@')[0]}"]
    assert scoring.runs.verify(tmp_path / "run").passed


@pytest.mark.parametrize(
    ("name", "is_same"), [("docvqa", True), ("bfcl", True), ("humaneval", True), ("squad@2", False)]
)
def test_a_layout_of_plain_paths_means_the_same(tmp_path: Path, name: str, is_same: bool) -> None:
    task, said, golds, _, _ = CASES[name]
    data = written(tmp_path, "said", said, lines=name in LINES)
    references = [written(tmp_path, f"gold{n}", gold, lines=name in LINES) for n, gold in enumerate(golds)]
    run = scoring.evaluate(task, data, references=references)
    assert (run.signature.split("|")[1] == scoring.load(task).signature.split("|")[1]) is is_same


def test_captions_of_an_image_are_its_references(tmp_path: Path) -> None:
    data, gold = (written(tmp_path, name, one, lines=False) for name, one in (("s", CAPTIONS), ("g", CAPTIONS_GOLD)))
    run = scoring.evaluate("coco-captions", data, references=gold, output=tmp_path / "run")
    assert [(record.id, record.score) for record in run.records] == [(5, 1.0), (7, 0.0)]
    assert scoring.runs.verify(tmp_path / "run").passed


def test_rows_of_a_document_are_read_by_a_format_that_is_stated(tmp_path: Path) -> None:
    data = written(tmp_path, "said", BY_NUMBER, lines=False)
    record = {"id": "key", "response": "value.prediction", "reference": "value.gold"}
    task = {"kind": "task", "name": "t", "score": "equal", "record": record}
    run = scoring.evaluate(task, data, input_format="json,rows=*", output=tmp_path / "run")
    assert run.metrics == {"mean": 0.0}
    assert scoring.runs.verify(tmp_path / "run").passed


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("datum[*]", "there is no `datum`; there are `version`, `data`"),
        ("data.*", "`*` is of an object, and there is a list"),
        ("data[*].title[*]", "`[*]` is for a list, and there is a text"),
        ("data", "leads to one value, not to rows"),
        ("data[0]", "is no path to rows"),
        ("data[*] by name", "none of the rows at `data[*]` has `name`"),
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
