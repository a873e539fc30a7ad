"""What a call costs, in CPU seconds, and how steeply that may grow with the length of what it is given."""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from scoring.result import Unparsed, Unscored

TIMES = 8
"""How many times longer the second text is."""
STEEPEST = 32.0
"""Times the CPU time of an eighth; work that grows with the length takes 8, and with its square 64."""


def spent(call: Callable[[], Any]) -> float:
    """The CPU seconds of a call, whatever it ends with."""
    began = time.process_time()
    with suppress(Exception):
        call()
    return time.process_time() - began


def grows_with_the_length(call: Callable[[str], Any], text: str, freely: float) -> None:
    """A call takes less than so many CPU seconds of a text, or is no steeper than it may be: a slow machine is fine.

    It may leave a text unparsed or unscored, and fail in no other way. Nothing is collected meanwhile, since that takes
    the longer the more other tests have left.
    """

    def seconds(given: str) -> float:
        began = time.process_time()
        with suppress(Unparsed, Unscored):
            call(given)
        return time.process_time() - began

    gc.disable()
    try:
        whole = seconds(text)
        if whole >= freely:
            part = seconds(text[: len(text) // TIMES])
            assert whole <= STEEPEST * part, f"{whole:.2f} s of CPU time, and {part:.3f} s of an eighth of the text"
    finally:
        gc.enable()


def spent_apart(call: Callable[[], Any], most: float) -> float:
    """The CPU seconds of a call in a process of its own; without end where that had to be ended behind so many."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        gc.disable()  # it would copy all that the tests hold, which is no work of the call
        limit = int(time.process_time() + most) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        with suppress(BaseException):
            os.write(there, str(spent(call)).encode())
        os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return float(found or "inf")
