"""Progress of a run on stderr: a bar on a terminal, elsewhere (the log of a CI run) a line now and then."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from scoring.cli.console import SafeStream

_AFTER, _EVERY = 1.5, 0.1
_FIRST_LINE, _LINES_EVERY = 10.0, 30.0
_WIDTH, _WIDEST = 28, 80


class Progress:
    """The progress of a run that began at the time `start` of the clock, drawn only after some time.

    It is a bar that is removed at the end, or lines that stay.
    """

    def __init__(self, stream: SafeStream, start: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._is_bar = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._start = start
        self._next = self._start + (_AFTER if self._is_bar else _FIRST_LINE)
        self._drawn = False

    def update(self, done: int, fraction: float | None) -> None:
        """Show the progress for `done` records and a finished fraction of the input, None if that is unknown."""
        now = self._clock()
        if now < self._next:
            return
        self._next, self._drawn = now + (_EVERY if self._is_bar else _LINES_EVERY), True
        if self._is_bar:
            line = "\r" + bar(done, fraction, now - self._start, self._columns() - 1) + "\x1b[K"
        else:
            line = f"scoring: {bar(done, fraction, now - self._start, 0)}\n"
        self._stream.raw.write(line)
        self._stream.flush()

    def close(self) -> None:
        """Remove the bar."""
        if self._drawn and self._is_bar:
            self._stream.raw.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.raw.fileno()).columns or _WIDEST
        except (OSError, ValueError):
            return _WIDEST


def bar(done: int, fraction: float | None, seconds: float, columns: int = _WIDEST) -> str:
    """Return the text of the bar, given the number of records done, the finished fraction, and the elapsed seconds.

    In less than 80 columns the bar is shorter, or left out; what still does not fit is left out from the end.

    Examples:
        >>> bar(500, 0.5, 10.0)
        '━━━━━━━━━━━━━━──────────────  50%  500 records  50/s  10 s left'
        >>> bar(500, 0.5, 10.0, 40), bar(500, 0.5, 10.0, 20)
        ('50%  500 records  50/s  10 s left', '50%  500 records')
        >>> bar(500, None, 10.0)
        '500 records  50/s'
    """
    rate = done / seconds if seconds else 0.0
    parts = [f"{done} records", f"{rate:.0f}/s"]
    if fraction:
        parts = [f"{fraction:.0%}", *parts, f"{seconds / fraction - seconds:.0f} s left"]
    while columns and len(parts) > 1 and len("  ".join(parts)) > columns:
        parts.pop()
    text = "  ".join(parts)
    size = min(_WIDTH, columns - len(text) - 2)
    full = int(size * (fraction or 0))
    return f"{'━' * full}{'─' * (size - full)}  {text}" if fraction and size >= _WIDTH // 3 else text
