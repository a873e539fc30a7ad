"""Rows from values, decoded or in memory: one that is not an object is a bad row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from scoring.data.rows.row import SIZE, Block


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


def repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once, None if there is none.

    Examples:
        >>> repeated(["a", "b", "b", "a"])
        'a'
    """
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


def numbered_blocks(unit: str, records: Iterable[Any], size: int = SIZE) -> Iterator[Block]:
    """Yield records, made plain, in blocks of `size`; their positions are `unit` and a number, as in `record 1`."""
    from scoring.data.plain_columns import flat_records

    source, number = iter(records), 1
    while part := list(islice(source, size)):
        numbers, flat = range(number, number + len(part)), flat_records(part)
        yield _made_plain(unit, numbers, part) if flat is None else Block(unit, numbers, [*flat])
        number += len(part)


def _made_plain(unit: str, numbers: Sequence[int], records: Sequence[Any]) -> Block:
    """Return the block of records made plain; one that can't be is a bad row."""
    from scoring.data.normalize import NotPlain, plain_record
    from scoring.data.rows.decoded import no_record

    block = Block(unit, numbers, [])
    for position, record in enumerate(records):
        try:
            block.records.append(plain_record(record) if isinstance(record, Mapping) else None)
        except NotPlain as error:
            block.records.append(None)
            block.problems[position] = str(error)
        if not isinstance(record, Mapping):
            block.problems[position] = no_record(record)
    return block
