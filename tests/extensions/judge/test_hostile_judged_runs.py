"""Run folders of strangers whose records a judge scored: what they say of judge and opinions is held to its kinds."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from tests.support.judge_server import JudgeServer
from tests.support.judged_files import write_files

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("URL", "MODEL", "CACHE", "REPLAY"):
        monkeypatch.delenv(f"SCORING_JUDGE_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, 10)
    with JudgeServer() as server:
        judge = ["--judge-url", server.url, "--judge-model", "m,n", "--judge-cache", "judge.db"]
        assert main(["score", "task.yaml", "records.jsonl", "-o", "run", *judge, "--judge-prices", "1", "2"]) == 0
    return tmp_path / "run"


ASKED: dict[str, tuple[str, Any]] = {
    "a model of numbers": ("model", 5),
    "no model": ("model", None),
    "a cache of numbers": ("cache", 5),
    "a cache of lists": ("cache", ["x"]),
    "a seed of letters": ("seed", "x"),
    "a seed below zero": ("seed", -1),
    "a seed that is true": ("seed", True),
    "restarts in parts": ("restarts", 1e9),
    "prices of letters": ("prices", "ab"),
    "one price": ("prices", [1]),
    "a price of letters": ("prices", [1, "x"]),
    "a price that is none": ("prices", [1, float("nan")]),
    "a mapping of prices": ("prices", {}),
}


@pytest.mark.parametrize("change", ASKED.values(), ids=ASKED)
def test_how_a_judge_was_asked_is_held_to_its_kinds(run: Path, change: tuple[str, Any], capsys: Capture) -> None:
    _asked(run, *change)
    assert main(["verify", "run"]) == 2
    assert "the manifest of the run has an entry about its judge that no run has" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        ("/dev/zero", "the replies of the run's judge are not here"),
        ("a\0b", "the replies of the run's judge are not here"),
        (".", "the replies of the run's judge are not here"),
        ("task.yaml", "task.yaml is not a judge cache"),
        ("new/judge.db", "the replies of the run's judge are not here"),
    ],
)
def test_a_cache_that_a_manifest_names_is_read_and_never_made(
    run: Path, cache: str, said: str, capsys: Capture
) -> None:
    _asked(run, "cache", cache)
    (run.parent / "new").mkdir()
    assert main(["verify", "run"]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not list((run.parent / "new").iterdir())


def test_a_panel_has_so_many_members_at_most(run: Path, capsys: Capture) -> None:
    _asked(run, "model", "m," * 100_000)
    assert main(["verify", "run"]) == 1
    assert "100,000 models are named, but a panel has at most 32" in capsys.readouterr().err


def _asked(run: Path, name: str, value: Any) -> None:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"]["judge"][name] = value
    path.write_text(json.dumps(manifest))


def opinions(found: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda data: data["fields"]["answer"].update(notes={"opinions": found})


RECORDS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "notes of numbers": (lambda data: data["fields"]["answer"].update(notes=5), "record 2 of its scores is not one"),
    "a field of numbers": (lambda data: data["fields"].update(answer=5), "record 2 of its scores is not one"),
    "a field of nothing": (lambda data: data["fields"].update(answer={}), "record 2 of its scores is not one"),
    "a score beyond all": (lambda data: data.update(score=10**400), "record 2 of its scores is not one"),
    "attributes of lists": (lambda data: data.update(attributes=[1]), "record 2 of its scores is not one"),
    "an opinion in words": (opinions({"m": "x", "n": 0}), "an opinion about record 1 is not a score"),
    "an opinion of lists": (opinions({"m": [1], "n": {}}), "an opinion about record 1 is not a score"),
    "an opinion beyond all": (opinions({"m": 1e308, "n": -1e308}), "an opinion about record 1 is not a score"),
    "an opinion of many digits": (opinions({"m": 10**400}), "an opinion about record 1 is not a score"),
    "an opinion that is none": (opinions({"m": float("nan")}), "an opinion about record 1 is not a score"),
    "many raters": (opinions({f"m{n}": 1 for n in range(2_000)}), "has more than 256 raters"),
}


@pytest.mark.parametrize(("change", "said"), RECORDS.values(), ids=RECORDS)
def test_what_a_record_says_of_its_opinions_is_held_to_its_kinds(
    run: Path, change: Callable[[dict[str, Any]], Any], said: str, capsys: Capture
) -> None:
    path = run / "scores.jsonl"
    lines = path.read_text().splitlines()
    data = copy.deepcopy(json.loads(lines[1]))
    change(data)
    path.write_text("\n".join([lines[0], json.dumps(data), *lines[2:]]) + "\n")
    capsys.readouterr()
    assert main(["judge", "agreement", "run", "--labels", "human"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("change", ["no cache", "no such file", "no judge"])
def test_a_run_of_a_stranger_asks_nobody(
    run: Path, change: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a judge is asked costs whoever verifies, and may say what their key is good for."""
    if change == "no judge":
        manifest = json.loads((run / "manifest.json").read_text())
        del manifest["settings"]["judge"]
        (run / "manifest.json").write_text(json.dumps(manifest))
    else:
        _asked(run, "cache", None if change == "no cache" else "gone.db")
    with JudgeServer() as server:
        monkeypatch.setenv("SCORING_JUDGE_URL", server.url)
        monkeypatch.setenv("SCORING_JUDGE_MODEL", "m")
        codes = [main(["verify", "run"]), main(["verify", "run", "-o", "again"])]
        assert not server.requests
    assert set(codes) <= {1, 2}
    said = {"no cache": "kept no replies of its judge", "no such file": "restore gone.db"}
    assert said.get(change, "a replay needs a judge cache") in capsys.readouterr().err
