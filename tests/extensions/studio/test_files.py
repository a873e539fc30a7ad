"""The files of a suite's tasks in its studio: chosen, edited, scored as they stand in the editor, and saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.studio import desk as desk_module
from scoring.extensions.studio import files as files_module
from scoring.extensions.studio.desk import StudioDesk
from scoring.extensions.studio.records import LanesInProgress
from scoring.extensions.studio.server import StudioServer
from scoring.extensions.studio.settings import StudioSettings
from scoring.extensions.studio.verbs import open_studio
from tests.extensions.studio.asking import SPEC, SUITE, asked, settled, write_suite, written

SUMS, TOWNS = 1, 2
STRICT = SPEC.replace("zero_below(0.5)", "zero_below(0.95)")
OF_SUMS = "kind: task\nname: demo/sums\nrecord: {reference: gold}\nscore: number | equal\nmetrics: [mean]\n"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "in" / "suite")[0]


@pytest.fixture
def studio(spec: Path) -> Iterator[StudioServer]:
    with open_studio(spec, spec.parent / "towns.jsonl") as studio:
        settled(studio)
        yield studio


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with open_studio(*write_suite(tmp_path_factory.mktemp("studio") / "suite")) as studio:
        settled(studio)
        yield studio


def names(studio: StudioServer) -> dict[str, list[str]]:
    """The files that can be chosen, each with the tasks that come from it."""
    return {one["name"]: one["tasks"] for one in settled(studio)["files"]}


def opened(studio: StudioServer, file: int) -> str:
    return str(asked(studio, "open", file=file)["text"])


def figures(state: Any) -> dict[str, Any]:
    found = {one["metric"]: one["value"] for one in state["suite"]["figures"]["metrics"]}
    return found | {one["task"]: one["score"] for one in state["suite"]["tasks"]}


def of_run(spec: Path) -> dict[str, Any]:
    """The figures that `scoring score` computes from the files as they are."""
    run = scoring.evaluate(spec, spec.parent / "towns.jsonl")
    return {**run.metrics, **{one["task"]: one["score"] for one in run.summary["tasks"]}}


def test_the_files_of_the_tasks_can_be_chosen_and_have_their_texts(studio: StudioServer) -> None:
    assert names(studio) == {"suite.yaml": [], "tasks/sums.yaml": ["demo/sums"], "tasks/towns.yaml": ["demo/towns"]}
    assert [one["file"] for one in settled(studio)["files"]] == [0, SUMS, TOWNS]
    assert (opened(studio, 0), opened(studio, SUMS), opened(studio, TOWNS)) == (SUITE, OF_SUMS, SPEC)


def test_an_edit_of_a_task_moves_its_figures_and_those_of_the_suite(studio: StudioServer, spec: Path) -> None:
    before = figures(settled(studio))
    opened(studio, TOWNS)
    state = written(studio, STRICT, file=TOWNS)
    after, tasks = figures(state), {one["task"]: one for one in state["suite"]["tasks"]}
    assert (after["macro"] < before["macro"], after["demo/sums"]) == (True, before["demo/sums"])
    assert (tasks["demo/towns"]["moved"], tasks["demo/sums"]["moved"]) == (6, 0)
    assert tasks["demo/towns"]["before"] == before["demo/towns"]
    assert state["suite"]["before"]["macro"] == before["macro"]
    assert asked(studio, "state", task="demo/towns", against="edit")["movement"]["down"] == 6
    told = asked(studio, "record", task="demo/towns", row=2, against="edit")
    assert told["moved"][0]["path"] == ["answer", "zero_below"]
    assert of_run(spec) == before, "nothing is on the disk yet"
    assert asked(studio, "save", text=STRICT, file=TOWNS) == {"is_saved": True}
    assert of_run(spec) == after
    assert spec.read_text("utf-8") == SUITE


def test_texts_that_are_not_saved_count_together_whichever_is_typed_last(studio: StudioServer) -> None:
    opened(studio, TOWNS)
    strict = figures(written(studio, STRICT, file=TOWNS))
    opened(studio, SUMS)
    both = figures(written(studio, OF_SUMS.replace("equal", "within(absolute=1)"), file=SUMS))
    assert both["demo/towns"] == strict["demo/towns"]
    assert both["demo/sums"] > strict["demo/sums"]
    last = written(studio, SUITE.replace("[macro, micro]", "[micro]"))
    assert figures(last) == {name: value for name, value in both.items() if name != "macro"}


def test_a_mistake_is_told_in_its_own_file_and_from_others_with_its_place(studio: StudioServer) -> None:
    opened(studio, TOWNS)
    good = settled(studio)
    wrong = STRICT.replace("casefold", "casefol")
    (finding,) = asked(studio, "edit", text=wrong, file=TOWNS)["found"]
    assert (finding["code"], finding["range"]["start"]) == ("unknown-name", {"line": 3, "character": 15})
    assert finding["fixes"][0]["edits"][0]["newText"] == "casefold"
    state = settled(studio)
    assert (state["version"], state["suite"], state["problem"]) == (good["version"], good["suite"], None)
    assert [one["name"] for one in state["files"] if one["is_broken"]] == ["tasks/towns.yaml"]
    (elsewhere,) = asked(studio, "edit", text=SUITE)["found"]
    assert "towns.yaml:4:16: nothing is called" in elsewhere["message"]
    assert "towns.yaml:4:16: error[unknown-name]" in settled(studio)["problem"]
    mended = written(studio, STRICT, file=TOWNS)
    assert (mended["problem"], any(one["is_broken"] for one in mended["files"])) == (None, False)


def test_help_is_about_the_file_that_is_written(studio: StudioServer) -> None:
    opened(studio, TOWNS)
    text = SPEC.replace("levenshtein", "lev")
    at = {"line": 3, "character": text.split("\n")[3].index("lev") + 3}
    labels = [one["label"] for one in asked(studio, "complete", text=text, position=at, file=TOWNS)["found"]["items"]]
    assert "levenshtein" in labels[:5]
    told = asked(studio, "hover", text=SPEC, position={"line": 3, "character": 27}, file=TOWNS)["found"]
    assert told["code"].startswith("levenshtein: Text, Text -> Score")
    messy = SPEC.replace("strip | casefold", "strip|casefold")
    assert asked(studio, "format", text=messy, file=TOWNS)["found"]
    assert asked(studio, "audit", text=SPEC, task="demo/towns", file=TOWNS)["blocks"]
    assert "mistakes" in asked(studio, "audit", text="kind: task", task="demo/towns", file=TOWNS)["problem"]


def test_each_file_is_saved_by_itself_and_never_over_another_edit(studio: StudioServer, spec: Path) -> None:
    task = spec.parent / "tasks" / "towns.yaml"
    task.write_bytes(SPEC.replace("\n", "\r\n").encode())
    assert opened(studio, TOWNS) == SPEC
    assert asked(studio, "save", text=STRICT, file=TOWNS) == {"is_saved": True}
    assert task.read_bytes() == STRICT.replace("\n", "\r\n").encode()
    task.write_text("somebody else's", encoding="utf-8")
    assert asked(studio, "save", text=SPEC, file=TOWNS) == {"is_saved": False, "has_changed": True}
    assert task.read_text("utf-8") == "somebody else's"
    assert asked(studio, "save", text=SUITE + "# more\n") == {"is_saved": True}
    assert asked(studio, "save", text=SPEC, file=TOWNS, overwrite=True)["is_saved"]
    assert task.read_bytes() == SPEC.replace("\n", "\r\n").encode()
    assert spec.read_text("utf-8") == SUITE + "# more\n"


@pytest.mark.parametrize("ask", ["open", "edit", "save", "format", "audit"])
def test_only_a_file_of_the_list_is_read_and_written(untouched: StudioServer, ask: str) -> None:
    for file in (3, -1, 1 << 39):
        assert asked(untouched, ask, text="x", file=file) == {"problem": "there is no file of this number"}


@pytest.mark.parametrize("file", ["tasks/sums.yaml", True, 1.0, None, [1]], ids=str)
def test_a_file_is_named_by_its_number_alone(untouched: StudioServer, file: Any) -> None:
    found = json.loads(untouched.answered(json.dumps({"ask": "open", "file": file}).encode()))
    assert "is of another type" in found["problem"]


def test_a_file_that_has_become_a_link_to_elsewhere_is_no_file_of_the_list(studio: StudioServer, spec: Path) -> None:
    opened(studio, TOWNS)
    task, secret = spec.parent / "tasks" / "towns.yaml", spec.parents[2] / "secret.yaml"
    secret.write_text("secret", "utf-8")
    task.unlink()
    task.symlink_to(secret)
    for ask in ("open", "save"):
        assert "no file of this number" in asked(studio, ask, text=SPEC, file=TOWNS, overwrite=True)["problem"]
    assert secret.read_text("utf-8") == "secret"


def test_tasks_that_are_no_specs_of_their_own_or_lie_elsewhere_are_not_in_the_list(tmp_path: Path) -> None:
    spec, data = write_suite(tmp_path / "in" / "suite")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "far.yaml").write_text("kind: task\nname: far\nscore: equal\n", "utf-8")
    (spec.parent / "tasks" / "far.yaml").symlink_to(tmp_path / "far" / "far.yaml")
    (spec.parent / "tasks" / "near.yaml").symlink_to(spec.parent / "near.yaml")
    (spec.parent / "near.yaml").write_text("kind: task\nname: near\nscore: equal\n", "utf-8")
    (spec.parent / "tasks" / "chess").mkdir()
    metrics = {"field_score_function": {"move": "exact_str_match"}, "response_parse_function": "answer_string"}
    metrics["aggregation"] = {"function": "mean", "field_weights": {"move": 1}}
    (spec.parent / "tasks" / "chess" / "metrics.json").write_text(json.dumps(metrics), "utf-8")
    row = {"name": "row", "spec": {"kind": "task", "name": "row", "score": "equal"}}
    (spec.parent / "rows.jsonl").write_text(json.dumps(row) + "\n" + json.dumps({**row, "name": "two"}) + "\n", "utf-8")
    spec.write_text(SUITE.replace("tasks: tasks", "tasks: [tasks, rows.jsonl]"), "utf-8")
    with open_studio(spec, data) as studio:
        state = settled(studio)
        assert {one["task"] for one in state["suite"]["tasks"]} == {
            *("demo/sums", "demo/towns", "far", "near", "chess", "row", "two")
        }
        assert set(names(studio)) == {"suite.yaml", "tasks/near.yaml", "tasks/sums.yaml", "tasks/towns.yaml"}


def test_files_of_the_installed_package_are_read_only(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "PACKAGE", spec.parent / "tasks")
    with open_studio(spec, spec.parent / "towns.jsonl") as studio:
        assert [one["is_read_only"] for one in settled(studio)["files"]] == [False, True, True]
        assert opened(studio, TOWNS) == SPEC
        assert "belongs to the installed package" in asked(studio, "save", text=STRICT, file=TOWNS)["problem"]
        assert asked(studio, "save", text=STRICT, file=TOWNS, overwrite=True)["problem"]
        assert written(studio, STRICT, file=TOWNS)["suite"]["tasks"][1]["moved"] == 6, "it is tried all the same"
    assert (spec.parent / "tasks" / "towns.yaml").read_text("utf-8") == SPEC


def test_a_task_that_the_suite_names_no_more_keeps_its_text(studio: StudioServer) -> None:
    opened(studio, TOWNS)
    strict = figures(written(studio, STRICT, file=TOWNS))
    state = written(studio, SUITE.replace("tasks: tasks", "tasks: tasks/sums.yaml"))
    assert (names(studio)["tasks/towns.yaml"], "demo/towns" in figures(state)) == ([], False)
    assert figures(written(studio, SUITE)) == strict
    assert names(studio)["tasks/towns.yaml"] == ["demo/towns"]


def test_a_file_that_is_deleted_while_it_is_open_can_be_written_again(studio: StudioServer, spec: Path) -> None:
    opened(studio, TOWNS)
    good = figures(written(studio, STRICT, file=TOWNS))
    (spec.parent / "tasks" / "towns.yaml").unlink()
    state = written(studio, SUITE + "# read again\n")
    assert set(figures(state)) == {"macro", "micro", "demo/sums"}
    (gone,) = (one for one in state["files"] if not one["is_there"])
    assert (gone["name"], gone["tasks"]) == ("tasks/towns.yaml", [])
    assert asked(studio, "save", text=STRICT, file=TOWNS) == {"is_saved": False, "has_changed": True}
    assert asked(studio, "save", text=STRICT, file=TOWNS, overwrite=True)["is_saved"]
    assert figures(written(studio, STRICT, file=TOWNS)) == good


def test_a_file_that_is_broken_when_the_suite_is_opened_is_mended_in_the_studio(spec: Path) -> None:
    task = spec.parent / "tasks" / "towns.yaml"
    for text in (SPEC.replace("casefold", "casefol"), "kind: [task\n"):
        task.write_text(text, "utf-8")
        with open_studio(spec, spec.parent / "towns.jsonl") as studio:
            state = settled(studio)
            assert ("version" in state, "towns.yaml" in state["problem"]) == (False, True)
            (broken,) = (one for one in state["files"] if one["is_broken"])
            assert opened(studio, broken["file"]) == text
            state = written(studio, SPEC, file=broken["file"])
            assert figures(state)["demo/towns"] > 0.6
            assert len(state["files"]) == 3


def test_a_task_that_extends_one_that_is_open_moves_with_it(studio: StudioServer, spec: Path) -> None:
    (spec.parent / "tasks" / "copy.yaml").write_text("kind: task\nname: copy\nextends: ./towns.yaml\n", "utf-8")
    with (spec.parent / "towns.jsonl").open("a", encoding="utf-8") as data:
        data.write(json.dumps({"task": "copy", "id": 1, "response": "Gent", "gold": "Ghent", "country": "a"}) + "\n")
    with open_studio(spec, spec.parent / "towns.jsonl") as studio:
        before = figures(settled(studio))
        number = next(one["file"] for one in settled(studio)["files"] if one["tasks"] == ["demo/towns"])
        opened(studio, number)
        after = figures(written(studio, STRICT, file=number))
        assert (before["copy"], after["copy"]) == (0.8, 0.0)
        asked(studio, "save", text=STRICT, file=number)
    assert of_run(spec) == after


def test_a_page_that_is_opened_anew_begins_with_what_is_saved(studio: StudioServer) -> None:
    before = figures(settled(studio))
    opened(studio, TOWNS)
    assert figures(written(studio, STRICT, file=TOWNS)) != before
    assert asked(studio, "open")["text"] == SUITE
    assert figures(written(studio, SUITE)) == before


def test_the_records_of_other_tasks_are_not_scored_again(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanesInProgress, "SIZE", 4)
    monkeypatch.setattr(desk_module, "STEP", 0.0)
    desk = StudioDesk(StudioSettings(str(spec), str(spec.parent / "towns.jsonl")))
    towns = str(spec.parent / "tasks" / "towns.yaml")

    def scored(number: int, **texts: str) -> list[int]:
        named = {str(spec): texts.get("suite", SUITE), **({towns: texts["towns"]} if "towns" in texts else {})}
        assert desk.begin({"texts": named, "shown": towns, "version": number}) == {"is_good": True}
        seen: list[int] = []
        while not desk.step({})["is_done"]:
            doing = desk.state({})["doing"]
            seen.append(doing["done"])
            assert doing["of"] == 30
        return seen

    assert scored(1)[0] == 4
    assert scored(2, towns=STRICT)[0] == 6 + 4
    figure = figures(desk.state({}))
    assert figure["demo/sums"] == of_run(spec)["demo/sums"]
    assert len(desk.rows({"task": "demo/sums"})["rows"]) == 6
    assert scored(3, towns=STRICT, suite=SUITE.replace("[macro, micro]", "[micro]")) == [], "but the figures over them"
    assert list(figures(desk.state({}))) == ["micro", "demo/sums", "demo/towns"]
    assert scored(4, towns=STRICT, suite=SUITE + "score: quantile(q=0.75)\n")[0] == 4
