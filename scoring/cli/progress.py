"""A progress bar on stderr: only on a terminal, and only for work that takes a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

_AFTER = 1.5
_EVERY = 0.1
_WIDTH = 28


class Progress:
    """A progress bar of a run, drawn only if the stream is a terminal, and only after some time."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._visible = stream.isatty()
        self._start = self._clock()
        self._last = 0.0
        self._drawn = False

    def update(self, done: int, fraction: float | None) -> None:
        """Draw the bar for `done` records and a finished fraction of the input, None if that is unknown."""
        if not self._visible:
            return
        now = self._clock()
        if now - self._start < _AFTER or now - self._last < _EVERY:
            return
        self._last, self._drawn = now, True
        self._stream.write("\r" + bar(done, fraction, now - self._start) + "\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False


def bar(done: int, fraction: float | None, seconds: float) -> str:
    """Return the text of the bar, given the number of records done, the finished fraction, and the elapsed seconds.

    Examples:
        >>> bar(500, 0.5, 10.0)
        '━━━━━━━━━━━━━━──────────────  50%  500 records  50/s  10 s left'
        >>> bar(500, None, 10.0)
        '500 records  50/s'
    """
    rate = done / seconds if seconds else 0.0
    text = f"{done} records  {rate:.0f}/s"
    if not fraction:
        return text
    full = int(_WIDTH * fraction)
    left = seconds / fraction - seconds
    return f"{'━' * full}{'─' * (_WIDTH - full)}  {fraction:.0%}  {text}  {left:.0f} s left"
