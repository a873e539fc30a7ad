"""Runners that are kept: a warm one forks a child per case instead of starting an interpreter."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence

from scoring.sandbox.protocol import CaseResult, Program, SandboxUnavailable
from scoring.sandbox.runner import Runner

_MOST_JOBS = 200


class WarmSandbox(ABC):
    """As many runners as threads ask at the same time; each is replaced after a number of jobs, or when it died."""

    name = ""

    def __init__(self, *, warm: bool = True) -> None:
        self._warm = warm
        self._lock = threading.Lock()
        self._idle: list[tuple[Runner, int]] = []
        self._owner = os.getpid()
        self._proved = False
        _open.add(self)

    @abstractmethod
    def _start(self) -> Runner:
        """A new runner."""

    def run(self, program: Program) -> Sequence[CaseResult]:
        """One result for each case, in order.

        Raises:
            SandboxUnavailable: when the sandbox can't be started here.
        """
        if not self._proved:
            self._prove()
        runner, jobs = self._take()
        results = runner.run(program, clean=self._warm)
        # After a program that had to be stopped the runner is not trusted with another one.
        calm = all(result.status in ("ok", "failed") for result in results)
        if self._warm and runner.alive and jobs < _MOST_JOBS and calm:
            self._give(runner, jobs + 1)
        else:
            runner.stop()
        return results

    def _prove(self) -> None:
        runner = self._start()
        result = runner.run(Program("print(40 + 2)"), clean=False)[0]
        if result.stdout != "42\n":
            runner.stop()
            why = f"{result.detail} {result.stderr}".strip()[:400]
            raise SandboxUnavailable(f"the sandbox `{self.name}` can't run here: {why}")
        self._proved = True
        if self._warm:
            self._give(runner, 1)
        else:
            runner.stop()

    def _take(self) -> tuple[Runner, int]:
        with self._lock:
            if self._owner != os.getpid():  # after a fork: the runners belong to the parent
                self._owner, self._idle = os.getpid(), []
            while self._idle:
                runner, jobs = self._idle.pop()
                if runner.alive:
                    return runner, jobs
                runner.stop()
        return self._start(), 0

    def _give(self, runner: Runner, jobs: int) -> None:
        with self._lock:
            self._idle.append((runner, jobs))

    def close(self) -> None:
        """End the idle runners; the sandbox can be used again."""
        with self._lock:
            idle, self._idle = self._idle, []
        if self._owner == os.getpid():
            for runner, _ in idle:
                runner.stop()


_open: weakref.WeakSet[WarmSandbox] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for sandbox in list(_open):
        sandbox.close()
