"""What says how files are read is kept, and `verify` reads the same way."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.cli.main import main
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.manifest import sealed
from tests.extensions.columns.test_settings_of_formats import EMPTY, FILES, SPEC, by_data, by_path, by_task, run_with
from tests.extensions.columns.test_signatures_of_data import CELLS, TASK, printed, scored
from tests.support.formats import PACK, delimited, general_formats, read_here
from tests.unit.cli.test_formats import ANSWERS, PATHS, SCORES, SUITE, TRUTHS, World


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps(SPEC))


def in_parts(data: str, **how: Any) -> Any:
    return scoring.evaluate("t.json", data, parts="parts", **how)


@pytest.mark.parametrize("door", [by_path, by_data, by_task, in_parts])
@pytest.mark.parametrize("setting", FILES)
def test_a_run_is_read_by_the_settings_that_it_was_made_with(setting: str, door: Callable[..., Any]) -> None:
    run_with(setting, door)
    verified = scoring.runs.verify("run")
    assert (verified.same, verified.data["versions"]) == (True, ())
    Path("d.csv").rename("elsewhere.csv")
    verified = scoring.runs.verify("run", data="elsewhere.csv")
    assert (verified.same, verified.data["versions"]) == (True, ())
    if door is not in_parts:
        scoring.runs.bundle("run", "run.zip", data="elsewhere.csv")
        verified = scoring.runs.verify("run.zip")
        assert (verified.same, verified.data["versions"]) == (True, ())


def test_verify_refuses_a_signature_that_hides_a_setting() -> None:
    Path("d.csv").write_bytes(EMPTY)
    scoring.evaluate("t.json", "d.csv", input_format="csv,empty=text", output="run")
    for name in ("manifest.json", "summary.json"):
        held = json.loads(Path("run", name).read_text().replace("|format:empty=text", ""))
        if name == "manifest.json":
            files = {**held["files"], "summary.json": ""}
            held = sealed({**held, "files": files})
        Path("run", name).write_text(dumps_pretty(held))
    found = scoring.runs.verify("run")
    assert not found.same
    assert found.data["signature"] is not None


def test_a_run_with_settings_verifies_and_no_other_signature_does(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text(TASK)
    Path("rows.csv").write_text(CELLS)
    scored("run", "--input-format", "csv,empty=text,encoding=latin-1")
    code, told = printed(capsys, "verify", "run")
    assert code == 0, told
    manifest = Path("run", "manifest.json")
    manifest.write_text(manifest.read_text().replace("|format:empty=text, encoding=iso8859-1", ""))
    code, told = printed(capsys, "verify", "run")
    assert code == 1
    assert "format absent → empty=text, encoding=iso8859-1" in told


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("kind", general_formats())
def test_a_run_over_every_format_of_data_is_verified(tmp_path: Path, kind: str, packed: str) -> None:
    with read_here() if packed else contextlib.nullcontext():
        check_verified(tmp_path, kind, packed)


def check_verified(tmp_path: Path, kind: str, packed: str) -> None:
    world = World(tmp_path, kind, packed)
    predictions = world.data("p", [{"id": one["id"], "response": one["response"]} for one in ANSWERS])
    references = world.data("r", [{"id": one["id"], "gold": one["gold"]} for one in ANSWERS])
    spec = json.dumps({"kind": "task", "name": "words", "record": PATHS, "score": "equal"})
    tasks = world.data("listed", [{"name": "words", "spec": spec, "area": "letters"}])
    (tmp_path / "data").mkdir()
    world.data("data/words", ANSWERS)
    for number, given in enumerate(
        (
            ["words.yaml", world.data("a", ANSWERS)],
            ["words.yaml", predictions, "--references", references],
            ["tasks", world.data("s", SUITE)],
            ["suite.yaml", "data", "--tasks", tasks],
            ["labels.yaml", world.data("l", SCORES), "--references", world.data("t", TRUTHS)],
        )
    ):
        assert main(["score", *given, "-o", f"run{number}"]) == 0
        assert main(["verify", f"run{number}"]) == 0


@pytest.mark.parametrize("spec", ["words.yaml", "labels.yaml"])
def test_what_is_said_about_the_format_is_kept(tmp_path: Path, spec: str) -> None:
    world = World(tmp_path, "csv", "")
    records = ANSWERS if spec == "words.yaml" else SCORES
    (tmp_path / "a.txt").write_bytes(delimited(records, "\t").decode().encode("utf-16-le"))
    truths = ["--references", world.data("t", TRUTHS)] if spec == "labels.yaml" else []
    said = ["--input-format", "csv,delimiter=tab,encoding=utf-16-le"]
    world.score(str(tmp_path / spec), str(tmp_path / "a.txt"), *truths, *said)
    assert main(["verify", "run"]) == 0
    role = "predictions" if truths else "records"
    assert world.read_of(role) == {"delimiter": "tab", "encoding": "utf-16-le"}


def test_settings_of_the_format_of_references_are_kept_and_part_of_the_signature() -> None:
    """An empty cell of the references is an empty answer, which is right, or a missing one, which is unscored."""
    Path("p.jsonl").write_text('{"id": "1", "response": ""}\n{"id": "2", "response": "b"}\n')
    Path("r.csv").write_text("id,reference\n1,\n2,c\n")
    given = ("t.json", "p.jsonl")
    usual = scoring.evaluate(*given, references="r.csv")
    run = scoring.evaluate(*given, references="r.csv", reference_format="csv,empty=text", output="run")
    assert [one.coverage for one in (usual, run)] == [0.5, 1.0]
    assert run.signature.parts["format"] == "references.empty=text"
    assert scoring.runs.verify("run").same
    Path("r.csv").rename("elsewhere.csv")
    assert scoring.runs.verify("run", references="elsewhere.csv").same


def test_verify_refuses_a_manifest_that_states_another_format_of_references() -> None:
    Path("p.jsonl").write_text('{"id": "1", "response": "a"}\n')
    Path("r").write_text('[{"id": "1", "reference": "a"}]')
    scoring.evaluate("t.json", "p.jsonl", references="r", reference_format="json", output="run")
    held = json.loads(Path("run", "manifest.json").read_text())
    held["settings"]["reference_format"] = "csv"
    Path("run", "manifest.json").write_text(dumps_pretty(sealed(held)))
    assert not scoring.runs.verify("run").same
