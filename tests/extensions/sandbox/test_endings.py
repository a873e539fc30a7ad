"""However a run ends, and at whatever moment: nothing that it has started goes on, and nothing it wrote is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from scoring.extensions.sandbox import SandboxJob, warm
from scoring.extensions.sandbox.runner import INSIDE
from tests.support.adopting import Adopted, adopted
from tests.support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

TASK = """
kind: task
name: programs
version: 1.0.0
fields:
  program: "run_tests(cases=record.cases, seconds=60.0, memory_mb=256)"
"""
# Two processes without an end, the second in a group of its own.
ENDLESS = """
import os, time
if os.fork() == 0:
    os.setsid()
while True:
    time.sleep(1000)
"""
# It ends, and what it has started does not.
LEAVING = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)"
# bwrap, its first process, the runner, the watcher, the program and what it has started; without bwrap the last four. A
# program of any other kind, such as that by which a sandbox is proved, is one less.
PROCESSES = {"bubblewrap": 6, "rlimits": 4}

# Runs one program as `rlimits` does, by another runner.
RUN = """
import sys
from pathlib import Path
from scoring.extensions.sandbox import SandboxJob, warm
from scoring.extensions.sandbox.protocol import Limits
warm.INSIDE = Path(sys.argv[1])
sandbox = warm.ResourceLimits()
sandbox._proved = True
sandbox.run(SandboxJob(sys.argv[2], limits=Limits(wall_seconds=3600.0)))
"""
# Holds the process of a program at a step until its watcher has ended, and says that it is there.
HELD = """
import contextlib, os, resource, time
_told, _runner = os.open({told!r}, os.O_WRONLY | os.O_APPEND), os.getpid()
def _held(step):
    def do(*given):
        done, watcher = step(*given), os.getppid()
        if os.getpid() != _runner and watcher != _runner:
            os.write(_told, b"here")
            while os.getppid() == watcher:
                time.sleep(0.001)
        return done
    return do
{step} = _held({step})
"""
# From its fork to its first line: alone, out of the group of its watcher, with a user, under its filter.
STEPS = ["os.fork", "os.setsid", "os.umask", "sys.setrecursionlimit", "resource.setrlimit"]
ENDS = {"the watcher is killed": signal.SIGKILL, "Ctrl-C": signal.SIGINT, "the run is killed": signal.SIGKILL}


def _nothing_is_left(of: Adopted) -> None:
    of.process.wait(PATIENCE)


def _altered(folder: Path, more: str) -> Path:
    """The script of a runner, with something that runs before it begins."""
    path = folder / "inside.py"
    head, last, tail = INSIDE.read_text(encoding="utf-8").rpartition('if __name__ == "__main__":')
    beside = head.replace("os.path.dirname(os.path.abspath(__file__))", repr(str(INSIDE.parent)))
    path.write_text(f"{beside}{more}\n{last}{tail}", encoding="utf-8")
    return path


@pytest.mark.parametrize("mode", PROCESSES)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_ends_all_that_it_has_started(mode: str, number: int, tmp_path: Path) -> None:
    task, data = tmp_path / "programs.yaml", tmp_path / "data.jsonl"
    task.write_text(TASK, encoding="utf-8")
    records = [
        {"id": str(n), "response": text, "cases": [{"input": "", "expected": "1"}]}
        for n, text in enumerate(["print(1)", ENDLESS])
    ]
    data.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    command = [sys.executable, "-m", "scoring", "score", str(task), str(data)]
    with adopted(command, {**os.environ, "SCORING_SANDBOX": mode}) as run:
        wait_until(lambda: len(run.living()) > PROCESSES[mode], run.process)  # with the run itself
        os.killpg(run.number, number)
        _nothing_is_left(run)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("step", STEPS)
def test_no_step_of_a_program_that_begins_can_be_outlived(step: str, end: str, tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.touch()
    held = _altered(tmp_path, HELD.format(told=str(told), step=step))
    with adopted([sys.executable, "-c", RUN, str(held), ENDLESS], os.environ) as run:
        wait_until(lambda: told.read_bytes(), run.process)
        _run, _runner, watcher = run.living()[:3]
        os.kill(watcher if end == "the watcher is killed" else run.number, ENDS[end])
        if end == "the watcher is killed":  # and so is that of the second try, in a fresh runner
            wait_until(lambda: len(told.read_bytes()) > 4, run.process)
            os.kill(run.living()[2], ENDS[end])
        _nothing_is_left(run)


def test_what_a_program_leaves_behind_is_ended_without_a_namespace_too(tmp_path: Path) -> None:
    with adopted([sys.executable, "-c", RUN, str(INSIDE), LEAVING], os.environ) as run:
        _nothing_is_left(run)


# The watcher is not let run between its look at the pipes, in which nothing stands, and its look at the program.
LATE = """
import os, select
_look, _late = select.select, []
def _looked(reading, writing, odd, timeout=None):
    if len(reading) > 1 and not _late:
        _late.append(os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT))
        return [], [], []
    return _look(reading, writing, odd, timeout)
select.select = _looked
"""


def test_what_a_program_has_written_is_read_however_late_its_watcher_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "INSIDE", _altered(tmp_path, LATE))
    assert warm.ResourceLimits().run(SandboxJob("print('x' * 5000)\nprint('y')"))[0].stdout == "x" * 5000 + "\ny\n"
