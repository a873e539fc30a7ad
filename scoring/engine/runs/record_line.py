"""One line of `scores.jsonl`: everything about one record, small enough to read and exact enough to compare.

A run writes millions of these, so the text is put together by hand; only what was parsed goes through an encoder.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

from scoring.data.strict_json import dumps
from scoring.result import FieldResult, Outcome, RecordResult

# A hostile response can parse into megabytes; the run folder keeps its beginning.
MAX_PARSED = 20_000
MAX_TEXT = 2_000


def record_line(where: str, result: RecordResult) -> str:
    """The record as one line of strict JSON.

    Examples:
        >>> record_line("line 1", RecordResult("q1", Outcome(0.5)))
        '{"id":"q1","where":"line 1","score":0.5,"status":"scored","fields":{},"parsed":null}'
    """
    parts = [f'"id":{short(result.id)}', f'"where":{dumps(where)}', _outcome(result.outcome)]
    if result.passed is not None:
        parts.append('"passed":true' if result.passed else '"passed":false')
    if result.unparsed_reason is not None:
        parts.append(f'"unparsed":{_text(result.unparsed_reason)}')
    fields = [f"{_name(name)}:{{{_outcome(part.outcome)}}}" for name, part in result.fields.items()]
    parts.append(f'"fields":{{{",".join(fields)}}}')
    if result.attributes:
        parts.append(f'"attributes":{short(dict(result.attributes))}')
    parts.append(f'"parsed":{short(result.parsed)}')
    return f"{{{','.join(parts)}}}"


def record_data(where: str, result: RecordResult) -> dict[str, Any]:
    """The record as plain data, the same that its line holds."""
    found: dict[str, Any] = json.loads(record_line(where, result))
    return found


def _outcome(outcome: Outcome) -> str:
    value = outcome.value
    score = repr(value) if type(value) is float and math.isfinite(value) else dumps(value)
    text = f'"score":{score},"status":"{outcome.status}"'
    if outcome.reason:
        text = f'{text},"reason":{_text(outcome.reason)}'
    return f'{text},"notes":{short(dict(outcome.notes))}' if outcome.notes else text


@lru_cache(maxsize=4096)
def _name(name: str) -> str:
    return dumps(name)


def _text(text: str) -> str:
    return dumps(text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… ({len(text)} characters)")


def short(value: Any) -> str:
    """The value as strict JSON, cut where it is too long to keep.

    Examples:
        >>> short({"a": [1, None]}), len(short("x" * 1_000_000)), len(short(list(range(100_000))))
        ('{"a":[1,null]}', 2024, 2039)
    """
    if value is None:
        return "null"
    if isinstance(value, str):
        return _text(value)
    text = dumps(value)
    if len(text) <= MAX_PARSED:
        return text
    return dumps({"$cut": f"{len(text)} characters", "start": text[:MAX_TEXT]})


class Slimmer:
    """Makes results slim: without the values that were compared and without what was parsed.

    The rest is all that means and counts need. Fields with one outcome are shared between the records of a part.
    """

    def __init__(self) -> None:
        self._parts: dict[tuple[str, int, float], FieldResult] = {}

    def slim(self, result: RecordResult) -> RecordResult:
        """The slim result."""
        fields = {name: self._part(part) for name, part in result.fields.items()}
        return RecordResult(
            result.id,
            result.outcome,
            fields,
            result.passed,
            None,
            result.unparsed_reason,
            result.attributes,
            result.weight,
        )

    def _part(self, part: FieldResult) -> FieldResult:
        # The held field keeps its outcome alive, so that no other outcome gets the same identity.
        key = (part.name, id(part.outcome), part.weight)
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = FieldResult(part.name, part.outcome, part.weight)
        return found
