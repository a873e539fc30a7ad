"""Runs that are stopped at any point go on, and leave the bytes of one that nothing disturbed."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.api import paths, sources
from scoring.cli.main import main
from scoring.engine.road import checkpoint
from scoring.engine.runs import folder as runs
from scoring.engine.runs.manifest import sealed
from tests.support.forked import Nursery, nursery
from tests.support.waiting import PATIENCE

SPEC = {
    "kind": "task", "name": "t", "version": "1.0.0",
    "parse": "json",
    "fields": {"a": "equal", "b": {"score": "levenshtein", "weight": 2}},
    "metrics": ["mean", "pass_rate", "quantile(q=0.3)"], "pass": "score >= 0.7", "by": ["lang"],
}  # fmt: skip
COUNT = 400
WIDE = 700
"""So long are some texts that the input is read in several goes."""
PROGRAM = """
import os, sys
from scoring.engine.road import checkpoint
from scoring.engine.runs import folder
from scoring.api import sources
checkpoint.EVERY, checkpoint._SHARE = 0.0, 0
sources.LOOKED_AT = 20
# Steps that others can see; the process ends at one of them, as by SIGKILL, with nothing flushed or put in order.
left = int(sys.argv[1])
def ends(function):
    def step(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return step
os.replace = ends(os.replace)
folder.SealedFile.write = ends(folder.SealedFile.write)
folder._remove = ends(folder._remove)
from scoring.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "_SHARE", 0)
    monkeypatch.setattr(paths, "LOOKED_AT", 20)
    monkeypatch.setattr(sources, "LOOKED_AT", 20)


def record(number: int, chance: random.Random) -> dict[str, Any]:
    words = ["alpha", "beta", "gamma ray", "dçlta", ""]
    parts = {name: chance.choice(words) for name in "ab"}
    response = {name: chance.choice((value, chance.choice(words))) for name, value in parts.items()}
    # An id stands twice, one response is none, one reference is of another kind.
    oddities: dict[int, dict[str, Any]] = {7: {"id": "q6"}, 50: {"response": None}, 90: {"reference": 3}}
    odd = oddities.get(number, {})
    lang = chance.choice(["de", "en"])
    more = "" if number % 2 else "x" * WIDE
    return {"id": f"q{number}", "response": response, "reference": parts, "lang": lang, "more": more, **odd}


def lines(count: int = COUNT) -> str:
    chance = random.Random(5)
    rows = [json.dumps(record(number, chance)) for number in range(count)]
    rows[20] = "no json"
    return "".join(row + "\n" for row in rows)


def write_files(tmp_path: Path) -> Path:
    """Write specs and data in several forms into a folder, and return it."""
    (tmp_path / "task.json").write_text(json.dumps(SPEC))
    (tmp_path / "data.jsonl").write_text(lines())
    (tmp_path / "data.jsonl.gz").write_bytes(gzip.compress(lines().encode()))
    for name in ("response", "reference"):
        rows = [json.loads(row) for row in lines().splitlines() if row != "no json"]
        kept = [{"id": row["id"], name: row[name], "lang": row["lang"]} for row in rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    with (tmp_path / "quoted.csv").open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["id", "response:json", "reference:json", "lang"])
        for row in (json.loads(row) for row in lines().splitlines() if row != "no json"):
            writer.writerow([row["id"], json.dumps(row["response"]), json.dumps(row["reference"]), row["lang"]])
    rows = [json.loads(row) for row in lines().splitlines() if row != "no json"]
    (tmp_path / "suite").mkdir()
    for name in ("one", "two"):
        spec = {**SPEC, "name": name, "metrics": ["mean"]}
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
        (tmp_path / "suite" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:200]))
    suite = {"kind": "suite", "name": "s", "version": "1.0.0", "tasks": ["one.json", "two.json"]}
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path)


WAYS: dict[str, list[str]] = {
    "rows": ["task.json", "data.jsonl"],
    "packed": ["task.json", "data.jsonl.gz"],
    "two files": ["task.json", "response.jsonl", "--references", "reference.jsonl"],
    "a limit": ["task.json", "data.jsonl", "--limit", "300"],
    "processes": ["task.json", "data.jsonl", "--processes", "2"],
    "processes on one stream": ["task.json", "data.jsonl.gz", "--processes", "2"],
}


def content(run: Path) -> dict[str, Any]:
    """All files of a folder; of the manifest all but the times that it states."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in run.rglob("*") if path.is_file()):
        found[path.relative_to(run).as_posix()] = path.read_bytes()
    manifest = json.loads(found["manifest.json"])
    del manifest["created"], manifest["seal"]
    return {**found, "manifest.json": manifest}


@pytest.fixture(scope="module")
def begun() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


def score(begun: Nursery, folder: Path, way: list[str], out: str, step: int = 0, program: str = PROGRAM) -> int:
    run = begun.begin(program, [str(step), "score", *way, "-o", out, "--batch-size", "16"], folder)
    status = run.wait()
    assert status in (0, -signal.SIGKILL), run.said()
    return status


def check_killed(begun: Nursery, folder: Path, way: list[str], seed: str, program: str = PROGRAM) -> None:
    """Check that a run that is killed again and again ends with the bytes of one that is not."""
    assert score(begun, folder, way, "calm", program=program) == 0
    chance, killed = random.Random(seed), 0
    for number in range(2):
        for _ in range(6):  # again and again, a few steps on each time
            killed += (
                code := score(begun, folder, way, f"run{number}", chance.choice([1, 2, 5, 9, 17, 30, 45]), program)
            ) != 0
            if code == 0:
                break
        if not (folder / f"run{number}" / "manifest.json").exists():
            assert score(begun, folder, way, f"run{number}", program=program) == 0
        found = {name: held for name, held in content(folder / f"run{number}").items() if not name.startswith(".")}
        assert found == content(folder / "calm")
    assert killed > 4


@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_killed_at_any_step_ends_with_the_bytes_of_one_that_is_not(
    begun: Nursery, folder: Path, way: str
) -> None:
    check_killed(begun, folder, WAYS[way], way)


@pytest.fixture
def stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that was stopped after half of its records."""
    monkeypatch.chdir(folder)
    stop(120)
    assert (folder / "run" / ".unfinished" / "checkpoint.json").exists()
    return folder


def options(**more: Any) -> dict[str, Any]:
    return {"output": "run", "batch_size": 16, "keep_values": False, "keep_records": False, **more}


def stop(at: int) -> None:
    def told(records: int, share: float | None) -> None:
        if records > at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scoring.evaluate("task.json", "data.jsonl", **options(on_progress=told))


def test_what_stands_is_not_scored_again(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    counts: list[int] = []
    scoring.evaluate(
        "task.json", "data.jsonl", **options(on_note=said.append, on_progress=lambda count, share: counts.append(count))
    )
    assert said == ["continues after the 112 records that are in run"]
    assert counts[0] == 128
    assert counts[-1] == COUNT
    assert (stopped / "run" / "manifest.json").exists()
    assert not (stopped / "run" / ".unfinished").exists()


@pytest.mark.parametrize("processes", [1, 2])
def test_more_processes_go_on_as_well(stopped: Path, processes: int) -> None:
    scoring.evaluate("task.json", "data.jsonl", **options(processes=processes))
    scoring.evaluate("task.json", "data.jsonl", **options(output="calm"))
    assert content(stopped / "run") == content(stopped / "calm")


def change_spec() -> None:
    Path("task.json").write_text(json.dumps({**SPEC, "pass": "score >= 0.8"}))


def change_record() -> None:
    """The meaning is the same: what was scored was another answer of each record, which the signature says."""
    Path("task.json").write_text(json.dumps({**SPEC, "record": {"response": "reference"}}))


def change_groups() -> None:
    Path("task.json").write_text(json.dumps({**SPEC, "by": ["more"]}))


def change_data() -> None:
    Path("data.jsonl").write_text(lines().replace("alpha", "omega", 3))


def cut_data() -> None:
    Path("data.jsonl").write_text("".join(lines().splitlines(keepends=True)[:20]))


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (change_spec, {}, "run holds a stopped run of another signature: t@1.0.0.* and now t@1.0.0"),
        (lambda: None, {"limit": 9}, "run holds a stopped run of another limit: none and now 9; --force drops"),
        (change_record, {}, r"of another signature: .* and now .*\|reads:response=reference\|.*; --force drops"),
        (change_groups, {}, r"of another breakdowns: \['lang'\] and now \['more'\]; --force drops"),
        (lambda: None, {"seed": 5}, "of another signature"),
        (change_data, {}, r"data\.jsonl is not what the stopped run read; score it again with --force"),
        (cut_data, {}, r"data\.jsonl is not what the stopped run read; score it again with --force"),
    ],
)
def test_what_is_another_run_now_is_refused_until_it_is_forced(
    stopped: Path, change: Callable[[], None], more: dict[str, Any], message: str
) -> None:
    change()
    with pytest.raises(scoring.InputError, match=message):
        scoring.evaluate("task.json", "data.jsonl", **options(**more))
    assert (stopped / "run" / ".unfinished" / "checkpoint.json").exists(), "it is still there for whoever goes back"


@pytest.mark.parametrize("change", [change_spec, change_record, change_groups, change_data, cut_data])
def test_force_drops_what_is_of_another_run(stopped: Path, change: Callable[[], None]) -> None:
    change()
    scoring.evaluate("task.json", "data.jsonl", **options(force=True))
    scoring.evaluate("task.json", "data.jsonl", **options(output="calm"))
    assert content(stopped / "run") == content(stopped / "calm")


def damage_lines() -> None:
    (path,) = Path("run/.unfinished").glob("scores.jsonl.*")
    path.write_bytes(path.read_bytes().replace(b"scored", b"storey", 1))


def damage_checkpoint() -> None:
    path = Path("run/.unfinished/checkpoint.json")
    path.write_text(path.read_text().replace('"records":', '"records": 1'))


def forge_checkpoint() -> None:
    path = Path("run/.unfinished/checkpoint.json")
    held = {**json.loads(path.read_text()), "lanes": [{"records": "many", "state": []}]}
    path.write_text(json.dumps(sealed(held)))


def forge_one_without_files() -> None:
    path = Path("run/.unfinished/checkpoint.json")
    held = json.loads(path.read_text())
    del held["files"]
    path.write_text(json.dumps(sealed(held)))


@pytest.mark.parametrize("damage", [damage_lines, damage_checkpoint, forge_checkpoint, forge_one_without_files])
def test_what_is_damaged_is_scored_anew(stopped: Path, damage: Callable[[], None]) -> None:
    damage()
    scoring.evaluate("task.json", "data.jsonl", **options())
    scoring.evaluate("task.json", "data.jsonl", **options(output="calm"))
    assert content(stopped / "run") == content(stopped / "calm")


def test_an_interrupted_command_says_how_it_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    keep = runs.RunFolder.keep

    def stop(*arguments: Any) -> None:
        keep(*arguments)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)

    monkeypatch.setattr(runs.RunFolder, "keep", stop)
    command = ["score", "task.json", "data.jsonl", "-o", "run", "--batch-size", "16"]
    assert main(command) == 143
    said = capsys.readouterr().err.splitlines()
    assert said[-2:] == [
        "scoring: what was scored stands in run; the same command goes on behind it",
        "scoring: terminated",
    ]
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert main(command) == 0
    assert "continues after the 16 records" in capsys.readouterr().err


def test_an_interrupt_before_the_first_record_is_one_whatever_stands_in_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: runs.RunFolder, form: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs.RunFolder, "scores", interrupted)
    monkeypatch.setattr(runs.RunFolder, "is_in_parts", False)
    monkeypatch.chdir(folder)
    with pytest.raises(KeyboardInterrupt):
        scoring.evaluate("task.json", "data.jsonl", **options())


def clocks() -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += 1.0


def test_keeping_takes_a_small_share_of_the_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = clocks()
    monkeypatch.setattr(checkpoint, "_SHARE", 40)
    kept: list[int] = []
    monkeypatch.setattr(checkpoint, "monotonic", lambda: next(ticks))
    monkeypatch.setattr(runs.RunFolder, "keep", lambda self, held: kept.append(1))
    monkeypatch.chdir(folder)
    scoring.evaluate("task.json", "data.jsonl", **options(batch_size=1))
    # Each time it took a second of this clock, so forty pass before the next.
    assert 8 <= len(kept) <= COUNT // 40 + 1
