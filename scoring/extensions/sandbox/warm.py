"""Sandboxes that reuse runners, which fork for a case instead of starting an interpreter; and the weaker mode."""

from __future__ import annotations

import functools
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from scoring.extensions.processes.workers import IdleWorkers
from scoring.extensions.sandbox.protocol import CaseResult, SandboxJob, SandboxUnavailable
from scoring.extensions.sandbox.runner import (
    FLAGS,
    INSIDE,
    PLAIN,
    Confinement,
    Purpose,
    Runner,
    RunnerDied,
    interpreter,
)
from scoring.extensions.sandbox.seccomp import program_filter

_MOST_CASES = 1000
_MOST_OTHERS = 8
_PROOF = SandboxJob("print(40 + 2)")


class WarmSandbox(ABC):
    """A sandbox with a pool of runner processes, one for each concurrent thread; they are replaced after a number of
    jobs or when they die."""

    name = ""

    def __init__(self, *, warm: bool = True) -> None:
        self._warm = warm
        self._idle: IdleWorkers[Runner] = IdleWorkers()
        # Runners for anything but plain programs, by purpose: only the most recently used ones.
        self._others: dict[Purpose, IdleWorkers[Runner]] = {}
        self._proved = False
        self._proving = threading.Lock()

    @abstractmethod
    def _start(self, purpose: Purpose = PLAIN) -> Runner:
        """Start and return a new runner for jobs of a purpose."""

    def run(self, program: SandboxJob) -> Sequence[CaseResult]:
        """Run a program on each of its cases, and return their results in order.

        Raises:
            SandboxUnavailable: when the sandbox can't be started here.
        """
        if not self._proved:
            # One thread proves: another one that failed beside it would give up a second feature for the same lack.
            with self._proving:
                if not self._proved:
                    self._prove()
        purpose = Purpose.of(program)
        begun = functools.partial(self._begun, purpose)
        idle = self._workers(purpose)
        runner, results = idle.take(begun), []
        try:
            for case in program.cases:
                try:
                    results.append(runner.run(program, case))
                except RunnerDied:  # not caused by the program, which can't reach it: retry in a new one
                    runner = begun()
                    try:
                        results.append(runner.run(program, case))
                    except RunnerDied as error:
                        why = f"the sandbox `{self.name}` ended twice with this program: {error}"
                        raise SandboxUnavailable(why) from None
                # A case must find nothing of the one before, except in the mode without any private files.
                may_go_on = runner.alive and (runner.clean or not runner.confinement.alone)
                if len(results) < len(program.cases) and not may_go_on:
                    runner.stop()
                    runner = begun()
        except BaseException:
            runner.stop()
            raise
        # After a program that had to be stopped, the runner is not used again.
        calm = all(result.status in ("ok", "failed") for result in results)
        if self._warm and calm and runner.clean and runner.cases < _MOST_CASES:
            idle.give(runner)
        else:
            runner.stop()
        return results

    def _workers(self, purpose: Purpose) -> IdleWorkers[Runner]:
        if purpose == PLAIN:
            return self._idle
        # Each step is atomic in the interpreter; in a race between two threads only an idle runner is lost.
        found = self._others.pop(purpose, None) or IdleWorkers()
        self._others[purpose] = found
        if len(self._others) > _MOST_OTHERS:
            self._others.pop(next(iter(self._others))).close()
        return found

    def _begun(self, purpose: Purpose = PLAIN) -> Runner:
        try:
            return self._start(purpose)
        except OSError as error:
            raise self._unusable(f"{error.strerror}") from None

    def _unusable(self, why: str) -> SandboxUnavailable:
        return SandboxUnavailable(f"the sandbox `{self.name}` can't run here: {why}")

    def _weaken(self) -> bool:
        """Give up one protection that the machine may lack, which `level` then no longer lists; return False if there
        is none left to give up."""
        return False

    def _prove(self) -> None:
        try:
            runner = self._begun()
            try:
                result = runner.run(_PROOF, _PROOF.cases[0])
            finally:
                runner.stop()
            why = "" if result.stdout == "42\n" else f"{result.detail} {result.stderr}".strip()
        except RunnerDied as error:
            why = str(error)
        if why and self._weaken():
            self._prove()
        elif why:
            raise self._unusable(why[:400])
        self._proved = True

    def close(self) -> None:
        """End the idle runners; the sandbox can be used again."""
        for workers in (self._idle, *self._others.values()):
            workers.close()


class ResourceLimits(WarmSandbox):
    """A sandbox of plain child processes with resource limits, which have access to the user's files and network; used
    only if chosen by name.

    It stops endless loops, excessive output and memory exhaustion, but not malicious programs.
    """

    name = "rlimits"
    level = "rlimits (no isolation)"

    def __init__(self) -> None:
        super().__init__(warm=False)

    def _start(self, purpose: Purpose = PLAIN) -> Runner:
        # No namespace isolates a program, but at least it can't harm its runner, which ends it.
        confinement = Confinement(alone=False, own_user=os.geteuid() == 0, rules=program_filter(), purpose=purpose)
        return Runner([interpreter(), *FLAGS, str(INSIDE)], confinement)
