"""What a suite's file may say, and what is said when it is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.api.opening import open_spec
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.extensions.suites.compile import check_suite, compile_suite, suite_of
from scoring.extensions.suites.layout import task_data_file
from scoring.format.load import Loader
from tests.extensions.suites.world import CAPITALS, CHESS, compiled, make, rows


def ids(error: SpecError) -> list[str]:
    return [found.id for found in error.diagnostics]


def test_a_folder_of_specs_and_files_of_other_tools(tmp_path: Path) -> None:
    path = make(tmp_path)
    (tmp_path / "tasks" / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    suite = compiled(path)
    assert [(task.name, task.attributes) for task in suite.tasks] == [
        ("capitals", {"eval_type": "rule"}),
        ("chess", {"eval_type": "rule"}),
        ("sums", {"eval_type": "rule"}),
    ]
    assert suite.signature.startswith("world@1.0.0|meaning:")
    assert "|packs:megabench 1" in suite.signature


def test_several_entries_with_their_own_words(tmp_path: Path) -> None:
    entries = [
        {"path": "tasks/chess/metrics.json", "dialect": "megabench-upstream", "attributes": {"level": "hard"}},
        {"path": "tasks", "only": ["sums"]},
        "tasks/capitals.yaml",
    ]
    suite = compiled(make(tmp_path, tasks=entries))
    assert [(task.name, task.attributes.get("level")) for task in suite.tasks] == [
        ("chess", "hard"),
        ("sums", None),
        ("capitals", None),
    ]
    assert "|packs:megabench-upstream 1" in suite.signature


def test_a_task_that_there_is_not_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"`only` names the task `sum`, but there is none in `tasks`") as caught:
        compiled(make(tmp_path, tasks=[{"path": "tasks", "only": ["capitals", "sum"]}]))
    assert caught.value.diagnostics[0].help == ("did you mean `sums`?",)


def test_a_dialect_for_a_suite_that_names_none(tmp_path: Path) -> None:
    path = make(tmp_path)
    assert "|packs:megabench-upstream 1" in open_spec(path, dialect="megabench-upstream").target.signature
    assert "|packs:megabench 1" in open_spec(path).target.signature


def test_rows_of_tasks(tmp_path: Path) -> None:
    long = "a description " * 30
    tasks = rows(
        tmp_path / "tasks.jsonl",
        [
            {"task_name": "3d_chess", "metrics": CHESS, "app": "games", "oracle": {"x": 1}, "text": long},
            {"name": "sums", "spec": {"kind": "task", "name": "other", "score": "equal"}, "skills": ["maths"]},
            {"name": "packed", "metric_info": json.dumps(CHESS)},
        ],
    )
    suite = compiled(make(tmp_path), tasks=tasks)
    assert [(task.name, task.attributes) for task in suite.tasks] == [
        ("3d_chess", {"eval_type": "rule", "app": "games"}),
        ("sums", {"eval_type": "rule", "skills": ["maths"]}),
        ("packed", {"eval_type": "rule"}),
    ]


def test_a_suite_without_a_file(tmp_path: Path) -> None:
    make(tmp_path)
    suite = compile_suite(suite_of(tmp_path / "tasks"), tasks=tmp_path / "tasks")
    assert suite.name == "tasks"
    assert len(suite.tasks) == 3


def test_the_signature_follows_tasks_and_attributes(tmp_path: Path) -> None:
    path = make(tmp_path, attributes="attributes.json")
    table = tmp_path / "attributes.json"
    table.write_text('{"sums": {"kind": "a"}}')
    first = compiled(path).signature.meaning
    assert compiled(path).signature.meaning == first
    table.write_text('{"sums": {"kind": "b"}}')
    second = compiled(path).signature.meaning
    (tmp_path / "tasks" / "capitals.yaml").write_text(CAPITALS + "pass: score == 1\n")
    assert len({first, second, compiled(path).signature.meaning}) == 3


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"doc": "Other words."}, False),
        ({"by": ["kind"]}, False),
        ({"data": {"task": "name"}}, False),
        ({"metrics": ["macro", "micro"]}, False),
        ({"metrics": ["micro"]}, True),
        ({"groups": {"hard": {"kind": "a"}}}, True),
        ({"score": "quantile(0.5)"}, True),
        ({"intervals": {"resamples": 100}}, True),
        ({"tasks": ["tasks/capitals.yaml"]}, True),
    ],
    ids=str,
)
def test_a_suite_means_its_tasks_and_how_they_are_joined(change: dict[str, Any], moves: bool, tmp_path: Path) -> None:
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        folder.mkdir()
    before, after = compiled(make(folders[0])), compiled(make(folders[1], **change))
    assert (after.signature.meaning != before.signature.meaning) is moves


def test_every_broken_task_is_shown(tmp_path: Path) -> None:
    path = make(tmp_path, metrics=["makro"])
    (tmp_path / "tasks" / "sums.yaml").write_text("kind: task\nname: sums\nscore: equl\n")
    (tmp_path / "tasks" / "capitals.yaml").write_text("kind: task\nname: capitals\nscore: casefold | equals\n")
    with pytest.raises(SpecError) as caught:
        compiled(path)
    assert ids(caught.value) == ["unknown-name"] * 3


def test_files_that_cannot_be_read_do_not_hide_each_other(tmp_path: Path) -> None:
    path = make(tmp_path)
    for name in ("sums", "capitals"):
        (tmp_path / "tasks" / f"{name}.yaml").write_text("kind: task\nname: [\n")
    found = check_suite(Loader().file(path, path.name))
    assert len({one.primary.span.source.name for one in found if one.primary.span}) == 2


def test_a_name_stands_for_one_task(tmp_path: Path) -> None:
    path = make(tmp_path)
    (tmp_path / "tasks" / "again.yaml").write_text(CAPITALS)
    with pytest.raises(SpecError) as caught:
        compiled(path)
    assert ids(caught.value) == ["name-conflict"]
    assert "`capitals`" in str(caught.value)


@pytest.mark.parametrize(
    ("more", "id_"),
    [
        ({"tasks": "nowhere"}, "import-not-found"),
        ({"tasks": "/etc"}, "import-outside"),
        ({"tasks": "../../elsewhere"}, "import-outside"),
        ({"attributes": "../../../attributes.json"}, "import-outside"),
        ({"results": "/etc/passwd"}, "import-outside"),
        ({"tasks": "empty"}, "import-not-found"),
        ({"tasks": "pack.yaml"}, "wrong-kind"),
        ({"tasks": 3}, "wrong-type"),
        ({"tasks": []}, "wrong-size"),
        ({"tasks": [{"dialect": "megabench"}]}, "missing-key"),
        ({"metrics": "macro"}, "wrong-type"),
        ({"export": ["csv"]}, "unknown-value"),
        ({"matrics": ["macro"]}, "unknown-key"),
    ],
)
def test_mistakes_are_findings(tmp_path: Path, more: dict[str, Any], id_: str) -> None:
    path = make(tmp_path, **more)
    (tmp_path / "empty").mkdir()
    (tmp_path / "pack.yaml").write_text("kind: pack\nname: p\nversion: 1.0.0\nscorers: {same: equal}\n")
    with pytest.raises(SpecError) as caught:
        compiled(path)
    assert id_ in ids(caught.value)


def test_a_suite_may_leave_its_tasks_to_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text('{"kind": "suite", "name": "s", "metrics": ["macro"]}')
    assert check_suite(Loader().file(path, path.name)) == ()
    with pytest.raises(InputError, match="names neither tasks nor results"):
        compiled(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"spec": {}}, "names no task; if these are records, the spec comes before them"),
        ({"name": "a"}, "has no spec"),
        ({"name": "a", "metrics": "many"}, "has no spec"),
        (
            {"name": "a", "spec": {"kind": "pack", "name": "p", "version": "1", "scorers": {"s": "equal"}}},
            "is not a task",
        ),
    ],
)
def test_rows_that_are_no_tasks(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compiled(make(tmp_path), tasks=rows(tmp_path / "tasks.jsonl", [row]))


@pytest.mark.parametrize("name", ["../secret", ".", "in/..", "/etc/passwd", "\ud800", "a\0b", "x" * 5000])
def test_a_task_name_leads_to_no_file_outside_the_data(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for outside in ("secret", "data"):
        (tmp_path / f"{outside}.jsonl").write_text("{}\n")
    (data / "in.jsonl").write_text("{}\n")
    assert task_data_file(data, "in") == data / "in.jsonl"
    assert task_data_file(data, name) is None
