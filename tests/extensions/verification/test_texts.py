"""A run goes by the texts in its own folder: what was compiled, each text once, and nothing that a stranger made up."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from copy import deepcopy as copy
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.api import running
from scoring.cli.main import main
from scoring.data.json_write import dumps_pretty
from scoring.engine.road import checkpoint
from scoring.engine.runs import texts as texts_file
from scoring.engine.runs.manifest import sealed
from scoring.extensions.verification import texts as texts_read
from tests.support.golden import REPOSITORY

PACK = "kind: pack\nname: close\nversion: 1.0.0\nscorers: {near: levenshtein | at_least(0.8)}\n"
TASK = "kind: task\nname: t\nversion: 1.0.0\nimports: {close: ./close.yaml}\nscore: close.near\n"
RECORDS = '{"id": 1, "response": "abcdefgh1", "reference": "abcdefgh2"}\n{"id": 2, "response": "a", "reference": "b"}\n'
RUN = Path("run")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task with a pack of its own, and data."""
    monkeypatch.chdir(tmp_path)
    Path("close.yaml").write_text(PACK)
    Path("t.yaml").write_text(TASK)
    Path("d.jsonl").write_text(RECORDS)
    return tmp_path


def texts(folder: Path = RUN) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return found


def inputs(folder: Path = RUN) -> dict[str, str]:
    """The digests of the inputs of a run by their names."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {entry["name"]: entry["sha256"] for entry in manifest["inputs"]}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sealed_again(content: bytes) -> None:
    """Put another file of texts into the run, with all digests computed anew, as a forger would."""
    (RUN / "texts.json").write_bytes(content)
    manifest = json.loads((RUN / "manifest.json").read_text())
    manifest["files"]["texts.json"] = hashlib.sha256(content).hexdigest()
    (RUN / "manifest.json").write_text(dumps_pretty(sealed(manifest)))


# ---- what is stored is what was compiled


def test_a_spec_and_a_pack_that_are_edited_while_a_run_goes_on_are_recorded_as_compiled(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited(*given: Any) -> Any:
        Path("t.yaml").write_text(TASK.replace("close.near", "equal").replace("imports: {close: ./close.yaml}\n", ""))
        Path("close.yaml").unlink()
        return check(*given)

    check = running._check_data
    monkeypatch.setattr(running, "_check_data", edited)  # once the spec is compiled, before anything is scored
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    monkeypatch.undo()
    monkeypatch.chdir(desk)
    assert set(texts()["texts"].values()) == {TASK, PACK}
    assert inputs()["t.yaml"] == sha256(TASK)
    assert scoring.runs.verify("run").same


def test_a_task_that_was_loaded_before_it_was_edited_is_recorded_as_loaded(desk: Path) -> None:
    task = scoring.load("t.yaml")
    Path("t.yaml").write_text("kind: task\nname: t\nscore: equal\n")
    task.evaluate("d.jsonl", output="run")
    assert inputs()["t.yaml"] == sha256(TASK)
    told: list[str] = []
    assert scoring.runs.verify("run", on_note=told.append).same
    assert told == ["t.yaml (spec) is not the file that was scored; the run is scored again from its own texts"]
    Path("t.yaml").unlink()
    assert scoring.runs.verify("run", on_note=told.append).same
    assert len(told) == 1


def test_a_task_of_a_suite_that_is_edited_before_it_is_scored_is_recorded_as_compiled(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited(*given: Any) -> Any:
        Path("t.yaml").write_text("kind: task\nname: t\nscore: equal\n")
        return check(*given)

    Path("s.yaml").write_text("kind: suite\nname: s\ntasks: [t.yaml]\n")
    Path("d.jsonl").write_text(RECORDS.replace('{"id"', '{"task": "t", "id"'))
    check = running._check_data
    monkeypatch.setattr(running, "_check_data", edited)
    scoring.evaluate("s.yaml", "d.jsonl", output="run")
    assert inputs()["t.yaml"] == sha256(TASK)
    monkeypatch.undo()
    monkeypatch.chdir(desk)
    assert scoring.runs.verify("run").same


def test_a_task_that_travelled_makes_a_run_that_comes_out_again(desk: Path) -> None:
    Path("t.yaml").write_text(f"{TASK}by: [own]\n")
    Path("d.jsonl").write_text(RECORDS.replace("}", ', "own": "x", "more": "y"}'))
    task = scoring.load("t.yaml", by=["more"], seed=7)
    for name, one in {"here": task, "there": scoring.Task.from_bytes(task.to_bytes()), "copy": copy(task)}.items():
        one.evaluate("d.jsonl", output=name)
        assert scoring.runs.verify(name).same, name
    summaries = {Path(name, "summary.json").read_bytes() for name in ("here", "there", "copy")}
    assert len(summaries) == 1


def test_labels_of_a_file_are_read_once(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(REPOSITORY / "specs" / "examples" / "detection", desk / "images")
    spec = Path("images/task.yaml")
    listed = sorted({one["name"] for one in json.loads(Path("images/instances.json").read_text())["categories"]})
    spec.write_text(spec.read_text() + "labels: labels.txt\n")
    Path("images/labels.txt").write_text("\n".join(listed))
    task = scoring.load("images/task.yaml")
    Path("images/labels.txt").write_text("nothing\n")
    run = task.evaluate("images/results.json", references="images/instances.json", output="run")
    assert texts()["spec"]["labels"] == listed
    assert run.signature == task.signature
    Path("images/labels.txt").unlink()
    assert scoring.runs.verify("run").same


def test_a_text_stands_once_whoever_imports_it(desk: Path) -> None:
    Path("tasks").mkdir()
    for number in range(5):
        text = TASK.replace("name: t", f"name: t{number}").replace("./close", "../close")
        Path(f"tasks/t{number}.yaml").write_text(text)
    Path("s.yaml").write_text("kind: suite\nname: s\ntasks: tasks\n")
    lines = [json.dumps({**json.loads(line), "task": f"t{n}"}) for n in range(5) for line in RECORDS.splitlines()]
    Path("all.jsonl").write_text("\n".join(lines) + "\n")
    scoring.evaluate("s.yaml", "all.jsonl", output="run")
    assert len(texts()["tasks"]) == 5
    assert sorted(texts()["texts"]) == sorted({*map(sha256, texts()["texts"].values())})
    assert list(texts()["texts"].values()).count(PACK) == 1
    assert len(texts()["texts"]) == 7
    for name in ("tasks", "close.yaml", "s.yaml"):
        shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink()
    assert scoring.runs.verify("run").same


@pytest.mark.parametrize("text", [f"\ufeff{TASK}", TASK.replace("\n", "\r\n"), TASK.rstrip("\n"), f"{TASK}# ü\t\n"])
def test_a_text_is_kept_to_the_byte(desk: Path, text: str) -> None:
    Path("t.yaml").write_bytes(text.encode())
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    assert inputs()["t.yaml"] == sha256(text)
    assert texts()["texts"][sha256(text)] == text
    assert scoring.runs.verify("run").same


def test_no_project_of_this_machine_has_a_say(desk: Path) -> None:
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    Path("scoring.lock").write_text("[[[")
    with pytest.raises(scoring.SpecError):
        scoring.evaluate("t.yaml", "d.jsonl", output="other")
    assert scoring.runs.verify("run").same
    scoring.runs.bundle("run", "x.zip")
    assert scoring.runs.verify("x.zip").same


def test_a_shipped_pack_and_a_shipped_suite_are_kept_too(desk: Path) -> None:
    shipped = REPOSITORY / "specs" / "anls" / "pack.yaml"
    Path("t.yaml").write_text("kind: task\nname: t\nimports: {anls: anls@1}\nscore: anls.anls\n")
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    assert shipped.read_text(encoding="utf-8") in texts()["texts"].values()
    results = REPOSITORY / "specs" / "examples" / "suite" / "task_results.json"
    shutil.copy(results, "results.json")
    scoring.evaluate("megabench-suite", results="results.json", output="suite")
    suite = REPOSITORY / "specs" / "megabench-suite" / "suite.yaml"
    assert suite.read_text(encoding="utf-8") in texts(Path("suite"))["texts"].values()
    shutil.move("results.json", desk / "run")
    assert scoring.runs.verify("suite", root="run").same


# ---- runs that were stopped, and runs in parts


def test_a_run_that_goes_on_with_other_words_says_so_and_is_recorded_as_made_of_them(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*given: Any) -> None:
        keep(*given)
        raise KeyboardInterrupt

    Path("d.jsonl").write_text("".join(RECORDS for _ in range(200)))
    score, keep = ["score", "t.yaml", "d.jsonl", "-o", "run"], checkpoint.Checkpointer.keep
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(checkpoint.Checkpointer, "keep", stopped)
    assert main(score) == 130
    monkeypatch.setattr(checkpoint.Checkpointer, "keep", keep)
    capsys.readouterr()
    Path("t.yaml").write_text(f"# A comment.\n{TASK}")
    assert main(score) == 0
    assert "the spec was edited since this run was stopped; it means the same" in capsys.readouterr().err
    assert sha256(f"# A comment.\n{TASK}") in texts()["texts"]
    assert scoring.runs.verify("run").same


def test_a_folder_of_parts_keeps_the_texts_of_its_first_part(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("e.jsonl").write_text(RECORDS.replace('"id": ', '"id": 1'))
    assert main(["score", "t.yaml", "d.jsonl", "--parts", "parts", "--part", "1/2"]) == 0
    Path("t.yaml").write_text(f"# A comment.\n{TASK}")
    capsys.readouterr()
    assert main(["score", "t.yaml", "e.jsonl", "--parts", "parts", "--part", "2/2"]) == 0
    assert "the spec was edited since the first part was scored; it means the same" in capsys.readouterr().err
    Path("t.yaml").unlink()
    Path("close.yaml").unlink()
    assert main(["merge", "parts", "-o", "run"]) == 0
    assert TASK in texts()["texts"].values()
    assert inputs()["t.yaml"] == sha256(TASK)
    assert scoring.runs.verify("run").same


def test_folders_of_parts_whose_texts_differ_are_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("e.jsonl").write_text(RECORDS.replace('"id": ', '"id": 1'))
    assert main(["score", "t.yaml", "d.jsonl", "--parts", "one", "--part", "1/2"]) == 0
    Path("t.yaml").write_text(f"# A comment.\n{TASK}")
    assert main(["score", "t.yaml", "e.jsonl", "--parts", "two", "--part", "2/2"]) == 0
    capsys.readouterr()
    assert main(["merge", "one", "two", "-o", "run"]) == 0
    said = "the spec was edited between one and two; it means the same, and the run keeps the first"
    assert said in capsys.readouterr().err
    assert TASK in texts()["texts"].values()


# ---- texts come from outside


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nothing": lambda held: {},
    "a list": lambda held: [held],
    "another format": lambda held: {**held, "scoring_texts": 9},
    "no texts": lambda held: {**held, "texts": None},
    "texts in a list": lambda held: {**held, "texts": [*held["texts"].values()]},
    "a text that is a number": lambda held: {**held, "texts": dict.fromkeys(held["texts"], 7)},
    "a text that is an object": lambda held: {**held, "texts": {name: {} for name in held["texts"]}},
    "a text of another digest": lambda held: {**held, "texts": {**held["texts"], "0" * 64: "x"}},
    "a text that is missing": lambda held: {**held, "texts": {}},
    "no spec": lambda held: {**held, "spec": None},
    "a spec of no file": lambda held: {**held, "spec": {**held["spec"], "files": []}},
    "a file that is a text": lambda held: {**held, "spec": {**held["spec"], "files": ["x"]}},
    "a spec that is a pack": lambda held: {**held, "spec": {**held["spec"], "files": held["spec"]["files"][::-1]}},
    "an import of a file that is not there": lambda held: with_imports(held, {"./close.yaml": 9}),
    "an import of a negative number": lambda held: with_imports(held, {"./close.yaml": -1}),
    "an import of itself": lambda held: with_imports(held, {"./close.yaml": 0}),
    "no import": lambda held: with_imports(held, {}),
    "tasks that are a text": lambda held: {**held, "tasks": "x"},
    "tasks of a task": lambda held: {**held, "tasks": []},
    "tasks that are empty": lambda held: {**held, "tasks": [{}]},
    "a table of texts": lambda held: {**held, "table": {"a": "b"}},
    "a dialect that nobody has": lambda held: {**held, "spec": {**held["spec"], "dialect": "nobody"}},
    "a metric that nobody has": lambda held: {**held, "spec": {**held["spec"], "metrics": ["nobody()"]}},
    "a metric that is no metric": lambda held: {**held, "spec": {**held["spec"], "metrics": ["(("]}},
    "labels": lambda held: {**held, "spec": {**held["spec"], "labels": ["a"]}},
    "a seed that is a text": lambda held: {**held, "spec": {**held["spec"], "seed": "0"}},
    "breakdowns": lambda held: {**held, "spec": {**held["spec"], "by": ["(("]}},
}


def with_imports(held: dict[str, Any], imports: dict[str, int]) -> dict[str, Any]:
    first, *rest = held["spec"]["files"]
    return {**held, "spec": {**held["spec"], "files": [{**first, "imports": imports}, *rest]}}


@pytest.mark.parametrize("what", HOSTILE)
def test_odd_texts_are_refused_or_seen_in_one_line(desk: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    sealed_again(dumps_pretty(HOSTILE[what](texts())).encode())
    capsys.readouterr()
    for command in (["verify", "run"], ["verify", "run", "-o", "again"], ["bundle", "run", "-o", "x.zip", "--force"]):
        code = main(command)
        said = capsys.readouterr()
        assert "this is a bug" not in said.err
        assert "' object" not in said.err, "it is told in the words of Python"
        assert code in ((0, 1, 2) if command[0] == "bundle" else (1, 2)), (command, said)


def test_no_byte_of_the_texts_can_be_changed_unseen_by_who_computes_the_digests_anew(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    content = (RUN / "texts.json").read_bytes()
    # How messages call a file says nothing of what it means.
    begins = [content.index(b'"shown"', place) for place in (0, content.index(b'"shown"') + 1)]
    names = [(place, content.index(b'"form"', place)) for place in begins]
    draw = random.Random(0)
    for _ in range(60):
        changed, place = bytearray(content), draw.randrange(len(content))
        changed[place] ^= 1 << draw.randrange(7)
        sealed_again(bytes(changed))
        capsys.readouterr()
        is_name = any(begin < place < end for begin, end in names)
        assert main(["verify", "run"]) in ((0, 1, 2) if is_name else (1, 2)), (place, changed[place - 20 : place + 20])
        assert "this is a bug" not in capsys.readouterr().err


def test_few_texts_that_are_named_very_often_are_not_read(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    held = texts()
    task = {"name": "t", "bundle": held["spec"], "attributes": {}, "shared": {}}
    sealed_again(dumps_pretty({**held, "tasks": [task] * 500, "table": None}).encode())
    monkeypatch.setattr(texts_read, "MOST_TEXTS", 20_000)
    with pytest.raises(scoring.InputError, match="it repeats its texts so often that 20,000 characters are read"):
        scoring.runs.verify("run")


def test_a_run_of_too_many_texts_is_refused_before_it_is_scored(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_file, "MOST_TEXTS", 100)
    with pytest.raises(scoring.InputError, match="t has more than 100 bytes of texts"):
        scoring.evaluate("t.yaml", "d.jsonl", output="run")
    assert not RUN.exists()


@pytest.mark.parametrize("name", ["C:\\d.jsonl", "..\\d.jsonl", "\\\\host\\d.jsonl", "/d.jsonl", "../d.jsonl"])
def test_no_name_in_a_bundle_leads_away_on_any_system(desk: Path, name: str) -> None:
    scoring.evaluate("t.yaml", "d.jsonl", output="run")
    manifest = json.loads((RUN / "manifest.json").read_text())
    manifest["inputs"][1]["name"] = manifest["settings"]["data"] = name
    (RUN / "manifest.json").write_text(dumps_pretty(sealed(manifest)))
    scoring.runs.bundle("run", "x.zip", with_data=False, data="d.jsonl")
    if "\\" in name:  # which is a name of this system, and might be one of a file here
        Path(name).write_text(RECORDS)
    (line,) = scoring.runs.verify("x.zip").changed
    assert "(no name from elsewhere is looked for)" in line
    assert "is gone" in line


def test_a_name_that_windows_wrote_is_found_here(desk: Path) -> None:
    Path("data").mkdir()
    shutil.move("d.jsonl", "data/d.jsonl")
    scoring.evaluate("t.yaml", "data/d.jsonl", output="run")
    manifest = json.loads((RUN / "manifest.json").read_text())
    manifest["inputs"][1]["name"] = manifest["settings"]["data"] = "data\\d.jsonl"
    (RUN / "manifest.json").write_text(dumps_pretty(sealed(manifest)))
    assert scoring.runs.verify("run").same
    shutil.move("run", "elsewhere")
    assert scoring.runs.verify("elsewhere", root=".").same
