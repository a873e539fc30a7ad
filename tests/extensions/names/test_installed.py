"""Tasks of installed packages are found by name, listed, scored and extended like the shipped ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TASK = """kind: task
name: harbour
version: 1.2.0
doc: Which harbour it is.
record: {response: answer.text, reference: gold}
score: casefold | equal
layouts:
  server: {data: "json,rows=*", record: {id: key, response: value.said, reference: value.gold}}
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    info, package = tmp_path / "site" / "acme_tasks-1.0.dist-info", tmp_path / "site" / "acme_tasks"
    info.mkdir(parents=True)
    package.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tasks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scoring.tasks]\nacme = acme_tasks\n")
    (package / "__init__.py").write_text("")
    (package / "harbour.yaml").write_text(TASK)
    return tmp_path / "site"


def said(site: Path, *arguments: str) -> str:
    path = os.pathsep.join([str(site), *(part for part in sys.path if part)])
    command = [sys.executable, "-m", "scoring", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=site)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_task_is_listed(site: Path) -> None:
    found = {one["name"]: one for one in json.loads(said(site, "list", "tasks", "--json"))}
    assert found["harbour@1.2.0"]["expects"] == ["id", "answer.text", "gold"]
    assert found["harbour@1.2.0"]["layouts"] == ["server"]
    assert found["harbour@1.2.0"]["doc"] == "Which harbour it is."
    assert {"squad@2", "wer@1"} <= found.keys()


def test_an_installed_task_scores_files_in_its_layout(site: Path) -> None:
    (site / "said.json").write_text('{"a": {"said": "Hull", "gold": "hull"}, "b": {"said": "Hull", "gold": "Leith"}}')
    run = json.loads(said(site, "score", "harbour@1", "said.json", "--json"))
    assert run["metrics"][0]["value"] == 0.5
