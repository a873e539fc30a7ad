"""The proof that a sandbox runs here, which may give up features that the machine lacks: once, whoever asks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from scoring.extensions.sandbox.protocol import SandboxJob
from scoring.extensions.sandbox.runner import PLAIN, Purpose, Runner, RunnerDied
from scoring.extensions.sandbox.warm import ResourceLimits


class _Lacking(ResourceLimits):
    """A sandbox on a machine that lacks the first of its features, as two threads find out at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.features = ["lacking", "there", "there too"]
        self._both = threading.Barrier(2)

    def _start(self, purpose: Purpose = PLAIN) -> Runner:
        if "lacking" in self.features:
            with suppress(threading.BrokenBarrierError):  # the other thread waits for this one, as it should
                self._both.wait(timeout=0.5)
            raise RunnerDied("the system lacks it")
        return super()._start(purpose)

    def _weaken(self) -> bool:
        if self.features:
            self.features.pop(0)
            return True
        return False


def test_two_threads_give_up_no_more_than_the_machine_lacks() -> None:
    sandbox = _Lacking()
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(sandbox.run, [SandboxJob("print(1)")] * 2))
    assert [result.stdout for (result,) in found] == ["1\n", "1\n"]
    assert sandbox.features == ["there", "there too"]
