"""Programs whose replies all come to the same failure: found before every call is paid for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from scoring.result import Unscored

FIRST = 10
"""How many of a program's first replies must come to one and the same failure before its run is stopped."""


class FormulaFails(Unscored):
    """A formula of a program can't work on what a reply gave."""


class ProgramFault(BaseException):
    """A program that most likely never works; it ends the run, past everything that makes an outcome of a failure."""


# What each program's first replies came to, and how many; None once one of them came to anything else.
_watched: dict[str, tuple[str, int] | None] | None = None
_lock = threading.Lock()


@contextmanager
def watching() -> Iterator[None]:
    """Stop a run whose judge programs can't work; single records are scored without it."""
    global _watched
    before, _watched = _watched, {}
    try:
        yield
    finally:
        _watched = before


def tell(program: str, reason: str | None) -> None:
    """What a reply to a program came to: None for a judgement.

    Raises:
        ProgramFault: when its first replies all came to the same failure.
    """
    watched = _watched
    if watched is None:
        return
    with _lock:
        found = watched.get(program, (reason or "", 0))
        if found is None or found[0] != reason:
            watched[program] = None
            return
        watched[program] = (reason, found[1] + 1)
    if found[1] + 1 >= FIRST:
        raise ProgramFault(
            f"judge `{program}` can't work: its first {FIRST} replies all came to: {reason}; mend its formula, or "
            "say what such a reply means with a step that has `if` (what a judge cache keeps is not paid again)"
        )
