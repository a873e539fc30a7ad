"""How much of long values and of deep trees is shown: a little by default, whole texts on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct


class TraceLimits(Struct, frozen=True):
    """The limits of a trace.

    Args:
        text: The most characters of a text that the trace keeps.
        line: The most characters of a value in a line of the tree.
        expression: The most characters of an expression or a reason in a line.
        items: The most items of a collection, and calls of a nested pipeline.
    """

    text: int = 400
    line: int = 60
    expression: int = 80
    items: int = 20


USUAL = TraceLimits()
WHOLE = TraceLimits(text=1_000_000, line=1_000_000, expression=20_000, items=1_000)
"""The limits with `--full`: what is beyond them would not be read by anyone."""
_LIMITS: ContextVar[TraceLimits] = ContextVar("trace-limits", default=USUAL)


def trace_limits() -> TraceLimits:
    """Return the limits that hold here."""
    return _LIMITS.get()


@contextmanager
def within_limits(full: bool) -> Iterator[None]:
    """Set the limits within a block: those of whole texts, or the usual ones."""
    token = _LIMITS.set(WHOLE if full else USUAL)
    try:
        yield
    finally:
        _LIMITS.reset(token)
