"""Errors of input that can't be used, for whoever gave it."""

from __future__ import annotations

from scoring.diagnostics.visible import safe_line


class InputError(Exception):
    """Say in one line for the user why the input can't be used, where, and what to do.

    Names of files, keys and texts of servers may be part of the message, so it is made safe to print, by Python's own
    tracebacks as well.

    Examples:
        >>> str(InputError("answers.jsonl:3: this line is no JSON"))
        'answers.jsonl:3: this line is no JSON'
    """

    def __str__(self) -> str:
        return safe_line(super().__str__())


class TableFault(ValueError):
    """Say why a data set can't be scored as a whole: by its records, its settings or its size."""
