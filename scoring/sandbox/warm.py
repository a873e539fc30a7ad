"""Runners that are kept: a warm one forks for a case instead of starting an interpreter; and the weaker mode."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence

from scoring.sandbox.idle import IdleWorkers
from scoring.sandbox.protocol import CaseResult, SandboxJob, SandboxUnavailable
from scoring.sandbox.runner import FLAGS, INSIDE, Runner, RunnerDied, interpreter

_MOST_JOBS = 200


class WarmSandbox(ABC):
    """As many runners as threads ask at the same time; each is replaced after a number of jobs, or when it died."""

    name = ""

    def __init__(self, *, warm: bool = True) -> None:
        self._warm = warm
        self._idle: IdleWorkers[Runner] = IdleWorkers()
        self._proved = False

    @abstractmethod
    def _start(self) -> Runner:
        """A new runner."""

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """One result for each case, in order.

        Raises:
            SandboxUnavailable: when the sandbox can't be started here.
        """
        if not self._proved:
            self._prove()
        runner = self._idle.take(self._begun)
        try:
            return self._finish(runner, program)
        except RunnerDied:  # by no fault of the program, which can't reach it: once more, in a runner of its own
            try:
                return self._finish(self._begun(), program)
            except RunnerDied as error:
                raise SandboxUnavailable(f"the sandbox `{self.name}` ended twice under this program: {error}") from None

    def _finish(self, runner: Runner, program: SandboxJob) -> Sequence[CaseResult]:
        results = runner.run(program)
        # After a program that had to be stopped, or that has left a file or a process, the runner gets no other one.
        calm = all(result.status in ("ok", "failed") for result in results)
        if self._warm and runner.jobs < _MOST_JOBS and calm and runner.clean:
            self._idle.give(runner)
        else:
            runner.stop()
        return results

    def _begun(self) -> Runner:
        try:
            return self._start()
        except OSError as error:
            raise self._unusable(f"{error.strerror}") from None

    def _unusable(self, why: str) -> SandboxUnavailable:
        return SandboxUnavailable(f"the sandbox `{self.name}` can't run here: {why}")

    def _prove(self) -> None:
        try:
            result = self._finish(self._begun(), SandboxJob("print(40 + 2)"))[0]
        except RunnerDied as error:
            raise self._unusable(str(error)[:400]) from None
        if result.stdout != "42\n":
            raise self._unusable(f"{result.detail} {result.stderr}".strip()[:400])
        self._proved = True

    def close(self) -> None:
        """End the idle runners; the sandbox can be used again."""
        self._idle.close()


class ResourceLimits(WarmSandbox):
    """Programs in a plain child process, with the files and the network of its user. Chosen by name only.

    It stops loops, floods and memory bombs, not malice.
    """

    name = "rlimits"
    level = "rlimits (no isolation)"

    def __init__(self) -> None:
        super().__init__(warm=False)

    def _start(self) -> Runner:
        return Runner([interpreter(), *FLAGS, str(INSIDE)], None, own_processes=False, drops_user=os.geteuid() == 0)
