"""Rows from decoded values: one that is not an object is a bad row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scoring.data.rows.row import Block


def block_of(unit: str, values: Iterable[tuple[Any, Any]]) -> Block:
    """Return a block of decoded values, given with their numbers; an error, or any value but an object, is a bad row.

    Examples:
        >>> block_of("record", [(1, {"id": 1}), (2, [])]).problems
        {1: 'a record must be an object, found a list'}
    """
    numbers: list[Any] = []
    block = Block(unit, numbers, [])
    for position, (number, value) in enumerate(values):
        numbers.append(number)
        block.records.append(value if type(value) is dict else None)
        if type(value) is not dict:
            block.problems[position] = str(value) if isinstance(value, ValueError) else no_record(value)
    return block


def no_record(value: object) -> str:
    """Return the message for a value that should be a record.

    Examples:
        >>> no_record([1, 2])
        'a record must be an object, found a list'
    """
    return f"a record must be an object, found {_KINDS.get(type(value), type(value).__name__)}"


_KINDS: dict[type, str] = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
