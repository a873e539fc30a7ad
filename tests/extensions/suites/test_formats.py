"""Suites in every format of data, compressed or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.cli.main import main
from tests.support.formats import PACK, general_formats
from tests.unit.cli.test_formats import ANSWERS, PATHS, SUITE, World


@pytest.fixture(params=[(kind, packed) for kind in general_formats() for packed in PACK], ids="".join)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path, *request.param)


def test_a_suite_whose_rows_name_their_task(world: World) -> None:
    summary = world.score(str(world.folder / "tasks"), world.data("a", SUITE))
    assert summary["metrics"][0]["value"] == 0.5


def test_a_suite_in_a_folder_of_data_with_tasks_in_a_file(world: World) -> None:
    spec = json.dumps({"kind": "task", "name": "words", "record": PATHS, "score": "equal"})
    tasks = world.data("tasks", [{"name": "words", "spec": spec, "area": "letters"}])
    (world.folder / "data").mkdir()
    world.data("data/words", [{**record, "response": record["gold"]} for record in ANSWERS])
    summary = world.score(str(world.folder / "suite.yaml"), str(world.folder / "data"), "--tasks", tasks)
    assert summary["metrics"][0]["value"] == 1.0


@pytest.mark.parametrize("name", ["jsonl", "csv", "parquet"])
def test_a_file_of_tasks_is_a_suite_by_itself(tmp_path: Path, name: str) -> None:
    world = World(tmp_path, name, ".gz")
    spec = json.dumps({"kind": "task", "name": "words", "record": PATHS, "score": "equal"})
    tasks = world.data("tasks", [{"name": "words", "spec": spec}])
    assert world.score(tasks, world.data("a", SUITE))["suite"]["name"] == "tasks"


Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["tasks", "tasks"], "--input-format is of a file that is given, not of the folder tasks")],
)
def test_a_format_said_of_a_folder_of_tasks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str], message: str
) -> None:
    World(tmp_path, "csv", "")
    monkeypatch.chdir(tmp_path)
    assert main(["score", *arguments, "--input-format", "csv"]) == 2
    assert message in capsys.readouterr().err
