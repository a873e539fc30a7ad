"""What needs an extension says so in a line where none is installed; what does not goes on with the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.api import check_file
from scoring.cli.main import main
from scoring.project.file import parse_project_file
from scoring.registry import plugins

SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}
ROWS = [{"id": number, "response": str(number % 7), "reference": str(number % 5)} for number in range(400)]


def forget_services(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the core without any service of an extension."""
    forget("scoring.services", monkeypatch)


def forget(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(plugins.PLUG_INS, group, raising=False)


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
    "`explain`": lambda: scoring.load(SPEC).explain(ROWS[0]),
    "`Scorer.explain`": lambda: scoring.scorer("equal").explain("a", "b"),
    "--parts": lambda: score(parts="parts"),
    "--engine": lambda: score(engine="ray"),
    "--state sums": lambda: score(state="sums"),
    "., which holds tasks,": lambda: scoring.evaluate(".", "rows.jsonl"),
    "`Task.score_columns`": lambda: scoring.load(SPEC).score_columns(["a"], ["a"]),
    "`Task.worker`": lambda: scoring.load(SPEC).worker(),
    "`references_as`": lambda: scoring.load(SPEC).score_parts("a", '"a"', references_as="json"),
}


@pytest.mark.parametrize("option", NEEDS)
def test_an_option_of_an_extension_says_that_it_lacks(option: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_services(monkeypatch)
    with pytest.raises(
        scoring.InputError, match=rf"^{option} needs an extension that provides `[a-z-]+`, and none is installed$"
    ):
        NEEDS[option]()


@pytest.mark.parametrize("verb", [scoring.check, scoring.evaluate])
def test_a_kind_of_file_of_an_extension_says_that_it_lacks(
    verb: Callable[[str], object], desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "suite.yaml").write_text("kind: suite\nname: s\nversion: 1.0.0\ntasks: [./task.yaml]\n")
    forget("scoring.kinds", monkeypatch)
    lacks = "^`kind: suite` needs an extension that provides `suite`, and none is installed$"
    with pytest.raises(scoring.InputError, match=lacks):
        verb("suite.yaml")


def test_a_key_of_an_extension_is_refused(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody reads a key that counts, it is not passed over."""
    forget("scoring.sections", monkeypatch)
    pack = {"kind": "pack", "name": "p", "version": "1.0.0", "judges": {"rate": {"prompt": "Rate it."}}}
    (desk / "pack.json").write_text(json.dumps(pack))
    assert main(["check", "pack.json"]) == 1
    told = "error[missing-distribution]: `judges:` is read by an extension that is not installed"
    assert capsys.readouterr().out.splitlines()[0] == told


def test_a_key_of_an_extension_that_moves_nothing_changes_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its form is checked all the same, by the schema."""
    before = score().summary
    forget("scoring.sections", monkeypatch)
    noted = {**SPEC, "audit": {"must": ["order"]}}
    (desk / "task.yaml").write_text(json.dumps(noted))
    after = score().summary
    assert (after["metrics"], after["signature"]) == (before["metrics"], before["signature"])
    (desk / "task.yaml").write_text("{kind: task, name: t, score: equal, audit: {most: [order]}}")
    assert [one.message for one in check_file("task.yaml")] == ["unknown key `most` in `audit`"]


def test_a_project_that_names_authors_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose signatures count matters to what is fetched, and nothing is where none are read."""
    forget_services(monkeypatch)
    found = parse_project_file('[packs]\nclose = { folder = "close" }\n[trust]\nrequire = ["close"]\n')
    assert found.trust is None
    assert list(found.packs) == ["close"]


def test_a_deprecated_definition_scores(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"score": "equal", "deprecated": {"for": "casefold | equal", "since": "1.0.0"}}
    pack = {"kind": "pack", "name": "p", "version": "1.0.0", "scorers": {"old": old}}
    (desk / "pack.yaml").write_text(json.dumps(pack))
    (desk / "task.yaml").write_text(json.dumps({**SPEC, "imports": {"p": "./pack.yaml"}, "score": "p.old"}))
    forget_services(monkeypatch)
    assert check_file("task.yaml") == ()
    assert score().summary["metrics"][0]["value"] == 0.15


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


def test_a_wrong_command_line_is_refused_without_advice(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_services(monkeypatch)
    refused = {
        ("run", "task.yaml"): "there is no command `run`; `scoring --help` lists them",
        (
            "check",
            "task.yaml",
            "--stric",
        ): "unrecognized arguments: --stric; write `scoring check SPEC [SPEC ...]` (see `scoring check --help`)",
    }
    for arguments, told in refused.items():
        assert main([*arguments]) == 2
        assert capsys.readouterr().err == f"scoring: {told}\n"
    (desk / "task.yaml").write_text("{kind: task, name: t, metric: equal}")
    assert [one.message for one in check_file("task.yaml") if one.id == "unknown-key"] == ["unknown key `metric`"]
