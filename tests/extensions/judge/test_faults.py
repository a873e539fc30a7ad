"""A run that is killed again and again, against a server that fails one time in five, loses and pays nothing twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge_server import JudgeServer, every_fifth
from tests.support.waiting import PATIENCE, running, wait_until

REPOSITORY = Path(__file__).resolve().parents[3]
RECORDS = 600
KILLS = 3
WORKERS = 8


def start(server: JudgeServer, cache: Path, out: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.support.judge_run", server.url, str(cache), str(out), str(RECORDS)]
    return running(command, cwd=REPOSITORY)


def finish(server: JudgeServer, cache: Path, out: Path) -> list[Any]:
    with start(server, cache, out) as run:
        assert run.wait(PATIENCE) == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def kill_after(run: subprocess.Popen[bytes], server: JudgeServer, bills: int) -> None:
    """Kill a run whose server answers no more after so many bills."""
    server.hold_at = bills
    wait_until(lambda: len(server.billed) >= bills, run)
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait(PATIENCE) == -signal.SIGKILL, "it was under way"
    server.hold_at = None


@pytest.fixture(scope="module")
def calm_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], int]:
    """What a run gives that nothing disturbs, and how many calls it needs."""
    folder = tmp_path_factory.mktemp("calm")
    with JudgeServer() as calm:
        calm.keep_bodies = False
        return finish(calm, folder / "judge.db", folder / "out.jsonl"), len(calm.billed)


@pytest.mark.parametrize("idempotent", [True, False], ids=["server-honours-keys", "server-ignores-keys"])
def test_three_kills_and_one_failure_in_five_change_nothing(
    tmp_path: Path, idempotent: bool, calm_run: tuple[list[Any], int]
) -> None:
    undisturbed, calls_needed = calm_run
    with JudgeServer(plan=every_fifth, idempotent=idempotent) as server:
        server.keep_bodies = False
        cache, out = tmp_path / "judge.db", tmp_path / "out.jsonl"
        for kill in range(1, KILLS + 1):
            with start(server, cache, out) as run:
                kill_after(run, server, kill * calls_needed // (KILLS + 1))
            assert not out.exists()
        disturbed = finish(server, cache, out)
        failed = sum(server.faults.values())
    assert disturbed == undisturbed, "the result is the same to the last bit"
    assert [row["id"] for row in disturbed] == list(range(RECORDS)), "no record is lost, none is there twice"
    assert {row["status"] for row in disturbed} == {"scored"}
    assert failed >= 0.19 * server.number, "the server did fail"
    stored = sqlite3.connect(cache).execute("SELECT count(*) FROM calls").fetchone()[0]
    assert stored == calls_needed == len(server.billed)
    again = sum(count - 1 for count in server.billed.values())
    if idempotent:
        assert again == 0, "no call was billed twice"
    else:
        # Only what was under way at a kill, or cut off while it was being answered, can be asked again.
        assert again <= KILLS * WORKERS + server.faults["half"]


def test_a_finished_run_is_repeated_without_one_call(tmp_path: Path) -> None:
    from tests.support import judge_run

    calls: list[int] = []
    with JudgeServer() as server:
        for attempt in range(2):
            judge_run.main(server.url, str(tmp_path / "judge.db"), str(tmp_path / f"{attempt}.jsonl"), 40)
            calls.append(server.number)
    assert calls[0] == calls[1] > 40
    assert (tmp_path / "0.jsonl").read_text() == (tmp_path / "1.jsonl").read_text()
    assert json.loads((tmp_path / "1.jsonl.account").read_text())["calls"] == 0
