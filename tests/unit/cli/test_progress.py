"""The progress bar: only on a terminal, only for long work, gone at the end."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

from scoring.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def clock(*times: float) -> Callable[[], float]:
    source: Iterator[float] = iter(times)
    return lambda: next(source)


def test_short_work_draws_nothing() -> None:
    stream = Terminal()
    progress = Progress(stream, clock(0.0, 0.5, 1.0))
    progress.update(10, 0.5)
    progress.update(20, 1.0)
    progress.close()
    assert stream.getvalue() == ""


def test_long_work_draws_now_and_then_and_cleans_up() -> None:
    stream = Terminal()
    progress = Progress(stream, clock(0.0, 2.0, 2.01, 4.0))
    progress.update(100, 0.25)
    progress.update(101, 0.25)
    progress.update(200, 0.5)
    progress.close()
    drawn = stream.getvalue().split("\r")
    assert "25%  100 records  50/s  6 s left" in drawn[1]
    assert "50%  200 records  50/s  4 s left" in drawn[2]
    assert len(drawn) == 4
    assert drawn[3] == "\x1b[K"


def test_a_file_gets_no_bar() -> None:
    stream = io.StringIO()
    progress = Progress(stream, clock(0.0))
    progress.update(100, 0.5)
    progress.close()
    assert stream.getvalue() == ""
