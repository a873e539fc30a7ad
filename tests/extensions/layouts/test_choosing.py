"""The layout of files is chosen by what they hold, or by name; what fits none is told why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from tests.extensions.layouts.test_published import BFCL, BFCL_ANSWERS, BFCL_QUESTIONS, SQUAD, SQUAD_GOLD

LAYOUTS = {
    "first": {"data": "jsonl", "record": {"response": "said"}, "doc": "Of the server."},
    "second": {"data": "json,rows=*", "references": "jsonl", "record": {"id": "id || key", "response": "value"}},
}
TASK = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "layouts": LAYOUTS}


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    return path


def test_the_task_itself_is_tried_first(tmp_path: Path) -> None:
    notes: list[str] = []
    data = lines(tmp_path / "a.jsonl", {"id": 1, "response": "a", "said": "b", "reference": "a"})
    assert scoring.evaluate(TASK, data, on_note=notes.append).metrics == {"mean": 1.0}
    assert notes == []
    assert scoring.evaluate(TASK, data, layout="first", on_note=notes.append).metrics == {"mean": 0.0}


def test_the_first_layout_that_fits_is_used(tmp_path: Path) -> None:
    notes: list[str] = []
    data = lines(tmp_path / "a.jsonl", {"id": 1, "said": "a", "reference": "a"})
    assert scoring.evaluate(TASK, data, on_note=notes.append).metrics == {"mean": 1.0}
    assert notes == [f"{data} is read in the layout `first` of t (Of the server)"]
    (tmp_path / "b.json").write_text('{"x": "a", "y": "b"}')
    gold = lines(tmp_path / "g.jsonl", {"id": "x", "reference": "a"}, {"id": "y", "reference": "a"})
    assert scoring.evaluate(TASK, tmp_path / "b.json", references=gold).metrics == {"mean": 0.5}


def test_files_that_fit_none_are_told_which_were_tried_and_why_not(tmp_path: Path) -> None:
    data = lines(tmp_path / "a.jsonl", {"id": 1, "answer": "a", "reference": "a"})
    with pytest.raises(InputError) as found:
        scoring.evaluate(TASK, data)
    message = str(found.value)
    assert message.startswith(f"no layout of t fits {data}. Read as the task itself says: no record has `response`")
    assert (
        "in the layout `first` (Of the server): no record has `said`, where `record:` says that the response is"
        in message
    )
    assert "in the layout `second`: has the references in a file of their own: add --references FILE" in message


def test_a_file_that_is_not_there_is_told_as_that(tmp_path: Path) -> None:
    data = lines(tmp_path / "answers.jsonl", {"id": 1, "said": "a", "reference": "a"})
    for said, gold in ((tmp_path / "anwsers.jsonl", None), (data, tmp_path / "anwsers.jsonl")):
        with pytest.raises(InputError, match=r"^can't read .*anwsers\.jsonl: there is no such file; did you mean"):
            scoring.evaluate(TASK, said, references=gold)


def test_ids_that_never_meet_fit_none(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"x": "a"}')
    gold = lines(tmp_path / "g.jsonl", {"id": "y", "reference": "a"})
    with pytest.raises(InputError, match="in the layout `second`: no prediction"):
        scoring.evaluate(TASK, tmp_path / "b.json", references=gold)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "frist"}, "t has no layout `frist`; did you mean `first`? it has `first` and `second`"),
        ({"layout": "first", "input_format": "csv"}, "states the formats of the files; leave out --input-format"),
        ({"layout": "second"}, "the layout `second` has the references in a file of their own: add --references FILE"),
        ({"layout": "first", "references": "GOLD"}, "has the references in the data; leave out --references"),
    ],
)
def test_a_named_layout_is_taken_or_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    data = lines(tmp_path / "GOLD", {"id": 1, "said": "a", "reference": "a"})
    if "references" in options:
        options = {**options, "references": data}
    with pytest.raises(InputError) as found:
        scoring.evaluate(TASK, data, **options)
    assert message in str(found.value)


def test_a_task_without_layouts_says_so(tmp_path: Path) -> None:
    data = lines(tmp_path / "a.jsonl", {"id": 1, "response": "a", "reference": "a"})
    with pytest.raises(InputError, match="t has no layout `official`; it names none"):
        scoring.evaluate({**TASK, "layouts": {}}, data, layout="official")


def test_a_stated_format_and_data_in_memory_are_read_as_the_task_says(tmp_path: Path) -> None:
    rows = [{"id": 1, "said": "a", "reference": "a"}]
    data = lines(tmp_path / "a.jsonl", *rows)
    with pytest.raises(SpecError, match="no record has `response`"):
        scoring.evaluate(TASK, data, input_format="jsonl")
    with pytest.raises(SpecError, match="no record has `response`"):
        scoring.evaluate(TASK, rows)


def test_layouts_are_checked_with_the_spec() -> None:
    for layouts, message in [
        ({"a": {"data": "jsn"}}, "unknown kind of file `jsn`"),
        ({"a": {"data": "json,row=*"}}, "`row=*` is not a setting of the format `json`; it has `rows`"),
        ({"a": {"formats": "json"}}, "unknown key `formats`"),
        ({"a": {"record": {"response": "a |"}}}, "a |"),
    ]:
        with pytest.raises(SpecError) as found:
            scoring.load({**TASK, "layouts": layouts})
        assert message in str(found.value)
    with pytest.raises(SpecError, match="`layouts`"):
        scoring.load({"kind": "task", "records": "detection", "name": "t", "version": "1.0.0", "layouts": LAYOUTS})


def test_a_task_that_extends_another_has_its_layouts(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(SQUAD))
    (tmp_path / "g.json").write_text(json.dumps(SQUAD_GOLD))
    task = {"kind": "task", "name": "mine", "version": "1.0.0", "extends": "squad@2", "metrics": ["mean"]}
    run = scoring.evaluate(task, tmp_path / "p.json", references=tmp_path / "g.json", output=tmp_path / "run")
    assert run.metrics == pytest.approx({"mean": (1 + 1 + 2 / 3) / 3})
    assert scoring.runs.verify(tmp_path / "run").passed


def test_imports_by_path_are_found_from_the_task(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: casefold | equal}\n")
    task = {**TASK, "imports": {"p": "./pack.yaml"}, "score": "p.same"}
    (tmp_path / "task.json").write_text(json.dumps(task))
    data = lines(tmp_path / "a.jsonl", {"id": 1, "said": "A", "reference": "a"})
    run = scoring.evaluate(tmp_path / "task.json", data, output=tmp_path / "run")
    assert run.metrics == {"mean": 1.0}
    assert scoring.runs.verify(tmp_path / "run").passed
    assert scoring.runs.bundle(tmp_path / "run", tmp_path / "run.zip")
    assert scoring.runs.verify(tmp_path / "run.zip").passed


def test_one_record_is_explained_in_its_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = lines(tmp_path / "a.jsonl", {"id": 1, "said": "a", "reference": "a"})
    (tmp_path / "task.json").write_text(json.dumps(TASK))
    assert main(["explain", str(tmp_path / "task.json"), str(data), "--record", "1"]) == 0
    assert "1.0000" in capsys.readouterr().out
    assert main(["explain", str(tmp_path / "task.json"), str(data), "--layout", "frist"]) == 2
    assert "did you mean `first`" in capsys.readouterr().err


# ---- references in several files


def test_a_row_of_each_file_makes_one_reference(tmp_path: Path) -> None:
    answers, questions = lines(tmp_path / "a", *BFCL_ANSWERS), lines(tmp_path / "q", *BFCL_QUESTIONS)
    run = scoring.evaluate("bfcl-simple", lines(tmp_path / "r", *BFCL), references=[answers, questions])
    assert run.metrics == {"mean": 0.5}
    assert [entry["role"] for entry in run.inputs] == ["predictions", "references", "references"]


def test_parts_that_contradict_one_another_are_told(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "t", "score": "equal"}
    said = lines(tmp_path / "s", {"id": 1, "response": "a"}, {"id": 2, "response": "b"})
    one = lines(tmp_path / "one", {"id": 1, "reference": "a"}, {"id": 2, "reference": "b"})
    other = lines(tmp_path / "other", {"id": 1, "reference": "b"}, {"id": 2, "note": "x"})
    run = scoring.evaluate(task, said, references=[one, other])
    assert run.coverage == 0.5
    assert run.records[0].reason.startswith("two different references for this id")


def test_a_bad_row_of_a_part_loses_nothing(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "t", "score": "equal"}
    said = lines(tmp_path / "s", {"id": 1, "response": "a"})
    one, other = lines(tmp_path / "one", {"id": 1, "reference": "a"}), tmp_path / "other"
    other.write_text('{"id": 1, "note": 2\n{"note": 3}\n')
    run = scoring.evaluate(task, said, references=[one, other])
    assert [record.status for record in run.records] == ["scored", "unscored", "unscored"]


def test_several_files_are_for_records_alone(tmp_path: Path) -> None:
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    task: dict[str, Any] = {"kind": "task", "records": "detection", "name": "t", "imports": {"coco": "coco@1"}}
    task["metrics"] = ["coco.statistics"]
    with pytest.raises(InputError, match="takes one file or folder of references, not 2"):
        scoring.evaluate(task, paths[0], references=paths)


def test_a_moved_file_of_several_is_named_with_the_root(tmp_path: Path) -> None:
    answers, questions = lines(tmp_path / "a", *BFCL_ANSWERS), lines(tmp_path / "q", *BFCL_QUESTIONS)
    scoring.evaluate(
        "bfcl-simple", lines(tmp_path / "r", *BFCL), references=[answers, questions], output=tmp_path / "run"
    )
    with pytest.raises(InputError, match="several files of references; say with --root where they are"):
        scoring.runs.verify(tmp_path / "run", references=answers)
    questions.write_text("")
    found = scoring.runs.verify(tmp_path / "run")
    assert not found.passed


# ---- several answers to one record


def test_samples_are_records_of_their_own(tmp_path: Path) -> None:
    task = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal", "answers": "many"}
    said = [{"id": 1, "response": "a"}, {"id": 1, "response": "b"}, {"id": 2, "response": "a"}]
    gold = [{"id": 1, "reference": "a"}, {"id": 2, "reference": "a"}, {"id": 3, "reference": "a"}]
    run = scoring.evaluate(task, said, references=gold)
    assert [(record.id, record.score) for record in run.records] == [(1, 1.0), (1, 0.0), (2, 1.0), (3, None)]
    assert "repeated_predictions" not in run.summary["inputs"]
    once = scoring.evaluate({**task, "answers": "one"}, said, references=gold)
    assert [record.score for record in once.records] == [1.0, 1.0, None]
    assert once.summary["inputs"]["repeated_predictions"]["count"] == 1


def test_samples_in_one_file_are_no_repeated_ids() -> None:
    task = {"kind": "task", "name": "t", "score": "equal", "answers": "many"}
    rows = [{"id": 1, "response": "a", "reference": "a"}] * 2
    assert "repeated_ids" not in scoring.evaluate(task, rows).summary["inputs"]
    assert scoring.evaluate({**task, "answers": "one"}, rows).summary["inputs"]["repeated_ids"]["count"] == 1


def test_no_run_replaces_the_task_that_it_reads_in_a_layout(tmp_path: Path) -> None:
    data = lines(tmp_path / "a.jsonl", {"id": 1, "said": "a", "reference": "a"})
    scoring.evaluate(TASK, data, output=tmp_path / "run")
    (tmp_path / "run" / "summary.json").write_text(json.dumps(TASK))
    with pytest.raises(InputError, match="which the run reads"):
        scoring.evaluate(tmp_path / "run" / "summary.json", data, output=tmp_path / "run", force=True)
