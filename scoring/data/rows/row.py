"""One row of input, good or bad, and the error for input that can't be read at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoring.data.json_text import NotJson, parse


class InputError(Exception):
    """The input can't be read, so the run stops before it starts. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its place in the file, and either its record or what is wrong with it.

    A bad row is data: it becomes a record that is unscored for the reason given, and is counted.
    """

    where: str
    record: dict[str, Any] | None = None
    problem: str | None = None

    @property
    def reason(self) -> str:
        """Why there is no record, with the place."""
        return f"{self.where}: {self.problem}"


def row_of(where: str, value: object) -> Row:
    """The row of a decoded value; only an object is a record.

    Examples:
        >>> row_of("line 3", [1, 2]).reason
        'line 3: a record must be an object, found a list'
    """
    if isinstance(value, dict):
        return Row(where, value)
    return Row(where, None, f"a record must be an object, found {_KINDS.get(type(value), type(value).__name__)}")


def parsed_row(where: str, text: bytes | str) -> Row:
    """The row of one JSON text.

    Examples:
        >>> parsed_row("line 1", b'{"id": 1}').record
        {'id': 1}
        >>> parsed_row("line 2", b"{").problem
        'not JSON: expecting property name enclosed in double quotes at column 2'
    """
    try:
        value = parse(text)
    except NotJson as error:
        return Row(where, None, str(error))
    return row_of(where, value)


_KINDS: dict[type, str] = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
