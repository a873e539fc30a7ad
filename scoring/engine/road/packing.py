"""Items and results as plain tuples, for the way between processes.

A frozen class with slots is pickled by Python code, attribute by attribute; a tuple is not. A run sends millions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from scoring.data.rows.join import Item
from scoring.result import FieldResult, Outcome, RecordResult

Packed: TypeAlias = tuple[Any, ...]


def pack_item(item: Item) -> Packed:
    """The item as a tuple."""
    return item.id, item.where, item.record, item.problem


def unpack_item(packed: Packed) -> Item:
    """The item of a tuple."""
    return Item(*packed)


def pack_results(results: Sequence[RecordResult]) -> Packed:
    """The results of a part; only their explainers are left behind.

    Scorers share outcomes, and slim results share their fields: each is sent once and referred to by its place.

    Examples:
        >>> result = RecordResult("q1", Outcome(0.5), {"a": FieldResult("a", Outcome(0.5), 2.0)}, True)
        >>> unpack_results(pack_results([result])) == [result]
        True
    """
    outcomes: dict[int, tuple[int, Packed]] = {}
    parts: dict[int, tuple[int, Packed]] = {}

    def outcome_place(outcome: Outcome) -> int:
        # Objects are told apart by identity, not by equality: 1 is equal to True and to 1.0.
        found = outcomes.get(id(outcome))
        if found is None:
            packed = (outcome.value, outcome.status, outcome.reason, outcome.notes)
            found = outcomes[id(outcome)] = (len(outcomes), packed)
        return found[0]

    def part_place(part: FieldResult) -> int:
        found = parts.get(id(part))
        if found is None:
            packed = (part.name, outcome_place(part.outcome), part.weight, part.prediction, part.reference)
            found = parts[id(part)] = (len(parts), packed)
        return found[0]

    rows = [
        (
            result.id,
            outcome_place(result.outcome),
            [(name, part_place(part)) for name, part in result.fields.items()],
            result.passed,
            result.parsed,
            result.unparsed_reason,
            dict(result.attributes),
            result.weight,
        )
        for result in results
    ]
    return [packed for _, packed in outcomes.values()], [packed for _, packed in parts.values()], rows


def unpack_results(packed: Packed) -> list[RecordResult]:
    """The results of a part."""
    first, second, rows = packed
    outcomes = [Outcome(*one) for one in first]
    parts = [FieldResult(name, outcomes[place], *rest) for name, place, *rest in second]
    return [
        RecordResult(identifier, outcomes[place], {name: parts[at] for name, at in fields}, *others)
        for identifier, place, fields, *others in rows
    ]
