"""A studio of a suite: its figures, its tasks, and each task's records as a studio of one task shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.studio import desk as desk_module
from scoring.extensions.studio.desk import StudioDesk
from scoring.extensions.studio.records import LanesInProgress
from scoring.extensions.studio.server import StudioServer
from scoring.extensions.studio.settings import StudioSettings
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import SUITE, asked, settled, typed, write_suite, written
from tests.support.golden import REPOSITORY

TOWNS, SUMS = "demo/towns", "demo/sums"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_suite(tmp_path / "suite")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_suite(tmp_path_factory.mktemp("studio") / "suite")


@pytest.fixture(scope="module")
def served(kept: tuple[Path, Path]) -> Iterator[StudioServer]:
    with open_studio(*kept) as studio:
        settled(studio)
        yield studio


def stricter(path: Path) -> None:
    """Make the task of towns stricter, in its own file."""
    task = path.parent / "tasks" / "towns.yaml"
    task.write_text(task.read_text("utf-8").replace("zero_below(0.5)", "zero_below(0.95)"), "utf-8")


def tasks_of(state: Any) -> dict[str, Any]:
    return {one["task"]: one for one in state["suite"]["tasks"]}


def test_the_figures_are_those_of_a_run(served: StudioServer, kept: tuple[Path, Path]) -> None:
    found, run = written(served, SUITE), scoring.evaluate(*kept)
    metrics = {one["metric"]: (one["value"], one["interval"]) for one in found["suite"]["figures"]["metrics"]}
    assert metrics == {one["metric"]: (one["value"], one["interval"]) for one in run.summary["metrics"]}
    groups = found["suite"]["figures"]["groups"]
    assert [(one["by"], one["groups"][0]["group"], one["groups"][0]["sizes"]) for one in groups] == [
        ("", "core", [2, 30])
    ]
    assert {name: (one["score"], one["records"], one["coverage"]) for name, one in tasks_of(found).items()} == {
        one["task"]: (one["score"], one["records"], one["coverage"]) for one in run.summary["tasks"]
    }


def test_a_task_is_chosen_and_then_is_as_one_task_alone(
    served: StudioServer, kept: tuple[Path, Path], tmp_path: Path
) -> None:
    written(served, SUITE)
    assert asked(served, "state")["suite"]["task"] == SUMS
    assert [row["id"] for row in asked(served, "rows")["rows"]] == ["0", "1", "2", "3", "4", "5"]
    state = asked(served, "state", task=TOWNS)
    assert (state["suite"]["task"], state["records"], state["threshold"]) == (TOWNS, 24, 0.9)
    lines = [json.loads(line) for line in kept[1].read_text("utf-8").splitlines()]
    (tmp_path / "towns.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines[:24]), "utf-8")
    with open_studio(kept[0].parent / "tasks" / "towns.yaml", tmp_path / "towns.jsonl") as alone:
        own = settled(alone)
        for name in ("figures", "distribution", "labels", "fields"):
            assert state[name] == own[name], name
        query = {"sort": "score", "search": "basel", "verdict": "passed"}
        assert asked(served, "rows", task=TOWNS, **query) | {"version": 0} == asked(alone, "rows", **query) | {
            "version": 0
        }
        for ask, more in (("record", {"row": 2}), ("cut", {"threshold": 0.75, "label": ["seen", "right"]})):
            here, there = asked(served, ask, task=TOWNS, **more), asked(alone, ask, **more)
            assert here | {"version": 0} == there | {"version": 0}


def test_an_edit_of_a_task_file_says_which_tasks_and_records_moved(files: tuple[Path, Path]) -> None:
    with open_studio(*files) as studio:
        before = tasks_of(settled(studio))
        stricter(files[0])
        state = written(studio, SUITE + "# read again\n")
        tasks = tasks_of(state)
        assert (tasks[TOWNS]["before"], tasks[TOWNS]["moved"]) == (before[TOWNS]["score"], 6)
        assert (tasks[SUMS]["before"], tasks[SUMS]["moved"]) == (before[SUMS]["score"], 0)
        assert state["suite"]["before"]["macro"] > state["suite"]["figures"]["metrics"][0]["value"]
        assert asked(studio, "state", task=TOWNS, against="edit")["movement"]["down"] == 6
        told = asked(studio, "record", task=TOWNS, row=2, against="edit")
        assert told["moved"][0]["path"] == ["answer", "zero_below"]


@pytest.mark.parametrize("kind", ["spec", "run"])
def test_another_suite_or_a_run_of_one_beside(kind: str, files: tuple[Path, Path], tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other")
    stricter(other[0])
    scoring.evaluate(*other, output=tmp_path / "run")
    with open_studio(*files, beside=other[0] if kind == "spec" else tmp_path / "run") as studio:
        state = settled(studio, "beside")
        assert state["beside_problem"] is None
        tasks = tasks_of(state)
        assert (tasks[TOWNS]["moved"], tasks[SUMS]["moved"]) == (6, 0)
        assert tasks[TOWNS]["before"] < tasks[TOWNS]["score"]
        assert state["suite"]["before"]["macro"] < state["suite"]["figures"]["metrics"][0]["value"]
        moved = asked(studio, "rows", task=TOWNS, against="beside", moved="up")["rows"]
        assert {(row["before"], row["change"] > 0.7) for row in moved} == {(0.0, True)}


def test_a_mistake_in_the_suite_has_its_fix_and_one_in_a_task_its_place(files: tuple[Path, Path]) -> None:
    with open_studio(*files) as studio:
        good = settled(studio)
        (finding,) = asked(studio, "edit", text=SUITE.replace("macro", "makro"))["found"]
        assert finding["fixes"][0]["edits"][0]["newText"] == "macro"
        task = files[0].parent / "tasks" / "sums.yaml"
        task.write_text(task.read_text("utf-8").replace("equal", "equl"), "utf-8")
        asked(studio, "edit", text=SUITE + "# broken\n")
        state = settled(studio)
        assert "sums.yaml:4:17: error[unknown-name]" in state["problem"]
        assert (state["version"], state["suite"]) == (good["version"], good["suite"])
        task.write_text(task.read_text("utf-8").replace("equl", "equal"), "utf-8")
        assert written(studio, SUITE + "# mended\n")["problem"] is None


def test_one_task_of_a_suite_is_audited(served: StudioServer) -> None:
    found = asked(served, "audit", text=SUITE, task=TOWNS)
    assert "passed" in found
    assert "choose one of its tasks" in asked(served, "audit", text=SUITE, task="demo/none")["problem"]


def test_a_suite_of_task_results_has_figures_and_no_records() -> None:
    spec = REPOSITORY / "specs" / "examples" / "suite" / "leaderboard.yaml"
    with open_studio(spec) as studio:
        state = settled(studio)
        run = scoring.evaluate(spec)
        figures = {one["metric"]: one["value"] for one in state["suite"]["figures"]["metrics"]}
        assert figures == run.metrics
        assert (state["suite"]["task"], "records" in state) == (None, False)
        assert {one["task"] for one in state["suite"]["tasks"]} == {one["task"] for one in run.summary["tasks"]}
        for ask, more in (("rows", {}), ("cut", {"threshold": 0.5}), ("record", {"row": 0}), ("report", {})):
            assert "bug" not in str(asked(studio, ask, **more))
        text = asked(studio, "open")["text"]
        assert "nothing to audit" in asked(studio, "audit", text=text)["problem"]


def test_what_is_done_so_far_is_shown_task_by_task(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanesInProgress, "SIZE", 4)
    monkeypatch.setattr(LanesInProgress, "SOON", 0.0)
    monkeypatch.setattr(LanesInProgress, "SHARE", 0)
    monkeypatch.setattr(desk_module, "STEP", 0.0)
    desk = StudioDesk(StudioSettings(str(files[0]), str(files[1])))
    desk.begin(typed(files[0], SUITE, 1))
    seen = []
    while not desk.step({})["is_done"]:
        state = desk.state({"task": TOWNS})
        assert not state["is_complete"]
        assert state["suite"]["figures"] == {}
        seen.append((state["doing"]["done"], tasks_of(state)[SUMS]["done"], state["done"]))
    assert seen[:3] == [(4, 4, 0), (6, 6, 0), (8, 6, 2)]
    assert seen[-1] == (30, 6, 24), "then the figures are made, task by task"
    assert len(desk.rows({"task": TOWNS})["rows"]) == 24
    assert desk.state({})["is_complete"]


def test_a_limit_is_of_each_task(files: tuple[Path, Path]) -> None:
    with open_studio(*files, limit=8) as studio:
        state = settled(studio)
        assert {name: one["records"] for name, one in tasks_of(state).items()} == {TOWNS: 8, SUMS: 6}
        assert state["has_more"]
        metrics = {one["metric"]: one["value"] for one in state["suite"]["figures"]["metrics"]}
        assert metrics == scoring.evaluate(*files, limit=8).metrics


def test_data_of_no_task_and_no_data_at_all_are_told(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"task": "x", "id": 1}\n', "utf-8")
    with open_studio(files[0], tmp_path / "other.jsonl") as studio:
        assert "no record of any task" in settled(studio)["problem"]
    with pytest.raises(scoring.InputError, match="which records"):
        open_studio(files[0])
    with pytest.raises(scoring.InputError, match="which records"):
        open_studio(files[0].parent / "tasks" / "towns.yaml")
    with open_studio(*files) as studio:
        asked(studio, "edit", text="kind: pack\nname: p\nversion: 1.0.0\n")
        assert "this is a pack" in settled(studio)["problem"]


def test_a_pack_is_refused_since_it_has_no_records(tmp_path: Path) -> None:
    pack = tmp_path / "pack.yaml"
    pack.write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers:\n  a: {doc: D, score: equal}\n")
    (tmp_path / "data.jsonl").write_text('{"id": 1}\n')
    for data in (None, tmp_path / "data.jsonl"):
        with pytest.raises(scoring.InputError, match="is a pack, which has no records; `scoring test"):
            open_studio(pack, data)
