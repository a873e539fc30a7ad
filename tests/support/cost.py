"""What a call costs, in CPU seconds, and how steeply that may grow with the length of what it is given."""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

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


def spent_apart(calls: Sequence[tuple[Callable[[], Any], float]]) -> list[float]:
    """The CPU seconds of each call, in a process that is not ours; without end where one was ended behind its own."""
    found: list[float] = []
    while len(found) < len(calls):
        here, there = os.pipe()
        if (child := os.fork()) == 0:
            _tell(calls[len(found) :], there)
        os.close(there)
        with os.fdopen(here, "rb") as pipe:
            told = [float(line) for line in pipe]
        os.waitpid(child, 0)
        found += told if len(found) + len(told) == len(calls) else [*told, float("inf")]
    return found


def _tell(calls: Iterable[tuple[Callable[[], Any], float]], there: int) -> NoReturn:
    gc.disable()  # it would copy all that the tests hold, which is no work of the calls
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(BaseException):
        for call, most in calls:
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + most) + 2, hard))
            os.write(there, f"{spent(call)}\n".encode())
    os._exit(0)
