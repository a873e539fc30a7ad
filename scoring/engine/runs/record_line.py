"""One line of `scores.jsonl`: everything about one record, small enough to read and exact enough to compare.

A run writes millions of these, so the text is put together by hand; only what was parsed goes through an encoder.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from scoring.data.strict_json import dumps
from scoring.outcomes import ABSENT, UNDECIDED, Outcomes, Results

# A hostile response can parse into megabytes; the run folder keeps its beginning.
MAX_PARSED = 20_000
MAX_TEXT = 2_000


def record_lines(places: Sequence[str], results: Results, label: str | None = None) -> list[str]:
    """The records as lines of strict JSON.

    Args:
        places: Where each stands in the input.
        results: The results.
        label: The task that scored them, where a run has several.

    Examples:
        >>> from scoring.result import Outcome, RecordResult
        >>> record_lines(["line 1"], Results.of([RecordResult("q1", Outcome(0.5))]))
        ['{"id":"q1","where":"line 1","score":0.5,"status":"scored","fields":{},"parsed":null}']
    """
    head = "{" if label is None else f'{{"task":{dumps(label)},'
    fields = [(_name(name), column.outcomes) for name, column in results.fields.items()]
    attributes = list(results.attributes.items())
    parsed = results.parsed
    lines = []
    for place, where in enumerate(places):
        parts = [f'{head}"id":{short(results.ids[place])}', f'"where":{dumps(where)}', _own(results, place)]
        shown = ",".join(
            f"{name}:{{{_outcome(outcomes, place)}}}" for name, outcomes in fields if outcomes.statuses[place] != ABSENT
        )
        parts.append(f'"fields":{{{shown}}}')
        held = {name: values[place] for name, values in attributes if values[place] is not ...}
        if held:
            parts.append(f'"attributes":{short(held)}')
        parts.append(f'"parsed":{"null" if parsed is None else short(parsed[place])}}}')
        lines.append(",".join(parts))
    return lines


def _own(results: Results, place: int) -> str:
    """What a line says of the record's own outcome."""
    text = _outcome(results.outcomes, place)
    if results.passed[place] != UNDECIDED:
        text = f'{text},"passed":{"true" if results.passed[place] else "false"}'
    why = results.unparsed.get(place)
    return text if why is None else f'{text},"unparsed":{_text(why)}'


def _outcome(outcomes: Outcomes, place: int) -> str:
    outcome = outcomes.odd.get(place)
    if outcome is None:
        return f'"score":{outcomes.values[place]!r},"status":"scored"'
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
