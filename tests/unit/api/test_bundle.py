"""A task travels as its bundle: without its files, without pickle inside, and whoever sent it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import scoring
from scoring.data.json_write import canonical, digest

SPEC = """\
kind: task
name: invoices
version: 1.0.0
imports: {house: ./packs/house.yaml, anls: anls@1}
parse: json
fields:
  total: house.close
  name: anls.anls
"""
PACK = (
    "kind: pack\nname: house\nversion: 1.0.0\nimports: {inner: ./inner.yaml}\nscorers:\n  close: inner.tidy | equal\n"
)
INNER = "kind: pack\nname: inner\nversion: 1.0.0\ntransforms:\n  tidy: lower | strip\n"
RECORD = {
    "id": 1,
    "kind": "x",
    "response": '{"total": " A ", "name": "abcd"}',
    "reference": {"total": "a", "name": "abce"},
}


@pytest.fixture
def task(tmp_path: Path) -> scoring.Task:
    (tmp_path / "packs").mkdir()
    for name, text in {"task.yaml": SPEC, "packs/house.yaml": PACK, "packs/inner.yaml": INNER}.items():
        (tmp_path / name).write_text(text)
    return scoring.load(tmp_path / "task.yaml", by=["kind"], seed=7)


def test_a_task_is_the_same_where_its_files_are_not(task: scoring.Task, tmp_path: Path) -> None:
    data = task.to_bytes()
    for path in tmp_path.rglob("*.yaml"):
        path.unlink()
    found = scoring.Task.from_bytes(data)
    assert found.signature == task.signature
    assert found.by == task.by
    assert found.score(RECORD) == task.score(RECORD)
    assert found.to_bytes() == data
    assert task.to_bytes() == data, "the texts are those that were read, whatever became of the files"


def test_a_bundle_holds_no_path_of_the_machine(task: scoring.Task, tmp_path: Path) -> None:
    assert str(tmp_path).encode() not in task.to_bytes()


@pytest.mark.parametrize("again", [lambda task: pickle.loads(pickle.dumps(task)), copy.deepcopy, copy.copy])
def test_pickling_and_copying_a_task_go_through_its_bundle(
    task: scoring.Task, again: Callable[[scoring.Task], object]
) -> None:
    found = again(task)
    assert isinstance(found, scoring.Task)
    assert found.signature == task.signature
    assert found.score(RECORD) == task.score(RECORD)


def test_results_and_runs_pickle(task: scoring.Task) -> None:
    result = task.score(RECORD)
    assert pickle.loads(pickle.dumps(result)) == result
    run = task.evaluate([RECORD])
    found = pickle.loads(pickle.dumps(run))
    assert found.to_json() == run.to_json()
    assert list(found.records) == list(run.records)
    assert found.signature == run.signature


def changed(data: bytes, **changes: object) -> bytes:
    """The bundle with other content, sealed again as whoever makes bundles can."""
    held = {**json.loads(data), **changes}
    held.pop("sha256")
    return canonical({**held, "sha256": digest(held)}).encode()


def test_bytes_that_are_no_bundle_are_refused(task: scoring.Task) -> None:
    data = task.to_bytes()
    bad = {
        b"": "not JSON",
        b"[]": "list in place of dict",
        b"{}": "it has no `scoring_bundle`",
        data[:-5]: "not JSON",
        data.replace(b"strip", b"upper"): "its digest does not match its content",
        b"[" * 100_000: "nested deeper than",
        pickle.dumps({}): "not UTF-8",
        changed(data, scoring_bundle=99): "its format is 99",
        changed(data, files=[]): "0 files",
        changed(data, seed="7"): "str in place of int",
        changed(data, files=[{**json.loads(data)["files"][0], "imports": {"./x": 5}}]): "a file that is not in it",
    }
    for given, reason in bad.items():
        with pytest.raises(scoring.InputError, match=reason):
            scoring.Task.from_bytes(given)


def test_a_bundle_opens_no_file_of_the_machine(task: scoring.Task, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(INNER)
    first = json.loads(task.to_bytes())["files"][0]
    for target in ("../secret.yaml", str(tmp_path / "secret.yaml"), "house@1"):
        text = first["text"].replace("./packs/house.yaml", target)
        with pytest.raises(scoring.SpecError, match="the bundle does not hold"):
            scoring.Task.from_bytes(changed(task.to_bytes(), files=[{**first, "text": text, "imports": {}}]))


def test_a_bundle_that_means_something_else_here_is_refused(task: scoring.Task) -> None:
    with pytest.raises(scoring.InputError, match="where it was packed"):
        scoring.Task.from_bytes(changed(task.to_bytes(), meaning="0" * 64))


@pytest.mark.parametrize("name", ["a\0b", "../..", str(Path("specs").resolve() / "house")])
def test_a_spec_of_a_bundle_is_checked_whatever_path_its_name_is(task: scoring.Task, name: str) -> None:
    first = json.loads(task.to_bytes())["files"][0]
    wrong = {**first, "name": name, "text": "kind: task\nname: t\nversion: 1.0.0\nscore: equal\nfields: 3\n"}
    with pytest.raises(scoring.SpecError, match="expected a mapping, found the number"):
        scoring.Task.from_bytes(changed(task.to_bytes(), files=[{**wrong, "imports": {}}]))


def test_what_is_no_bytes_is_no_bundle() -> None:
    with pytest.raises(scoring.InputError, match="it is a NoneType, not bytes"):
        scoring.Task.from_bytes(None)  # type: ignore[arg-type]  # as a host that has no types may call it


def test_packs_that_import_one_another_in_a_long_row_are_refused(task: scoring.Task) -> None:
    first = json.loads(task.to_bytes())["files"][0]
    pack = {**first, "text": "kind: pack\nname: p\nversion: 1.0.0\nimports: {next: ./next.yaml}\n"}
    files = [{**pack, "imports": {"./next.yaml": number}} for number in range(2, 2001)]
    files.append({**pack, "text": "kind: pack\nname: p\nversion: 1.0.0\n", "imports": {}})
    text = first["text"].replace("./packs/house.yaml", "./next.yaml")
    head = {**first, "text": text, "imports": {"./next.yaml": 1}}
    with pytest.raises(scoring.SpecError, match="more than 100 packs import one another in a row"):
        scoring.Task.from_bytes(changed(task.to_bytes(), files=[head, *files]))
