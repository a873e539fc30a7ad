"""What differs between runs beside their answers, and whether it can move the difference of their figures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.engine.runs.manifest import sealed
from tests.extensions.columns.test_signatures_of_data import CELLS, TASK, printed, scored
from tests.support.golden import REPOSITORY

SPEC = "kind: task\nname: t\nversion: 1.0.0\nscore: equal\nby: [doc]\n"
ROWS = [{"id": place, "response": "a", "reference": "a", "doc": place % 2} for place in range(4)]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("task.yaml").write_text(SPEC)
    write("one.jsonl", ROWS)
    scoring.evaluate("task.yaml", "one.jsonl", output="one")
    return tmp_path


def write(name: str, rows: list[dict[str, Any]]) -> str:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return name


def differs(*runs: str, **how: Any) -> dict[str, tuple[str, str]]:
    found = scoring.compare(*runs, **how).to_json()["differs"]
    assert all(len(row["values"]) == len(runs) for row in found)
    return {row["what"]: (row["moves"], row["why"]) for row in found}


def changed_manifest(source: str, target: str, change: Callable[[dict[str, Any]], None]) -> str:
    """A copy of a run with another manifest, sealed as it would be."""
    shutil.copytree(source, target)
    path = Path(target, "manifest.json")
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(scoring.api.dumps_pretty(sealed(manifest)))
    return target


def test_the_same_run_differs_in_nothing() -> None:
    assert differs("one", "one") == {}
    assert differs("one", "one", "one") == {}


def test_other_answers_are_what_is_compared() -> None:
    write("two.jsonl", [{**row, "response": "b"} for row in ROWS])
    scoring.evaluate("task.yaml", "two.jsonl", output="two")
    assert differs("one", "two") == {"data": ("yes", "it is what is compared")}


def test_other_references_are_seen_though_they_stand_in_the_same_rows() -> None:
    rows = [{**row, "reference": "b"} if row["id"] in (1, 3) else row for row in ROWS]
    write("two.jsonl", rows[1:])
    scoring.evaluate("task.yaml", "two.jsonl", output="two")
    assert differs("one", "two")["references"] == ("yes", "2 of 3 records in all runs have another reference")
    assert "2 of 3 records in all runs have another reference" in scoring.compare("one", "two").text()


def test_references_of_a_file_of_their_own_are_seen() -> None:
    answers = write("answers.jsonl", [{"id": row["id"], "response": "a", "doc": 1} for row in ROWS])
    gold = write("gold.jsonl", [{"id": row["id"], "reference": "a"} for row in ROWS])
    mended = write("mended.jsonl", [{"id": row["id"], "reference": "a" if row["id"] else "b"} for row in ROWS])
    spaced = write("spaced.jsonl", [{"reference": "a", "id": row["id"]} for row in ROWS])
    for references, name in ((gold, "gold"), (mended, "mended"), (spaced, "spaced")):
        scoring.evaluate("task.yaml", answers, references=references, output=name)
    assert differs("gold", "mended") == {"references": ("yes", "1 of 4 records in all runs have another reference")}
    assert differs("gold", "spaced") == {"references": ("no", "all records that are compared have the same ones")}
    Path("gold.jsonl").unlink()
    assert differs("gold", "mended")["references"] == ("can", "it is not known whether records have other references")
    assert "gold.jsonl (references) is gone" in scoring.compare("gold", "mended").text("html")


def test_references_of_suites_and_merged_runs_are_seen(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "specs" / "examples" / "suite", "suite")
    rows = [json.loads(line) for line in Path("suite/predictions.jsonl").read_text().splitlines()]
    scoring.evaluate("suite/suite.yaml", "suite/predictions.jsonl", output="desk")
    key = next(name for name in ("reference", "gold", "correct_answer") if name in rows[0])
    write("suite/other.jsonl", [{**rows[0], key: "else"}, *rows[1:]])
    scoring.evaluate("suite/suite.yaml", "suite/other.jsonl", output="other")
    assert differs("desk", "other")["references"][1].startswith("1 of ")
    for number, half in enumerate((ROWS[:2], ROWS[2:]), start=1):
        half = [{**row, "reference": "b"} for row in half]
        scoring.evaluate("task.yaml", write(f"half{number}.jsonl", half), parts="parts", part=f"{number}/2")
    scoring.runs.merge("parts", "merged")
    assert differs("one", "merged")["references"] == ("yes", "4 of 4 records in all runs have another reference")


def test_what_was_in_memory_says_nothing_of_its_references() -> None:
    run = scoring.load("task.yaml").evaluate(ROWS)
    found = scoring.compare("one", run).to_json()["differs"]
    assert {row["what"]: row["moves"] for row in found} == {"data": "yes", "references": "can"}


def test_limits_seeds_and_breakdowns_move_nothing() -> None:
    scoring.evaluate("task.yaml", "one.jsonl", output="two", limit=2, seed=4, by=["reference"])
    found = differs("one", "two")
    assert {what: moves for what, (moves, _) in found.items()} == {
        "limit": "no",
        "by": "no",
        "seed": "no",
        "records": "no",
    }


def test_releases_and_revisions_are_seen() -> None:
    def older(manifest: dict[str, Any]) -> None:
        manifest["versions"] |= {"scoring": "0.0.1", "numpy": "1.0"}
        manifest["spec"]["primitives"][0]["revision"] = 7
        manifest["spec"]["primitives"][1]["distribution"] = "other@1.0"

    found = differs("one", changed_manifest("one", "old", older))
    assert found["version of scoring"] == ("can", "scores are computed with it")
    assert found["version of numpy"] == ("can", "data are read and counted with it")
    assert found["primitive comparator equal"] == ("yes", "another revision scores differently")
    assert [moves for name, (moves, _) in found.items() if name.startswith("plug-in of ")] == ["can"]


def test_another_spelling_of_the_spec_means_the_same() -> None:
    Path("task.yaml").write_text(f"# Said again.\n{SPEC}doc: A task.\n")
    scoring.evaluate("task.yaml", "one.jsonl", output="two")
    assert differs("one", "two") == {"spec": ("no", "the same numbers come out: it means the same")}
    Path("task.yaml").write_text(SPEC.replace("equal", "casefold | equal"))
    scoring.evaluate("task.yaml", "one.jsonl", output="three")
    with pytest.raises(scoring.runs.NotComparable):
        scoring.compare("one", "three")
    found = differs("one", "three", force=True)
    assert found["meaning"][0] == "yes"
    assert found["spec"][0] == "can"


def test_a_folder_that_was_changed_is_refused_and_then_said() -> None:
    shutil.copytree("one", "two")
    Path("two/notes.txt").write_text("mine")
    with pytest.raises(scoring.runs.NotComparable, match=r"after it was written; two: notes\.txt is not a file"):
        scoring.compare("one", "two")
    assert differs("one", "two", force=True) == {"folder": ("yes", "it was changed afterwards")}


def test_references_of_images_are_their_files(desk: Path) -> None:
    shutil.copytree(REPOSITORY / "specs" / "examples" / "detection", "images")
    given = ("images/task.yaml", "images/results.json")
    scoring.evaluate(*given, references="images/instances.json", output="first")
    truth = json.loads(Path("images/instances.json").read_text())
    truth["annotations"][0]["bbox"][0] += 1
    Path("images/other.json").write_text(json.dumps(truth))
    scoring.evaluate(*given, references="images/other.json", output="second")
    assert differs("first", "second", resamples=200) == {
        "references": ("yes", "answers are compared with other references")
    }


def test_a_figure_that_two_specs_define_differently_is_that_of_each() -> None:
    rows = [{"id": at, "response": "ab"[at % 2], "reference": "a"} for at in range(6)] + [ROWS[0] | {"id": 6}]
    write("rows.jsonl", rows)
    formulas = {"right": "sum(score) / count(score)", "wrong": "1 - sum(score) / count(score)"}
    values: dict[str, Any] = {}
    for name, formula in formulas.items():
        spec = {"kind": "task", "name": "t", "score": "equal", "metrics": [{"f": formula}]}
        values[name] = scoring.evaluate(spec, "rows.jsonl", output=name).metrics["f"]
    for first, second in (("right", "wrong"), ("wrong", "right")):
        found = scoring.compare(first, second, metric="f", force=True).to_json()
        assert found["difference"] == pytest.approx(values[second] - values[first])


def test_settings_of_formats_are_among_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TASK)
    Path("rows.csv").write_text(CELLS)
    scored("usual")
    scored("text", "--input-format", "csv,empty=text")
    _, told = printed(capsys, "compare", "usual", "text", "--force")
    assert "format" in told
    assert "the same file is read as other records" in told
    found = scoring.compare("usual", "text", force=True).data["differs"]
    assert [row["moves"] for row in found if row["what"] == "format"] == ["yes"]
    assert all(row["moves"] != "no" for row in found if row["what"] == "task")
