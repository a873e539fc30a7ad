"""The same records under several tasks, chosen by the name that they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError
from scoring.extensions.dialects.comparing import compare_dialects
from scoring.extensions.dialects.tables import TaskDialects, task_dialects

RECORDS = [
    {"id": "a", "response": "#### 72", "reference": "#### 72"},
    {"id": "b", "response": "It is 72.", "reference": "#### 72"},
    {"id": "c", "response": "#### 72.", "reference": "#### 72"},
]
OWN: dict[str, Any] = {"kind": "task", "name": "mine", "score": "equal"}


def means(found: scoring.api.Result) -> dict[str, float]:
    return {one["name"]: one["mean"] for one in found.data["dialects"]}


def test_records_that_differ_have_all_scores() -> None:
    found = compare_dialects(OWN, RECORDS, "gsm8k@1,gsm8k-lm-eval-flexible@1")
    assert found.data["records"] == [
        {"id": one, "scores": {"gsm8k@1": 0.0, "gsm8k-lm-eval-flexible@1": 1.0}} for one in ("b", "c")
    ]
    assert [one["differing"] for one in found.data["dialects"]] == [0, 2]
    assert "It is 72." in found.text()


def test_a_name_means_its_tasks() -> None:
    found = compare_dialects(OWN, RECORDS, "gsm8k")
    assert list(means(found)) == list(task_dialects()["gsm8k"].tasks)
    assert means(found)["gsm8k@1"] == pytest.approx(1 / 3)
    assert means(found)["gsm8k-lm-eval-strict@1"] == pytest.approx(2 / 3)
    docs = {one["name"]: one["doc"] for one in found.data["dialects"]}
    assert docs == task_dialects()["gsm8k"].tasks


@pytest.mark.parametrize(
    "spec", ["gsm8k", "gsm8k-lm-eval-strict@1", {"kind": "task", "name": "mine", "extends": "gsm8k-lm-eval-flexible@1"}]
)
def test_without_a_name_the_task_says_it(spec: Any) -> None:
    assert means(compare_dialects(spec, RECORDS)) == means(compare_dialects(OWN, RECORDS, "gsm8k"))


def test_a_task_of_no_table_has_the_scorers_of_the_plug_in() -> None:
    found = compare_dialects(OWN, RECORDS)
    assert {name.partition(":")[0] for name in means(found)} == {"anls@1"}


def test_records_are_read_where_the_own_task_says() -> None:
    spec = {**OWN, "extends": "gsm8k@1", "score": "equal", "record": {"response": "out.text", "reference": "gold"}}
    records = [{"out": {"text": one["response"]}, "gold": one["reference"]} for one in RECORDS]
    found = compare_dialects(spec, records)
    assert means(found) == means(compare_dialects(OWN, RECORDS, "gsm8k"))
    assert {one["id"] for one in found.data["records"]} == {"record 1", "record 2", "record 3"}


def test_a_file_and_references_beside_it(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,response\n1,#### 72\n2,72\n")
    (tmp_path / "r.jsonl").write_text('{"id": 1, "reference": "#### 72"}\n{"id": 2, "reference": "#### 72"}\n')
    found = compare_dialects("gsm8k", tmp_path / "p.csv", references=tmp_path / "r.jsonl")
    assert means(found)["gsm8k@1"] == 0.5
    assert means(found)["gsm8k-lm-eval-flexible@1"] == 1.0


def test_a_row_that_is_no_record_has_no_score(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"response": "#### 72", "reference": "#### 72"}\nnot JSON\n')
    found = compare_dialects("gsm8k", tmp_path / "p.jsonl")
    assert means(found)["gsm8k@1"] == 1.0
    assert [one["id"] for one in found.data["records"]] == ["line 1"]


def test_any_tasks_can_be_named() -> None:
    found = compare_dialects(OWN, RECORDS, "gsm8k-lm-eval-strict@1, gsm8k")
    assert list(means(found))[:2] == ["gsm8k-lm-eval-strict@1", "gsm8k@1"]
    assert "strict-match" in found.data["dialects"][0]["doc"]
    other = compare_dialects(OWN, RECORDS, "coqa@1")
    assert [(one["name"], one["doc"]) for one in other.data["dialects"]] == [("coqa@1", "")]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("nosuch", "nothing called `nosuch` has dialects; names with dialects: .*gsm8k.*; packs: anls"),
        ("gsm8", "nothing called `gsm8` has dialects; did you mean `gsm8k`"),
        ("gsm8k,anls@1:anls", "can't be compared: some are tasks, others scorers of packs"),
    ],
)
def test_names_that_mean_nothing_are_refused_with_what_there_is(names: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_dialects(OWN, RECORDS, names)


def test_a_table_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "dialects.toml"
    path.write_text(
        '[sums]\ndoc = "On\\nsigns."\n[sums.dialects]\n"sums@1" = "ours"\n[sums.missing]\nsums-x = "a judge decides"\n'
        '[[sums.probes]]\nwhat = "a sign"\nprediction = "+1"\nreference = "1"\noptions = ["1", "2"]\n'
    )
    (table,) = task_dialects(path).values()
    assert isinstance(table, TaskDialects)
    assert (table.name, table.doc, table.tasks, table.missing) == (
        "sums",
        "On signs.",
        {"sums@1": "ours"},
        {"sums-x": "a judge decides"},
    )
    assert table.probes[0].record == {"response": "+1", "reference": "1", "options": ["1", "2"]}
    assert task_dialects(tmp_path / "nowhere.toml") == {}


def test_the_explanation_of_a_task_names_the_others() -> None:
    explained = scoring.explain("gsm8k-lm-eval-strict@1")
    assert explained.data["dialects"] == list(task_dialects()["gsm8k"].tasks)
    assert "--dialects` compares: gsm8k@1, gsm8k-lm-eval-flexible@1" in " ".join(explained.text().split())
    assert scoring.explain("coqa@1").data["dialects"] == []


def test_published_files_are_read_in_the_layout_of_the_task(tmp_path: Path) -> None:
    questions = [
        {"id": "q1", "answers": [{"text": "New York", "answer_start": 0}], "is_impossible": False},
        {"id": "q2", "answers": [], "is_impossible": True},
    ]
    data = [{"title": "t", "paragraphs": [{"context": "c", "qas": [{"question": "?", **one} for one in questions]}]}]
    (tmp_path / "dev.json").write_text(json.dumps({"version": "v2.0", "data": data}))
    (tmp_path / "predictions.json").write_text('{"q1": "New York New York", "q2": "unanswerable"}')
    found = compare_dialects("squad@2", tmp_path / "predictions.json", references=tmp_path / "dev.json")
    scores = {one["id"]: one["scores"] for one in found.data["records"]}
    assert scores["q1"]["squad@2"] == pytest.approx(2 / 3)
    assert scores["q1"]["squad-helm@1"] == 1.0
    assert (scores["q2"]["squad@2"], scores["q2"]["squad-inspect@1"], scores["q2"]["squad@1"]) == (0.0, 1.0, None)
