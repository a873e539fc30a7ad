"""Progress: a bar on a terminal, lines in the log of a CI run; only for long work."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest

from scoring.cli.console import SafeStream
from scoring.extensions.terminal.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def clock(*times: float) -> Callable[[], float]:
    source: Iterator[float] = iter(times)
    return lambda: next(source)


def test_short_work_draws_nothing() -> None:
    stream = Terminal()
    progress = Progress(SafeStream(stream), 0.0, clock(0.5, 1.0))
    progress.update(10, 0.5)
    progress.update(20, 1.0)
    progress.close()
    assert stream.getvalue() == ""


def test_long_work_draws_now_and_then_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(SafeStream(stream), 0.0, clock(2.0, 2.01, 4.0))
    progress.update(100, 0.25)
    progress.update(101, 0.25)
    progress.update(200, 0.5)
    progress.close()
    drawn = stream.getvalue().split("\r")
    assert "25%  100 records  50/s  6 s left" in drawn[1]
    assert "50%  200 records  50/s  4 s left" in drawn[2]
    assert len(drawn) == 4
    assert drawn[3] == "\x1b[K"


def test_a_log_gets_a_line_now_and_then() -> None:
    stream = io.StringIO()
    progress = Progress(SafeStream(stream), 0.0, clock(5.0, 10.0, 11.0, 39.0, 50.0))
    for done in (100, 200, 300, 400, 500):
        progress.update(done, done / 1000)
    progress.close()
    assert stream.getvalue() == (
        "scoring: 20%  200 records  20/s  40 s left\nscoring: 50%  500 records  10/s  50 s left\n"
    )


def test_a_terminal_that_can_not_move_back_is_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    progress = Progress(SafeStream(stream), 0.0, clock(12.0))
    progress.update(120, None)
    progress.close()
    assert stream.getvalue() == "scoring: 120 records  10/s\n"
