"""Exceptions for input that can't be used, with messages for the user who supplied it."""

from __future__ import annotations

from scoring.diagnostics.visible import safe_line


class InputError(Exception):
    """An exception whose one-line message tells the user why and where input can't be used, and what to do.

    The message may contain file names, keys and server responses, so it is made safe to print, in Python's tracebacks
    as well.

    Examples:
        >>> str(InputError("answers.jsonl:3: this line is no JSON"))
        'answers.jsonl:3: this line is no JSON'
    """

    def __str__(self) -> str:
        return safe_line(super().__str__())


class TableFault(ValueError):
    """An exception whose message says why a data set can't be scored as a whole: its records, settings or size."""
