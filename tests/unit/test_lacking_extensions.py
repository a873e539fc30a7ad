"""What needs an extension says so in a line where none is installed; what does not goes on with the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.registry import plugins
from scoring.runs import bundle, verify

SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
ROWS = [{"id": number, "response": str(number % 7), "reference": str(number % 5)} for number in range(400)]


def forget_services(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the core without any service of an extension."""
    left = {name: place for name, place in plugins.PLUG_INS.items() if not name.startswith("scoring.services:")}
    monkeypatch.setattr(plugins, "PLUG_INS", left)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a task and data, which is the current folder."""
    (tmp_path / "task.yaml").write_text(json.dumps(SPEC))
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    (tmp_path / "scoring.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(**options: Any) -> scoring.Run:
    return scoring.evaluate("task.yaml", "rows.jsonl", **options)


def written(run: Path) -> dict[str, Any]:
    """The files of a run; of its manifest all but when it was made."""
    files: dict[str, Any] = {path.name: path.read_bytes() for path in run.iterdir()}
    made = {"created", "seal"}
    files["manifest.json"] = {k: v for k, v in json.loads(files["manifest.json"]).items() if k not in made}
    return files


NEEDS: dict[str, Callable[[], object]] = {
    "--frozen": lambda: scoring.check("task.yaml", frozen=True),
    "--against": lambda: scoring.check("task.yaml", against={**SPEC, "version": "0.9.0"}),
    "`explain` of a name": lambda: scoring.explain("equal"),
    "--trust": lambda: verify("run", trust="scoring.toml"),
    "--parts": lambda: score(parts="parts"),
    "--engine": lambda: score(engine="ray"),
    "--state sums": lambda: score(state="sums"),
}


@pytest.mark.parametrize("option", NEEDS)
def test_an_option_of_an_extension_says_that_it_lacks(option: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score(output="run")
    forget_services(monkeypatch)
    with pytest.raises(
        scoring.InputError, match=rf"^{option} needs an extension that provides `[a-z-]+`, and none is installed$"
    ):
        NEEDS[option]()


def test_scorers_are_compared_by_an_extension(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_services(monkeypatch)
    assert main(["score", "task.yaml", "rows.jsonl", "--dialects"]) == 2
    told = "--dialects needs an extension that provides `compare-dialects`, and none is installed"
    assert capsys.readouterr().err == f"scoring: {told}\n"


def test_processes_are_of_the_core(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run by several processes has the same bytes, whoever hands out the data."""
    assert main(["score", "task.yaml", "rows.jsonl", "-o", "with", "--processes", "2"]) == 0
    forget_services(monkeypatch)
    assert main(["score", "task.yaml", "rows.jsonl", "-o", "without", "--processes", "2"]) == 0
    assert written(desk / "with") == written(desk / "without")


@pytest.mark.parametrize("place", ["run/manifest.json.sig", "run.zip.sig"])
def test_a_signature_that_nobody_reads_is_told(place: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score(output="run")
    run = "run.zip" if place.startswith("run.zip") else "run"
    bundle("run", "run.zip")
    forget_services(monkeypatch)
    notes: list[str] = []
    assert verify(run, on_note=notes.append).passed
    assert notes == []
    (desk / place).write_text("whatever it says")
    assert verify(run, on_note=notes.append).passed
    assert notes == [f"{run} has a signature that was not checked: no extension that reads signatures is installed"]
