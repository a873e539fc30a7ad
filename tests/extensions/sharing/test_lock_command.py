"""`scoring lock`, and what `--locked` refuses then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from scoring.version import VERSION
from tests.unit.cli.test_lock import HOUSE, TASK

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "house.yaml").write_text(HOUSE)
    (tmp_path / "task.yaml").write_text(TASK)
    (tmp_path / "data.jsonl").write_text('{"id": 1, "response": "a", "reference": "A"}\n')
    return tmp_path / "task.yaml"


def test_a_lock_pins_every_pack(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    lock = json.loads((task.parent / "task.lock.json").read_text())
    assert lock["spec"] == "demo"
    assert {"anls", "house"} <= set(lock["packs"])
    assert all(len(pin["digest"]) == 64 for pin in lock["packs"].values())
    assert main(["check", str(task), "--locked"]) == 0
    assert main(["score", str(task), str(task.parent / "data.jsonl"), "--locked"]) == 0


def test_a_changed_pack_is_refused_where_it_is_imported(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    capsys.readouterr()
    (task.parent / "house.yaml").write_text(HOUSE.replace("levenshtein", "equal"))
    data = str(task.parent / "data.jsonl")
    assert main(["score", str(task), data, "--locked", "--format", "concise"]) == 1
    shown = capsys.readouterr()
    assert "task.yaml:4:18: error[lock-mismatch] `house` is 1.0.0 (" in shown.err
    assert "mean" not in shown.out
    assert main(["check", str(task), "--locked", "--format", "concise"]) == 1
    assert main(["score", str(task), data]) == 1
    assert main(["check", str(task)]) == 1
    assert main(["lock", str(task)]) == 0
    assert main(["check", str(task), "--locked"]) == 0
    assert main(["score", str(task), data]) == 0


def test_a_comment_in_a_pack_changes_nothing(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    (task.parent / "house.yaml").write_text("# ours\n" + HOUSE)
    assert main(["check", str(task), "--locked"]) == 0


def test_a_spec_that_means_something_else_is_refused(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    task.write_text(TASK + "doc: Of the house.\n")
    assert main(["check", str(task), "--locked"]) == 0
    task.write_text(TASK + "on_unparsed: zero\n")
    assert main(["check", str(task), "--locked", "--format", "concise"]) == 1
    assert "`demo` means something else than when it was locked" in capsys.readouterr().out


def test_a_lock_tells_which_primitive_scores_otherwise(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    path = task.parent / "task.lock.json"
    lock = json.loads(path.read_text())
    assert lock["primitives"]["casefold"] == f"revision 1 of scoring-dsl@{VERSION}"
    assert lock["env"].startswith("scoring ")
    lock |= {"meaning": "0" * 64, "primitives": {"casefold": "revision 2 of scoring-dsl@0.0.1"}}
    path.write_text(json.dumps(lock))
    assert main(["check", str(task), "--locked"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "`casefold` is revision 1 of scoring-dsl@" in shown
    assert "the lock says revision 2 of scoring-dsl@0.0.1" in shown


def test_a_lock_of_before_pins_the_packs_alone(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    path = task.parent / "task.lock.json"
    lock = json.loads(path.read_text())
    path.write_text(json.dumps({"format": 1, "spec": "demo", "packs": lock["packs"]}))
    task.write_text(TASK + "on_unparsed: zero\n")
    assert main(["check", str(task), "--locked"]) == 0


def test_a_pack_is_locked_with_what_its_definitions_mean(task: Path, capsys: Capture) -> None:
    house = task.parent / "house.yaml"
    assert main(["lock", str(house)]) == 0
    house.write_text(HOUSE.replace("scorers:", "doc: Ours.\nscorers:"))
    assert main(["check", str(house), "--locked"]) == 0
    house.write_text(HOUSE.replace("levenshtein", "equal"))
    assert main(["check", str(house), "--locked"]) == 1


def test_imports_that_come_and_go(task: Path, capsys: Capture) -> None:
    assert main(["lock", str(task)]) == 0
    task.write_text(TASK.replace("anls: anls@1", "mega: megabench@1"))
    assert main(["check", str(task), "--locked", "--format", "concise"]) == 1
    shown = capsys.readouterr().out
    assert "`megabench` is imported, but not in the lock" in shown
    assert "the lock pins `anls`, which is no longer imported" in shown


def test_a_broken_spec_gets_no_lock(task: Path, capsys: Capture) -> None:
    task.write_text(TASK.replace("anls@1", "anlss@1"))
    assert main(["lock", str(task)]) == 1
    assert "import-not-found" in capsys.readouterr().err
    assert not (task.parent / "task.lock.json").exists()
