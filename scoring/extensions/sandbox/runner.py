"""The outer end of a runner process: sends jobs in, reads the answers, and kills everything when the time is up."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from scoring import children
from scoring.extensions.processes.workers import Worker
from scoring.extensions.sandbox.crossing import MOST_VERDICT
from scoring.extensions.sandbox.groups import KERNEL_BYTES, ControlGroup, count_of
from scoring.extensions.sandbox.protocol import Case, CaseResult, Limits, SandboxJob

# Every case gets a separate user ID, above any that systems assign, so that it also has a separate limit on processes.
# The ID is random, so that it reveals nothing about earlier programs.
_FIRST_USER, _USERS = 1_900_000_000, 200_000_000
_SLACK = 10.0
# Seconds that a runner without a namespace has to end its child processes, when it is stopped.
_PATIENCE = 10.0
# The file through which a runner gives the same PIDs to the processes of every program, if permitted.
LAST_PROCESS = Path("/proc/sys/kernel/ns_last_pid")
# The script at the inner end, and the flags that start an interpreter without site packages and environment variables.
INSIDE = Path(__file__).with_name("inside.py")
FLAGS = ("-I", "-B", "-X", "utf8")
# The modules that this script loads from its folder, and the path at which it finds a runner's database.
_MODULES = ("kernel", "crossing", "served", "examining", "queries", "scripts")
MODULE_FILES = tuple(INSIDE.with_name(f"{name}.py") for name in _MODULES)
DATABASE = "/run/database"


def fresh_user() -> int:
    """Return a user ID that no real user has and no other program is using."""
    return _FIRST_USER + secrets.randbelow(_USERS)


def interpreter() -> str:
    """Return the interpreter that runs programs: the current one, outside of its virtual environment."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


def machine_killed() -> int:
    """Return how many processes the kernel of this machine has killed for lack of memory since it was started."""
    return count_of(Path("/proc/vmstat"), "oom_kill")


def _open_last_process(opened: contextlib.ExitStack) -> int:
    try:
        descriptor = os.open(LAST_PROCESS, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return -1
    opened.callback(os.close, descriptor)
    return descriptor


class RunnerDied(Exception):
    """The exception for a runner process that has ended, or gives no usable answers."""


class Purpose(Struct, frozen=True):
    """The kind of jobs that a runner can run: the path of the database file that it can read ("" for none), and the
    modules next to `inside.py` that it loads before it forks."""

    database: str = ""
    modules: tuple[str, ...] = ("scripts",)

    @classmethod
    def of(cls, job: SandboxJob) -> Purpose:
        """Return the purpose of the runners that can run a job."""
        if job.dialect == "apart":
            return TESTING
        if job.dialect == "query":
            return cls("" if job.database is None else job.database.path, ("queries",))
        return PLAIN


PLAIN = Purpose()
TESTING = Purpose(modules=("crossing", "served", "examining"))


class Confinement(Struct, frozen=True):
    """The protections that a runner applies to each program, in addition to those of its command line.

    Args:
        alone: Whether the runner has a separate process namespace and a private /tmp of ``tmp_bytes`` bytes.
        own_user: Whether each program gets a separate user ID.
        rules: The system call filter for programs.
        numbered: Whether the runner may set the PID of the next process.
        grouped: Whether programs join a control group, which limits ``memory_bytes`` and /tmp together.
        tmp_bytes: The size of the private /tmp.
        purpose: The kind of jobs that the runner is for.
    """

    alone: bool
    own_user: bool
    rules: bytes | None = None
    numbered: bool = False
    grouped: bool = False
    tmp_bytes: int = 0
    purpose: Purpose = PLAIN


class Runner(Worker):
    """A process of ``inside.py``, which runs cases one by one; it is started by a command line that may confine it."""

    def __init__(self, command: Sequence[str], confinement: Confinement, descriptors: Sequence[int] = ()) -> None:
        self.confinement = confinement
        self._group = ControlGroup() if confinement.grouped else None
        try:
            with contextlib.ExitStack() as opened:
                groups = [] if self._group is None else opened.enter_context(self._group.joining())
                numbers = _open_last_process(opened) if confinement.numbered else -1
                self.process = self._begin(command, groups, numbers, descriptors)
        except BaseException:
            if self._group is not None:
                self._group.remove()
            raise
        self._waiting = b""
        self._lost = machine_killed()
        self.cases = 0
        self.clean = False  # whether the last program left nothing behind

    def _begin(
        self, command: Sequence[str], groups: list[int], numbers: int, descriptors: Sequence[int]
    ) -> children.Running:
        confinement = self.confinement
        settings: dict[str, Any] = {"alone": confinement.alone, "rules": (confinement.rules or b"").hex()}
        settings["modules"] = confinement.purpose.modules
        return children.start(
            [*command, json.dumps(settings | {"groups": groups, "last_process": numbers})],
            stdin=children.PIPE,
            stdout=children.PIPE,
            stderr=children.PIPE,
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            pass_fds=(*descriptors, *groups, *([numbers] if numbers >= 0 else [])),
            start_new_session=True,
            bufsize=0,
        )

    def run(self, job: SandboxJob, case: Case) -> CaseResult:
        """Run a job's program on one case and return the result.

        Raises:
            RunnerDied: when it could not be run; the runner is stopped.
        """
        data = self._job_data(job) | {"stdin": case.stdin, "lines": case.lines}
        self.cases += 1
        try:
            if self._group is not None:
                whole = job.limits.memory_bytes + self.confinement.tmp_bytes + KERNEL_BYTES
                self._group.limit(whole, job.limits.processes)
            return self._judged(self._case(data, case.for_tests, job.limits), job.limits)
        except OSError as error:
            self.stop()
            raise RunnerDied(f"{error.strerror}") from None
        except BaseException:  # such as Ctrl-C: a late answer must not be taken for that of the next program
            self.stop()
            raise

    def _job_data(self, job: SandboxJob) -> dict[str, Any]:
        """Return the data about a job that are sent to the process of ``inside.py``, as plain data."""
        own = self.confinement.own_user
        data: dict[str, Any] = {"source": job.source, "dialect": job.dialect, "limits": asdict(job.limits)}
        data |= {"commands": job.commands, "reserve": job.reserve, "files": list(job.files.items())}
        data["may_exit"] = job.may_exit
        data |= {"user": fresh_user() if own else None, "other_user": fresh_user() if own else None}
        if job.database is not None:
            data["query"] = asdict(job.database)
            if job.database.path and self.confinement.alone:
                data["query"]["path"] = DATABASE
        return data

    def _judged(self, result: CaseResult, limits: Limits) -> CaseResult:
        """Return the result of a case, with the status ``killed`` if its processes together exceeded the memory limit.

        Raise RunnerDied if a process was killed because the machine itself ran out of memory.
        """
        if self._group is not None and self._group.overran():
            self._lost = machine_killed()
            mebibytes = limits.memory_bytes >> 20
            return replace(
                result, status="killed", detail=f"its processes together used more than {mebibytes} MiB of memory"
            )
        if result.status == "killed" and result.detail == "ended by SIGKILL" and machine_killed() != self._lost:
            raise RunnerDied("the machine ran out of memory")
        return result

    def _case(self, data: dict[str, Any], for_tests: Mapping[str, Any], limits: Limits) -> CaseResult:
        deadline = time.monotonic() + limits.wall_seconds + 0.5 + _SLACK
        most = max(limits.output_bytes, MOST_VERDICT if for_tests else 0) * 6 + 100_000
        self._send(json.dumps(data).encode() + b"\n", deadline)
        answer = self._answer(deadline, most)
        if "begun" in answer:  # the program was forked, so its memory contains nothing of what follows
            self._send(json.dumps(for_tests).encode() + b"\n", deadline)
            answer = self._answer(deadline, most)
        self.clean = self._answer(deadline, most).get("clean") is True
        fields: dict[str, Any] = {key: answer.get(key) for key in ("status", "stdout", "stderr", "detail")}
        if not all(isinstance(text, str) for text in fields.values()):
            raise RunnerDied("the sandbox gave no usable answer")
        result = CaseResult(**fields)
        if result.status == "not_run":
            raise RunnerDied(result.detail)
        return result

    def _send(self, data: bytes, deadline: float) -> None:
        assert self.process.stdin is not None
        descriptor = self.process.stdin.fileno()
        os.set_blocking(descriptor, False)
        while data:
            if not select.select([], [descriptor], [], max(0.0, deadline - time.monotonic()))[1]:
                raise RunnerDied("the sandbox did not take the program")
            try:
                data = data[os.write(descriptor, data) :]
            except OSError:
                raise RunnerDied(f"the sandbox ended: {self._complaint()}") from None

    def _answer(self, deadline: float, most: int) -> dict[str, Any]:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._waiting:
            if len(self._waiting) > most:
                raise RunnerDied("the sandbox wrote too much")
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise RunnerDied("the sandbox took too long")
            block = os.read(descriptor, 1 << 16)
            if not block:
                raise RunnerDied(f"the sandbox ended: {self._complaint()}")
            self._waiting += block
        line, _, self._waiting = self._waiting.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise RunnerDied("the sandbox gave no readable answer")
        return answer

    def _complaint(self) -> str:
        assert self.process.stderr is not None
        if not select.select([self.process.stderr], [], [], 0.2)[0]:
            return "without a word"
        text = os.read(self.process.stderr.fileno(), 4000).decode("utf-8", "replace")
        return text.strip().rpartition("\n")[2].strip()[-300:] or "without a word"

    def stop(self) -> None:
        """Kill the runner process and everything inside it."""
        if (
            not self.confinement.alone
        ):  # its programs are in separate process groups; it ends them when its input closes
            self.close_pipes()
            with contextlib.suppress(children.TooLate):
                self.process.wait(_PATIENCE)
        if self.alive:  # otherwise its child processes end by themselves
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.close_pipes()
        if self._group is not None:
            self._group.remove()
            self._group = None
