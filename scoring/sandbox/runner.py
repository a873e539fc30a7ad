"""The outer end of one runner process: sends a job in, reads the answers, kills everything when the time is up."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scoring.sandbox.protocol import CaseResult, Limits, SandboxJob

# Every program gets a user of its own, far above any real one, so that the limit on processes is its own too.
_FIRST_USER, _USERS = 900_000_000, 1_000_000
_users = itertools.count(os.getpid() * 1009 % _USERS)
_SLACK = 10.0
# The script at the inner end, and how an interpreter is started that sees neither site packages nor environment.
INSIDE = Path(__file__).with_name("inside.py")
FLAGS = ("-I", "-B", "-X", "utf8")


def fresh_user() -> int:
    """A user number that no real user has and no other program is using."""
    return _FIRST_USER + next(_users) % _USERS


def interpreter() -> str:
    """The interpreter that runs programs: this one, outside of its virtual environment."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


class RunnerDied(Exception):
    """The runner gave no more answers."""


class Runner:
    """One process of ``inside.py``, in whatever the command line wraps around it."""

    def __init__(
        self,
        command: Sequence[str],
        rules: bytes | None,
        *,
        own_processes: bool,
        drops_user: bool,
        descriptors: Sequence[int] = (),
    ) -> None:
        self._drops_user = drops_user
        self.process = subprocess.Popen(
            [*command, "alone" if own_processes else "shared", (rules or b"").hex()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            pass_fds=tuple(descriptors),
            start_new_session=True,
            bufsize=0,
        )
        self._waiting = b""
        self.jobs = 0
        self.clean = False  # whether the last program has left nothing behind

    def run(self, program: SandboxJob) -> list[CaseResult]:
        """The results of all cases.

        Raises:
            RunnerDied: when a case could not be run; the runner is stopped.
        """
        user = fresh_user() if self._drops_user else None
        common = {"source": program.source, "dialect": program.dialect, "limits": asdict(program.limits), "user": user}
        self.jobs += 1
        try:
            return [self._case(common | asdict(case), program.limits) for case in program.cases]
        except BaseException:  # Ctrl-C, say: what still comes must not be taken for the answer to the next program
            self.stop()
            raise

    def _case(self, case: dict[str, Any], limits: Limits) -> CaseResult:
        deadline = time.monotonic() + limits.wall_seconds + 0.5 + _SLACK
        most = limits.output_bytes * 6 + 100_000
        self._send(json.dumps(case).encode() + b"\n", deadline)
        answer = self._answer(deadline, most)
        self.clean = self._answer(deadline, most).get("clean") is True
        result = CaseResult(**{key: answer[key] for key in ("status", "stdout", "stderr", "detail")})
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
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise RunnerDied("the sandbox gave no readable answer") from None
        return answer

    def _complaint(self) -> str:
        assert self.process.stderr is not None
        if not select.select([self.process.stderr], [], [], 0.2)[0]:
            return "without a word"
        text = os.read(self.process.stderr.fileno(), 4000).decode("utf-8", "replace")
        return " ".join(text.split())[-300:] or "without a word"

    @property
    def alive(self) -> bool:
        """Whether it can take another job."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Kill it, and with it everything inside."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
