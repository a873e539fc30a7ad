"""Python writes the folder that the command writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scoring
from scoring.cli.main import main
from tests.support.kinds_of_tasks import KINDS, copy_examples


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped examples of each kind of task."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_python_writes_the_folder_that_the_command_writes(desk: Path, kind: str) -> None:
    spec, data = KINDS[kind]
    given = [spec, data, *(["--references", "images/instances.json"] if kind == "table" else [])]
    assert main(["score", *given, "--limit", "2", "-o", "command", "--html"]) == 0
    references = "images/instances.json" if kind == "table" else None
    run = scoring.evaluate(spec, data, references=references, limit=2, output="python", html=True)
    run.write("later", html=True)
    names = {path.name for path in Path("command").iterdir()}
    for folder in ("python", "later"):
        assert {path.name for path in Path(folder).iterdir()} == names
        for name in names - {"manifest.json"}:
            assert (Path(folder) / name).read_bytes() == (Path("command") / name).read_bytes()
        assert scoring.runs.verify(folder).same
    manifests = [json.loads((Path(folder) / "manifest.json").read_text()) for folder in ("command", "python", "later")]
    settings = [{**one["settings"], "dialect": None} for one in manifests]
    assert settings[0] == settings[1] == settings[2]
