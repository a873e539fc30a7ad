"""`scoring check` with suites, and what they read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from tests.extensions.suites.world import DATA, make, rows

Capture = pytest.CaptureFixture[str]


def test_check_looks_into_the_tasks_of_a_suite(tmp_path: Path, capsys: Capture) -> None:
    path = make(tmp_path)
    assert main(["check", str(path)]) == 0
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nscore: equl\n")
    assert main(["check", str(path), "--format", "concise"]) == 1
    assert "tasks/sums.yaml:3:8: error[unknown-name]" in capsys.readouterr().out


def test_check_uses_the_dialect_that_it_is_given(tmp_path: Path, capsys: Capture) -> None:
    path = make(tmp_path)
    task = tmp_path / "tasks" / "chess" / "metrics.json"
    task.write_text(task.read_text().replace("exact_str_match", "nbbox_iou_tuple_or_fail"))  # upstream's name only
    assert main(["check", str(path), "--dialect", "megabench-upstream", "--format", "concise"]) == 0
    assert main(["check", str(path), "--format", "concise"]) == 1
    assert "nothing is called `mega.nbbox_iou_tuple_or_fail`" in capsys.readouterr().out


def test_check_goes_on_after_a_file_that_a_suite_misses(tmp_path: Path, capsys: Capture) -> None:
    path = make(tmp_path, attributes="./none.json")
    broken = tmp_path / "broken.yaml"
    broken.write_text("kind: task\nname: sums\nscore: equl\n")
    assert main(["check", str(path), str(broken), "--format", "concise"]) == 1
    shown = capsys.readouterr().out
    assert "error[no-such-file]" in shown
    assert "error[unknown-name]" in shown


def test_force_leaves_nothing_of_an_older_suite_run(tmp_path: Path, capsys: Capture) -> None:
    path, data, folder = make(tmp_path, export=["megabench"]), rows(tmp_path / "data.jsonl", DATA), tmp_path / "run"
    assert main(["score", str(path), str(data), "-o", str(folder)]) == 0
    assert (folder / "summary_and_keyword_stats.json").exists()
    task = str(tmp_path / "tasks" / "capitals.yaml")
    assert main(["score", task, str(data), "-o", str(folder), "--force"]) == 0
    assert sorted(file.name for file in folder.iterdir()) == [
        "manifest.json",
        "scores.jsonl",
        "summary.json",
        "texts.json",
    ]


def test_python_checks_the_tasks_of_a_suite(tmp_path: Path) -> None:
    path = make(tmp_path)
    assert scoring.specs.check_file(path) == ()
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nscore: equl\n")
    assert [found.id for found in scoring.specs.check_file(path)] == ["unknown-name"]


def test_groups_of_tasks_have_names_of_json(tmp_path: Path, capsys: Capture) -> None:
    areas = {"capitals": {"area": {"b": True, "a": [1]}}, "sums": {"area": [[1]]}}
    (tmp_path / "areas.json").write_text(json.dumps(areas))
    path, data = make(tmp_path, attributes="./areas.json", by=["area"]), rows(tmp_path / "data.jsonl", DATA)
    assert main(["score", str(path), str(data), "--json"]) == 0
    groups = [one["group"] for one in json.loads(capsys.readouterr().out)["by"]["area"]]
    assert groups == ["[1]", '{"a":[1],"b":true}', None]


def test_two_rows_that_differ_about_a_task_are_refused(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path), rows(tmp_path / "data.jsonl", DATA)
    twice = rows(tmp_path / "areas.jsonl", [{"task": "sums", "area": "x"}, {"task": "sums", "area": "y"}])
    assert main(["score", str(path), str(data), "--attributes", str(twice)]) == 2
    assert "two rows give `sums` different attributes, the second in line 2" in capsys.readouterr().err


def test_packed_files_in_a_folder_are_data_too(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "data"
    (folder / "sums").mkdir(parents=True)
    text = "".join(json.dumps(row) + "\n" for row in DATA if row["task"] == "sums").encode()
    (folder / "sums" / "answers.jsonl.gz").write_bytes(gzip.compress(text))
    (folder / "cooking.jsonl.gz").write_bytes(gzip.compress(text))
    assert main(["score", str(make(tmp_path)), str(folder), "--json", "--min-coverage", "0.2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [task["score"] for task in found["tasks"] if task["task"] == "sums"] == [0.5]
    assert found["inputs"]["unknown_tasks"] == {"count": 1, "examples": ["cooking.jsonl.gz"]}


def test_a_suite_is_locked_with_the_packs_of_its_tasks(tmp_path: Path, capsys: Capture) -> None:
    path, data = make(tmp_path), str(rows(tmp_path / "data.jsonl", DATA))
    assert main(["score", str(path), data, "--locked", "--format", "concise"]) == 1
    assert "suite.json has no lock file" in capsys.readouterr().err
    assert main(["lock", str(path)]) == 0
    lock = tmp_path / "suite.lock.json"
    assert "megabench" in json.loads(lock.read_text())["packs"]
    assert main(["score", str(path), data, "--locked"]) == 0
    lock.write_text(lock.read_text().replace('"version": "', '"version": "9.'))
    assert main(["check", str(path), "--locked", "--format", "concise"]) == 1
    assert "the lock says 9." in capsys.readouterr().out


def test_a_suite_uses_its_imports(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "one.yaml").write_text("kind: task\nname: a/b\nversion: 1.0.0\nscore: equal\n")
    suite = "kind: suite\nname: a/s\nversion: 1.0.0\nimports: {bench: mmesgbench@1}\ntasks: [./one.yaml]\n"
    (tmp_path / "suite.yaml").write_text(suite)
    main(["check", "--format", "concise", str(tmp_path / "suite.yaml")])
    assert "warning[unused-import] nothing uses the import `bench`" in capsys.readouterr().out


def test_a_finding_in_a_task_of_a_suite_has_the_path_from_here(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "suites" / "sub").mkdir(parents=True)
    (tmp_path / "suites" / "sub" / "one.yaml").write_text("kind: task\nname: a\nversion: 1.0.0\nscore: equl\n")
    (tmp_path / "suites" / "suite.yaml").write_text("kind: suite\nname: a/s\nversion: 1.0.0\ntasks: [./sub/one.yaml]\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--format", "concise", "suites/suite.yaml"]) == 1
    assert capsys.readouterr().out.startswith("suites/sub/one.yaml:4:8: error[unknown-name]")


def test_suites_are_compared_by_a_formula_over_their_tasks(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("kind: task\nname: one\nversion: 1.0.0\nscore: equal\n")
    spec = tmp_path / "suite.yaml"
    spec.write_text('kind: suite\nname: s\nversion: 1.0.0\ntasks: [one.yaml]\nmetrics: [{m: "mean(score) + 0"}]\n')
    for name, response in (("poor", "b"), ("good", "a")):
        records = [{"task": "one", "id": 1, "response": response, "reference": "a"}]
        scoring.evaluate(spec, records, output=tmp_path / name)
    found = scoring.compare(tmp_path / "poor", tmp_path / "good").to_json()
    assert (found["metric"], found["difference"]) == ("m", 1.0)
