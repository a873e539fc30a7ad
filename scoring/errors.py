"""The exceptions for input that can't be used, whose messages are for the user who supplied it."""

from __future__ import annotations

from scoring.diagnostics.visible import safe_line


class InputError(Exception):
    """The exception for input that can't be used; its one-line message says where and why, and what to do.

    The message may contain file names, keys and server responses, so it is made safe to print, in Python's tracebacks
    as well.

    Examples:
        >>> str(InputError("answers.jsonl:3: this line is no JSON"))
        'answers.jsonl:3: this line is no JSON'
    """

    def __str__(self) -> str:
        return safe_line(super().__str__())


class TableFault(ValueError):
    """The exception for a data set that can't be scored as a whole; the message says what is wrong with its records,
    settings or size."""
