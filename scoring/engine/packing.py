"""Items and results as plain tuples, for the way between processes.

A frozen class with slots is pickled by Python code, attribute by attribute; a tuple is not. A run sends millions.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from scoring.engine.inputs.join import Item
from scoring.result import FieldResult, Outcome, RecordResult

Packed: TypeAlias = tuple[Any, ...]


def pack_item(item: Item) -> Packed:
    """The item as a tuple."""
    return item.id, item.where, item.record, item.problem


def unpack_item(packed: Packed) -> Item:
    """The item of a tuple."""
    return Item(*packed)


def pack_result(result: RecordResult) -> Packed:
    """The result as a tuple; only its explainer is left behind.

    Examples:
        >>> result = RecordResult("q1", Outcome(0.5), {"a": FieldResult("a", Outcome(0.5), 2.0)}, True)
        >>> unpack_result(pack_result(result)) == result
        True
    """
    outcome = result.outcome
    fields = [
        (name, part.name, part.outcome.value, part.outcome.status, part.outcome.reason, part.weight, part.prediction,
         part.reference)
        for name, part in result.fields.items()
    ]
    return (
        result.id, outcome.value, outcome.status, outcome.reason, fields, result.passed, result.parsed,
        result.unparsed_reason, dict(result.attributes), result.weight,
    )


def unpack_result(packed: Packed) -> RecordResult:
    """The result of a tuple."""
    identifier, value, status, reason, fields, *others = packed
    return RecordResult(
        identifier,
        Outcome(value, status, reason),
        {key: FieldResult(name, Outcome(score, state, why), *rest) for key, name, score, state, why, *rest in fields},
        *others,
    )
