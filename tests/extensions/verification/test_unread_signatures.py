"""Signatures of runs where no extension that reads them is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

import scoring
from scoring.runs import bundle, verify
from tests.unit.test_lacking_extensions import forget_services


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    task = scoring.load({"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"})
    Path("rows.jsonl").write_text('{"id": 1, "response": "a", "reference": "a"}\n')
    task.evaluate("rows.jsonl", output="run")
    return tmp_path


def test_authors_to_trust_need_who_reads_signatures(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_services(monkeypatch)
    with pytest.raises(
        scoring.InputError, match=r"^--trust needs an extension that provides `[a-z-]+`, and none is installed$"
    ):
        verify("run", trust="scoring.toml")


@pytest.mark.parametrize("place", ["run/manifest.json.sig", "run.zip.sig"])
def test_a_signature_that_nobody_reads_is_told(place: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = "run.zip" if place.startswith("run.zip") else "run"
    bundle("run", "run.zip")
    forget_services(monkeypatch)
    notes: list[str] = []
    assert verify(run, on_note=notes.append).passed
    assert notes == []
    (desk / place).write_text("whatever it says")
    assert verify(run, on_note=notes.append).passed
    assert notes == [f"{run} has a signature that was not checked: no extension that reads signatures is installed"]
