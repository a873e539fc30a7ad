"""Colour is there on a terminal without NO_COLOR, and nowhere else; output is always safe to print."""

from __future__ import annotations

import io
import sys

import pytest

from scoring.cli.console import Console
from scoring.report.visible import visible


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console = Console.standard()
    assert console.out.style.draw("bold", "x") == "\x1b[1mx\x1b[0m"
    assert console.err.style.draw("bold", "x") == "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Console.standard().out.style.draw("bold", "x") == "x"


def test_what_a_stream_cannot_encode_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    console = Console.standard()
    console.print("é\ud800")
    console.out.flush()
    assert raw.getvalue() == b"\\xe9\\ud800\n"


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b31m", "a\rb", "\u202eabc", "\u2028", "\ud800", "\x00", "\u200b"])
def test_nothing_that_a_terminal_obeys_survives(text: str) -> None:
    assert visible(text).isprintable()
