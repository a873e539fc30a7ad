"""Runners that are kept: a warm one forks a child per case instead of starting an interpreter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from scoring.sandbox.idle import IdleWorkers
from scoring.sandbox.protocol import CaseResult, SandboxJob, SandboxUnavailable
from scoring.sandbox.runner import Runner

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
        runner = self._idle.take(self._start)
        results = runner.run(program, clean=self._warm)
        # After a program that had to be stopped the runner is not trusted with another one.
        calm = all(result.status in ("ok", "failed") for result in results)
        if self._warm and runner.jobs < _MOST_JOBS and calm:
            self._idle.give(runner)
        else:
            runner.stop()
        return results

    def _prove(self) -> None:
        runner = self._start()
        result = runner.run(SandboxJob("print(40 + 2)"), clean=False)[0]
        if result.stdout != "42\n":
            runner.stop()
            why = f"{result.detail} {result.stderr}".strip()[:400]
            raise SandboxUnavailable(f"the sandbox `{self.name}` can't run here: {why}")
        self._proved = True
        if self._warm:
            self._idle.give(runner)
        else:
            runner.stop()

    def close(self) -> None:
        """End the idle runners; the sandbox can be used again."""
        self._idle.close()
