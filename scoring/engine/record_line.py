"""One line of `scores.jsonl`: everything about one record, small enough to read and exact enough to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.engine.strict_json import dumps, plain
from scoring.result import FieldResult, Outcome, RecordResult

# A hostile response can parse into megabytes; the run folder keeps its beginning.
MAX_PARSED = 20_000
MAX_TEXT = 2_000


def record_data(where: str, result: RecordResult) -> dict[str, Any]:
    """The record as plain data.

    Examples:
        >>> record_data("line 1", RecordResult("q1", Outcome(0.5)))
        {'id': 'q1', 'where': 'line 1', 'score': 0.5, 'status': 'scored', 'fields': {}, 'parsed': None}
    """
    data: dict[str, Any] = {"id": short(result.id), "where": where, **_outcome(result.outcome)}
    if result.passed is not None:
        data["passed"] = result.passed
    if result.unparsed_reason is not None:
        data["unparsed"] = _cut(result.unparsed_reason)
    data["fields"] = {name: _outcome(part.outcome) for name, part in result.fields.items()}
    if result.attributes:
        data["attributes"] = short(dict(result.attributes))
    data["parsed"] = short(result.parsed)
    return data


def record_line(where: str, result: RecordResult) -> str:
    """The record as one line of strict JSON."""
    return dumps(record_data(where, result))


def _outcome(outcome: Outcome) -> dict[str, Any]:
    data: dict[str, Any] = {"score": outcome.value, "status": outcome.status}
    if outcome.reason:
        data["reason"] = _cut(outcome.reason)
    return data


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… ({len(text)} characters)"


def short(value: Any) -> Any:
    """The value as JSON can hold it, cut where it is too long to keep."""
    if isinstance(value, str):
        return _cut(value)
    if value is None or isinstance(value, (bool, float)):
        return value
    data = plain(value)
    if _weight(data, MAX_PARSED) >= 0:
        return data
    text = dumps(data)
    return {"$cut": f"{len(text)} characters", "start": text[:MAX_TEXT]}


def _weight(value: Any, left: int) -> int:
    """What is left of a budget of characters after this value; negative when it is used up."""
    stack = [value]
    while stack and left >= 0:
        item = stack.pop()
        if isinstance(item, str):
            left -= len(item) + 2
        elif isinstance(item, Mapping):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            left -= len(item)
            stack.extend(item)
        elif isinstance(item, int):
            left -= 1 + item.bit_length() // 4
        else:
            left -= 8
    return left


def slim(result: RecordResult) -> RecordResult:
    """The result without the values that were compared and without what was parsed: all that means and counts need."""
    fields = {
        name: FieldResult(part.name, part.outcome, part.weight) for name, part in result.fields.items()
    }
    return RecordResult(
        result.id, result.outcome, fields, result.passed, None, result.unparsed_reason, result.attributes, result.weight
    )
