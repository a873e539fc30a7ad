"""One writer at a time: real processes that want one folder, and are killed at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring import system
from scoring.cli.main import main
from scoring.data.output import OpenFolder
from scoring.engine.runs import folder as runs_folder
from scoring.engine.runs.folder import SCORES, UNFINISHED
from scoring.engine.runs.lock import LOCK, FolderLock
from tests.support.forked import nursery
from tests.support.waiting import PATIENCE, running, wait_until
from tests.unit.engine.runs.test_folder import digests, manifest_of

SPEC = {"kind": "task", "name": "t", "version": "1.0.0", "score": "levenshtein"}


PROGRAM = "import sys; from scoring.cli.main import main; sys.exit(main())"


def arguments(folder: Path, data: str, *more: str) -> list[str]:
    return ["score", str(folder / "task.json"), data, "-o", str(folder / "run"), *more]


def command(folder: Path, data: str, *more: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments(folder, data, *more)]


FILES = {"manifest.json", "scores.jsonl", "summary.json", "texts.json"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "task.json").write_text(json.dumps(SPEC))
    return tmp_path


def write_records(path: Path, count: int) -> Path:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefgh", k=30)) for _ in range(200)]
    rows = ({"id": n, "response": chance.choice(words), "reference": chance.choice(words)} for n in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def told(arguments: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(arguments, input="", capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stderr


def test_a_folder_in_which_a_run_writes_is_refused_with_its_writer_and_taken_over_once_that_is_killed(
    folder: Path,
) -> None:
    data = write_records(folder / "data.jsonl", 10)
    with running(command(folder, "-"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as first:
        wait_until(lambda: (folder / "run" / LOCK).exists() and (folder / "run" / LOCK).read_text() != "", first)
        status, message = told(command(folder, str(data)))
        assert status == 2
        assert f"is being written by process {first.pid} on {socket.gethostname()}, since 2" in message
        first.send_signal(signal.SIGKILL)
        assert first.wait(PATIENCE) == -signal.SIGKILL
    assert (folder / "run" / LOCK).exists(), "nobody takes it away"
    assert told(command(folder, str(data)))[0] == 0
    assert {path.name for path in (folder / "run").iterdir()} == FILES


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_run_that_is_told_to_end_says_so_in_one_line(folder: Path, number: int, status: int, processes: str) -> None:
    program = [*command(folder, str(write_records(folder / "data.jsonl", 60_000)), "--processes", processes)]
    # A suite that was itself started in the background ignores SIGINT, and so would its children.
    program[2] = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + program[2]
    with running(program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        wait_until(lambda: any((folder / "run").glob(".unfinished/scores.jsonl.*")), run)
        run.send_signal(number)
        assert run.stderr is not None
        assert run.wait(PATIENCE) == status, run.stderr.read()
        said = run.stderr.read().decode()
    assert said.count("\n") == 1
    assert said.startswith("scoring: ")


def test_threads_of_one_process_are_held_apart_too(tmp_path: Path) -> None:
    first = FolderLock(tmp_path, "runs/x")
    first.take()
    with pytest.raises(scoring.InputError, match=r"^runs/x is being written by process \d+ on .*; wait until it is"):
        FolderLock(tmp_path, "runs/x").take()
    first.release()
    assert not (tmp_path / LOCK).exists()
    again = FolderLock(tmp_path, "runs/x")
    again.take()
    again.release()


def test_a_lock_that_somebody_removed_is_noticed_before_anything_is_published(folder: Path) -> None:
    data = write_records(folder / "data.jsonl", 10)

    def remove(records: int, share: float | None) -> None:
        (folder / "run" / LOCK).unlink(missing_ok=True)

    with pytest.raises(scoring.InputError, match=r"was removed while this run wrote into"):
        scoring.evaluate(folder / "task.json", data, output=folder / "run", on_progress=remove)
    assert not (folder / "run" / "manifest.json").exists()
    assert not (folder / "run" / "scores.jsonl").exists()


GONE = 2**22 + 1
"""A process that no Linux has."""


@pytest.mark.parametrize(
    ("holder", "is_free"),
    [
        ({}, True),
        ({"pid": GONE, "host": os.uname().nodename, "since": "2026"}, True),
        ({"pid": os.getpid(), "host": os.uname().nodename, "since": "2026"}, False),
        ({"pid": GONE, "host": "another", "since": "2026"}, False),
    ],
)
def test_where_nothing_can_be_locked_the_word_of_the_file_counts(
    tmp_path: Path, holder: dict[str, Any], is_free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOCK).write_text(json.dumps(holder))
    monkeypatch.setattr(system, "try_lock", lambda file: None)
    taken = FolderLock(tmp_path, "runs/x")
    if is_free:
        taken.take()
        taken.release()
    else:
        with pytest.raises(scoring.InputError, match=rf"written by process {holder['pid']} on {holder['host']}, since"):
            taken.take()


def test_at_every_step_of_a_run_that_replaces_another_a_reader_sees_a_whole_one_or_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed between two steps leaves what a reader sees there."""
    seen: list[bool | None] = []

    def looking(step: Any) -> Any:
        def taken(*given: Any) -> None:
            step(*given)
            if (folder / "run" / "manifest.json").exists():
                seen.append(manifest_of(folder / "run")["files"].items() <= digests(folder / "run").items())
            else:
                seen.append(None)

        return taken

    first, second = (write_records(folder / f"data{n}.jsonl", 5 + n) for n in range(2))
    scoring.evaluate(SPEC, first, output=folder / "run")
    monkeypatch.setattr(OpenFolder, "move", looking(OpenFolder.move))
    monkeypatch.setattr(runs_folder, "_remove", looking(runs_folder._remove))
    scoring.evaluate(SPEC, second, output=folder / "run", force=True)
    assert False not in seen
    assert seen[-1]
    assert seen.count(None) > 4, "scores and summary were removed, and others put there"


@pytest.mark.parametrize("seed", [1, 2])
def test_runs_that_want_one_folder_and_are_killed_never_leave_a_mixed_one(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = [str(write_records(folder / f"data{n}.jsonl", 40 + 30 * n)) for n in range(3)]
    scoring.evaluate(SPEC, data[0], output=folder / "alone", keep_values=False, keep_records=False)
    stop = threading.Event()
    odd: list[str] = []

    def watch() -> None:  # a reader at any moment sees a whole run or none
        while not stop.wait(0.001):
            try:
                before = (folder / "run" / "manifest.json").read_bytes()
                found = (folder / "run" / "scores.jsonl").read_bytes()
                again = (folder / "run" / "manifest.json").read_bytes()
            except OSError:
                continue
            if b"\0" in found:
                odd.append("NUL bytes")
            if before == again and json.loads(before)["records"]["count"] != found.count(b"\n"):
                odd.append("mixed")

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with nursery() as begun:
            for _ in range(6):
                runs = [begun.begin(PROGRAM, arguments(folder, one, "--force"), folder) for one in data]
                for run in runs:
                    time.sleep(chance.uniform(0.0, 0.2))
                    os.kill(run.pid, chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
                for run in runs:
                    run.wait()
    finally:
        stop.set()
        watcher.join()
    assert not odd
    assert told(command(folder, data[0], "--force"))[0] == 0
    assert manifest_of(folder / "run")["files"] == digests(folder / "run")
    assert (folder / "run" / "scores.jsonl").read_bytes() == (folder / "alone" / "scores.jsonl").read_bytes()


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system opens links whatever one asks for")
@pytest.mark.parametrize("name", [LOCK, UNFINISHED, SCORES])
def test_links_in_a_folder_that_a_stranger_made_cost_nobody_a_file(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(write_records(folder / "data.jsonl", 10))
    (folder / "run").mkdir()
    (folder / "others").mkdir()
    kept = folder / "others" / "part-00001.parquet"
    kept.write_text("somebody's own")
    (folder / "run" / name).symlink_to(kept if name == LOCK else kept.parent)
    status, message = main(arguments(folder, data, "--force")), capsys.readouterr().err
    assert kept.read_text() == "somebody's own"
    assert os.listdir(folder / "others") == [kept.name]
    assert status == 2
    assert f"run/{name}" in message
    assert "choose another folder" in message or f"{name} is not a file of a run; remove it" in message
