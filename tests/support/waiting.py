"""How tests deal with time: they wait for events, and bound CPU time; a busy machine changes neither."""

from __future__ import annotations

import gc
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Seconds before a wait is given up; only something broken takes so long, so a busy machine has all of it.
PATIENCE = 120.0


def wait_until(happened: Callable[[], Any], run: subprocess.Popen[Any] | None = None) -> None:
    """Wait until something is true that comes from a run, if it is given: one that has ended is not waited for."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert run is None or run.poll() is None, "the run ended before"
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def stopwatch() -> Callable[[], float]:
    """Tells the seconds since it was made: for runs that people watch, and for processes that sleep for ever."""
    began = time.monotonic()
    return lambda: time.monotonic() - began


@contextmanager
def cpu_time_below(seconds: float) -> Iterator[None]:
    """The block needs less CPU time of this process; give ten times of what it needs, since cores differ.

    Nothing is collected meanwhile, since that takes the longer the more other tests have left.
    """
    gc.disable()
    began = time.process_time()
    try:
        yield
    finally:
        spent = time.process_time() - began
        gc.enable()
    assert spent < seconds, f"{spent:.1f} seconds of CPU time, and at most {seconds} were expected"


@contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that does not outlive the block, however the block ends."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()
