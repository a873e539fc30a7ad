"""Comparisons of stored runs: stages, fields, reasons, clusters; the same for both layouts of scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.errors import InputError
from scoring.extensions.comparison.documents.comparison import comparison_document
from scoring.extensions.comparison.runs.comparison import RunDraws, compare_runs, differences
from scoring.extensions.comparison.runs.properties import differing_properties
from scoring.extensions.verification.read import StoredRun, read_run
from scoring.extensions.verification.verification import verify_rescored
from scoring.report.style import Style
from scoring.report.text import render_text

SPEC = {
    "kind": "task",
    "name": "t",
    "parse": "json",
    "fields": {"a": "equal", "b": {"score": "equal", "weight": 3}},
    "by": ["doc"],
}
REFERENCE = {"a": 1, "b": 2}


def stored(folder: Path, responses: dict[str, str], layout: str = "jsonl", **changes: Any) -> StoredRun:
    records = [{"id": key, "response": text, "reference": REFERENCE, "doc": key[0]} for key, text in responses.items()]
    scoring.load({**SPEC, **changes}).evaluate(records).write(folder, layout=layout)
    return read_run(str(folder))


RIGHT, WRONG = '{"a": 1, "b": 2}', '{"a": 1, "b": 0}'


@pytest.mark.parametrize("layout", ["jsonl", "parquet"])
def test_each_change_has_the_first_stage_at_which_the_runs_part(tmp_path: Path, layout: str) -> None:
    if layout == "parquet":
        pytest.importorskip("pyarrow")
    first = stored(tmp_path / "a", {"x1": RIGHT, "x2": RIGHT, "y1": WRONG, "y2": RIGHT}, layout)
    second = stored(tmp_path / "b", {"x1": RIGHT, "x2": "oops", "y1": RIGHT, "z9": RIGHT}, layout)
    found = compare_runs(first, second)
    assert {flip["id"]: (flip["kind"], flip["stage"]) for flip in found["flips"]} == {
        "x2": ("vanished", "parse"),
        "y1": ("better", "answer"),
        "y2": ("vanished", "record"),
        "z9": ("appeared", "record"),
    }
    assert found["stages"] == {"answer": 1, "parse": 1, "record": 2}
    (lost,) = [flip for flip in found["flips"] if flip["id"] == "x2"]
    assert lost["reasons"][0] is None
    assert "no JSON object" in lost["reasons"][1]
    assert found["fields"] == [
        {"field": "a", "records": 2, "first": 1.0, "second": 1.0, "changed": 0},
        {"field": "b", "records": 2, "first": 0.5, "second": 1.0, "changed": 1},
    ]


def test_the_same_answers_can_be_scored_or_joined_otherwise(tmp_path: Path) -> None:
    answers = {"x1": RIGHT, "x2": WRONG}
    first = stored(tmp_path / "a", answers)
    joined = stored(tmp_path / "b", answers, aggregate="min(a, b)")
    scored = stored(tmp_path / "c", answers, fields={"a": "equal", "b": {"score": "equal | invert", "weight": 3}})
    assert [flip["stage"] for flip in compare_runs(first, joined)["flips"]] == ["aggregate"]
    assert [flip["stage"] for flip in compare_runs(first, scored)["flips"]] == ["scoring", "scoring"]
    assert any(line.startswith("meaning: ") for line in differences(first, joined))


def test_another_release_of_a_library_is_said_and_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, near = {"x1": RIGHT, "x2": WRONG}, {"a": "equal", "b": "to_text | levenshtein"}
    first = stored(tmp_path / "a", answers, fields=near)
    monkeypatch.setattr("scoring.compiler.identity.signature.library_version", lambda name: "1.2.3")
    second = stored(tmp_path / "b", answers, fields=near)
    found = compare_runs(first, second)
    assert found["not_comparable"] == []
    (line,) = found["environments"]
    assert line.startswith("rapidfuzz ")
    assert line.endswith(" and 1.2")
    found["differs"] = differing_properties([first, second], [None, None])
    assert "made with" in render_text(comparison_document(found), Style(False))
    assert verify_rescored(first, second).signature is None


def before(folder: Path, run: StoredRun) -> StoredRun:
    """A run as it was written before signatures had two parts, and folders a seal."""
    path, summary = folder / "manifest.json", folder / "summary.json"
    data = json.loads(path.read_text())
    digest = data["digests"]["spec"][:8]
    data |= {"signature": f"t@0|spec:{digest}|scoring:0.0.9|numpy:1.26|seed:0", "format": 1}
    new = ("meaning", "env", "files", "records", "seal")
    path.write_text(json.dumps({name: value for name, value in data.items() if name not in new}))
    summary.write_text(json.dumps({**json.loads(summary.read_text()), "signature": data["signature"]}))
    return read_run(str(folder))


def test_runs_of_before_are_known_by_their_files(tmp_path: Path) -> None:
    answers = {"x1": RIGHT, "x2": WRONG}
    now = stored(tmp_path / "a", answers)
    old = before(tmp_path / "b", stored(tmp_path / "b", answers))
    assert (old.signature.meaning, old.signature.env) == ("", "")
    assert differences(old, now) == []
    assert verify_rescored(old, now).same
    other = before(tmp_path / "c", stored(tmp_path / "c", answers, on_unparsed="zero"))
    assert [line.partition(":")[0] for line in differences(other, now)] == ["spec"]
    assert verify_rescored(other, now).signature is not None


def test_the_spec_decides_about_clusters_and_the_level(tmp_path: Path) -> None:
    answers = {f"{letter}{number}": WRONG if letter == "q" else RIGHT for letter in "pqr" for number in range(6)}
    better = dict.fromkeys(answers, RIGHT)
    intervals = {"cluster": "doc", "confidence": 0.8}
    first, second = (
        stored(tmp_path / name, some, intervals=intervals) for name, some in (("a", answers), ("b", better))
    )
    found = compare_runs(first, second)
    assert (found["cluster"], found["interval"]["confidence"], found["interval"]["units"]) == ("doc", 0.8, 3)
    assert found["p_value"] == 1.0  # one of three documents changed
    other = compare_runs(first, second, RunDraws.of((first, second), confidence=0.9, resamples=500, seed=1))
    assert (other["interval"]["confidence"], other["interval"]["method"]) == (0.9, "paired")
    with pytest.raises(InputError, match=r"no record has the attribute docs; the runs have doc"):
        compare_runs(first, second, RunDraws.of((first, second), cluster="docs"))


def test_the_order_of_the_records_changes_nothing(tmp_path: Path) -> None:
    answers = {f"d{number}": RIGHT if number % 3 else WRONG for number in range(30)}
    better = {key: RIGHT if index % 5 else WRONG for index, key in enumerate(answers)}
    one = compare_runs(stored(tmp_path / "a", answers), stored(tmp_path / "b", better))
    mixed = dict(reversed(answers.items()))
    other = compare_runs(stored(tmp_path / "c", mixed), stored(tmp_path / "d", dict(reversed(better.items()))))
    for data in (one, other):
        data.pop("runs")
    assert one == other


def test_the_range_of_the_scores_bounds_how_far_a_change_may_go(tmp_path: Path) -> None:
    """Two runs that agree: of scores from 0 to 3 the next may differ by three times as much as of those from 0 to 1."""
    answers = dict.fromkeys([f"x{number}" for number in range(20)], RIGHT)
    widths = []
    for name, changes in (("one", {}), ("three", {"aggregate": "2 * a + b"})):
        first, second = (stored(tmp_path / name / side, answers, **changes) for side in "ab")
        found = compare_runs(first, second)
        assert found["interval"]["low"] == -found["interval"]["high"]
        widths.append(found["interval"]["high"])
    assert widths[1] == pytest.approx(3 * widths[0])


def test_a_suite_knows_how_far_the_scores_of_its_tasks_lie_apart(tmp_path: Path) -> None:
    head, spec = "version: 1.0.0\n", "parse: json\nfields: {a: levenshtein}\naggregate: 3 * a\n"
    (tmp_path / "task.yaml").write_text(f"kind: task\nname: one\n{head}{spec}")
    (tmp_path / "suite.yaml").write_text(f"kind: suite\nname: s\n{head}tasks: task.yaml\ndata: {{task: task}}\n")
    found = []
    for spec in ("task", "suite"):
        for run, last in (("first", "aaax"), ("second", "aaaa")):  # one score of 24 changes, by 0.75
            records = [
                {"task": "one", "id": n, "response": {"a": "aaaa" if n else last}, "reference": {"a": "aaaa"}}
                for n in range(24)
            ]
            (tmp_path / "data.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
            folder = str(tmp_path / f"{spec}-{run}")
            scoring.evaluate(str(tmp_path / f"{spec}.yaml"), str(tmp_path / "data.jsonl"), output=folder)
        found.append(
            scoring.compare(*(str(tmp_path / f"{spec}-{run}") for run in ("first", "second"))).data["interval"]
        )
    alone, of_tasks = found
    assert (alone["units"], of_tasks["units"]) == (24, 1)  # a suite's figure is over its tasks
    assert -3.0 < of_tasks["low"] < -1.0 < alone["low"]
    assert 1.0 < of_tasks["high"] < 3.0


def test_figures_of_formulas_stand_in_both_runs_and_more_of_a_distance_is_worse(tmp_path: Path) -> None:
    task = scoring.load(
        {
            "kind": "task",
            "name": "wer",
            "values": {"said": "prediction | words", "right": "reference | words"},
            "fields": {"edits": {"prediction": "said", "reference": "right", "score": "item_edits"}},
            "metrics": [{"wer": "sum(edits) / sum(length(right))"}],
        }
    )
    for name, said in (("one", "a b"), ("two", "a b c")):
        records = [{"id": place, "response": said, "reference": "a b"} for place in range(4)]
        task.evaluate(records).write(tmp_path / name)
    data = scoring.compare(tmp_path / "one", tmp_path / "two").to_json()
    (figure,) = data["formulas"]
    assert (figure["metric"], figure["first"]["value"], figure["second"]["value"]) == ("wer", 0.0, 0.5)
    assert (data["metric"], data["first"], data["second"]) == ("wer", 0.0, 0.5)
    text = render_text(comparison_document(data), Style())
    assert "0 better · 4 worse" in text
    assert "higher" not in text
