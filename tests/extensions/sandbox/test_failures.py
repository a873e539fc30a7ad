"""A failure of the sandbox is retried in a fresh runner, then unscored: never a failed case, never the end of a run."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring.extensions.sandbox import SandboxJob, set_sandbox
from scoring.extensions.sandbox.bubblewrap import Bubblewrap
from scoring.extensions.sandbox.groups import ControlGroup, find_parent_groups
from scoring.extensions.sandbox.runner import INSIDE, Runner

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

TASK = """
kind: task
name: programs
version: 1.0.0
fields:
  program: "run_tests(cases=record.cases, seconds=60.0, memory_mb=256)"
"""
HONEST = "print(int(input()) + 1)"
FAILING = "print(input())"
CASES = [{"input": "1", "expected": "2"}, {"input": "5", "expected": "6"}]
GOOD, BAD = ("scored", 1.0), ("scored", 0.0)


@pytest.fixture(scope="module")
def proved() -> Bubblewrap:
    """One that is known to run here, with no runner under way."""
    made = Bubblewrap()
    made.run(SandboxJob("print('it can run here')"))
    made.close()
    return made


@pytest.fixture
def sandbox(proved: Bubblewrap) -> Iterator[Bubblewrap]:
    with closing(proved):
        set_sandbox(proved)
        yield proved
        set_sandbox(None)


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "programs.yaml"
    path.write_text(TASK, encoding="utf-8")
    return path


def _records(*responses: str) -> list[dict[str, Any]]:
    return [{"id": str(n), "response": response, "cases": CASES} for n, response in enumerate(responses)]


def _scored(task: Path, *responses: str) -> list[dict[str, Any]]:
    """The field of every record of a run, as its folder holds it."""
    folder = task.parent / "run"
    shutil.rmtree(folder, ignore_errors=True)
    scoring.evaluate(task, _records(*responses), output=folder)
    lines = (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["fields"]["program"] for line in lines]


def _ends(fields: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(field["status"], field.get("score")) for field in fields]


# Each makes one step of the runner fail, as the machine would. What stands in them runs before the runner does.
FAULTS = {
    "no process for the watcher": "os.fork = failing(errno.EAGAIN)",
    "no process for the program": "begin, os.fork = os.fork, lambda: begin() if os.getpid() == 2 else failing(11)()",
    "no memory to fork": "os.fork = failing(errno.ENOMEM)",
    "no descriptors": "os.pipe = failing(errno.EMFILE)",
    "no room for the input": "os.memfd_create = failing(errno.ENOSPC)",
    "no output": "os.dup2 = failing(errno.EBADF)",
    "no limits": "resource.setrlimit = failing(errno.EINVAL)",
    "no folder": "os.chdir = failing(errno.EACCES)",
    "no session": "os.setsid = failing(errno.EPERM)",
    "no memory for the answer": "json.dumps = failing(MemoryError)",
    "no memory for the program": "sys.setrecursionlimit = failing(MemoryError)",
    "no input": "select.select = failing(errno.ENOMEM)",
    "the runner is killed": "os.waitpid = lambda *given: os.kill(os.getpid(), 9)",
    "the runner ends": "os.waitpid = lambda *given: os._exit(0)",
    "the runner says nothing of use": "json.dumps = lambda given: 'ok'",
    "the runner says too much": "json.dumps = lambda given: 'x' * 10 ** 7",
    "the runner says something else": "json.dumps = lambda given: '[]'",
    "the runner leaves out the rest": "json.dumps = lambda given: '{}'",
}
_BEFORE = """
import errno, json, os, resource, select, sys
def failing(what):
    def fail(*given):
        raise what if isinstance(what, type) else OSError(what, os.strerror(what))
    return fail
"""


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("times", [1, 2])
def test_a_fault_of_the_runner_is_tried_once_more_and_then_unscored(
    fault: str, times: int, sandbox: Bubblewrap, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = task.parent / "inside.py"
    head, last, tail = INSIDE.read_text(encoding="utf-8").rpartition('if __name__ == "__main__":')
    head = head.replace("import contextlib\n", f"{_BEFORE}import contextlib\n", 1)
    broken.write_text(f"{head}{fault}\n{last}{tail}", encoding="utf-8")
    broken.chmod(0o644)
    start, begun = sandbox._start, 0

    def started(*given: Any) -> Runner:
        nonlocal begun
        begun += 1
        with monkeypatch.context() as patch:
            if begun <= times:
                patch.setattr("scoring.extensions.sandbox.bubblewrap.INSIDE", broken)
            return start(*given)

    monkeypatch.setattr(sandbox, "_start", started)
    fields = _scored(task, HONEST, FAILING)
    assert _ends(fields)[1:] == [BAD]
    if times == 1:
        assert _ends(fields)[0] == GOOD
    else:
        assert fields[0]["status"] == "unscored"
        assert "the sandbox `bubblewrap` ended twice with this program" in fields[0]["reason"]
        assert "SyntaxError" not in fields[0]["reason"]


def test_a_sandbox_that_is_gone_during_a_run_leaves_the_rest_unscored(
    sandbox: Bubblewrap, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.extensions.sandbox.warm._MOST_CASES", 2)
    finish, done = sandbox.run, 0

    def run(program: SandboxJob) -> Any:
        nonlocal done
        done += 1
        if done == 3:
            monkeypatch.setattr(sandbox, "_executable", "/nowhere/bwrap")
        return finish(program)

    monkeypatch.setattr(sandbox, "run", run)
    fields = _scored(task, HONEST, FAILING, HONEST, HONEST)
    assert _ends(fields)[:2] == [GOOD, BAD]
    assert [field["status"] for field in fields[2:]] == ["unscored", "unscored"]
    assert "No such file" in fields[3]["reason"]


def test_a_process_without_descriptors_leaves_records_unscored(sandbox: Bubblewrap, task: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def few(program: SandboxJob) -> Any:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        try:
            return Bubblewrap.run(sandbox, program)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    sandbox.run = few  # type: ignore[method-assign]  # of this one object
    fields = _scored(task, HONEST)
    assert fields[0]["status"] == "unscored"
    assert "Too many open files" in fields[0]["reason"]
    del sandbox.run
    assert _ends(_scored(task, HONEST)) == [GOOD]


@pytest.mark.skipif(not find_parent_groups(), reason="no control group can be made here")
def test_a_machine_without_memory_leaves_the_record_unscored_and_a_limit_of_its_own_fails_it(
    sandbox: Bubblewrap, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = "kept = bytearray(b'x') * (180 << 20)\n" + HONEST
    many = "import os\nfor _ in range(4):\n    if os.fork() == 0:\n        kept = bytearray(b'x') * (180 << 20)\n"
    many += "        os.read(os.pipe()[0], 1)\nos.wait()\n" + HONEST
    fields = _scored(task, greedy, many)
    assert _ends(fields) == [GOOD, BAD]
    assert "its processes together used more than 256 MiB" in fields[1]["reason"]
    sandbox.close()
    above = ControlGroup()
    above.limit(64 << 20, 100)
    monkeypatch.setattr("scoring.extensions.sandbox.groups.find_parent_groups", lambda: above._folders)
    fields = _scored(task, greedy, HONEST)
    sandbox.close()
    monkeypatch.undo()
    above.remove()
    assert _ends(fields)[1] == GOOD
    assert fields[0]["status"] == "unscored"
    assert "the machine ran out of memory" in fields[0]["reason"]


@pytest.mark.skipif(not find_parent_groups(), reason="no control group can be made here")
def test_no_control_group_is_left(sandbox: Bubblewrap) -> None:
    def left() -> list[Path]:
        return [found for place in find_parent_groups().values() for found in place.glob(f"scoring-{os.getpid()}-*")]

    from scoring.extensions.sandbox.groups import remove_ended

    remove_ended(60)
    before = set(left())  # those of other sandboxes of this process, whose runners wait
    assert sandbox.run(SandboxJob("print(1)"))[0].stdout == "1\n"
    assert set(left()) > before
    sandbox.close()
    remove_ended(60)
    assert set(left()) == before
