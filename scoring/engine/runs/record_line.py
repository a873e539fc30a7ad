"""The lines of `scores.jsonl`: everything about one record, short enough to read and exact enough to compare.

A run writes millions of these, so the text is assembled by hand; only nested values go through a JSON encoder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from json.encoder import encode_basestring
from operator import add
from typing import Any

from scoring.data.json_write import dumps, escape_surrogates
from scoring.outcomes import ABSENT, UNDECIDED, Outcomes, Results
from scoring.result import Outcome

# A hostile response can parse into megabytes; the run folder keeps only the beginning.
MAX_PARSED = 20_000
MAX_TEXT = 2_000


def record_lines(places: Sequence[str], results: Results, label: str | None = None) -> list[str]:
    """Return the records as lines of strict JSON; ``places`` are their positions in the input, ``label`` is the name of
    the task that scored them, if the run has several.

    Examples:
        >>> from scoring.result import Outcome, RecordResult
        >>> record_lines(["line 1"], Results.of([RecordResult("q1", Outcome(0.5))]))
        ['{"id":"q1","where":"line 1","score":0.5,"status":"scored","fields":{},"parsed":null}']
    """
    head = "{" if label is None else f'{{"task":{dumps(label)},'
    parsed = repeat("null", len(places)) if results.parsed is None else _each(results.parsed)
    more: Iterable[str] = _attributes(results)
    for columns_of in (_values, _weights, _read):
        if (written := columns_of(results)) is not None:
            more = map(add, more, written)
    columns = (_each(results.ids), _each(places), _own(results), _fields(results), more, parsed)
    return [
        f'{head}"id":{name},"where":{where},{own},"fields":{{{fields}}}{others},"parsed":{answer}}}'
        for name, where, own, fields, others, answer in zip(*columns, strict=True)
    ]


def _each(values: Sequence[Any]) -> Iterable[str]:
    """Return each value as JSON text, as `short` writes it."""
    if set(map(type, values)) == {str} and max(map(len, values)) <= MAX_TEXT:
        written = list(map(encode_basestring, values))
        return written if "".join(values).isascii() else map(escape_surrogates, written)
    return map(short, values)


def _own(results: Results) -> list[str]:
    """Return, for each record, the part of its line about its own outcome."""
    found = _outcomes(results.outcomes)
    if results.passed.count(UNDECIDED) < len(found):
        for place, passed in enumerate(results.passed):
            if passed != UNDECIDED:
                found[place] = f'{found[place]},"passed":{"true" if passed else "false"}'
    for place, why in results.unparsed.items():
        found[place] = f'{found[place]},"unparsed":{_text(why)}'
    return found


def _fields(results: Results) -> Iterable[str]:
    """Return, for each record, the part of its line about the fields, without those that scoring did not reach."""
    found = []
    is_whole = True
    for name, column in results.fields.items():
        outcomes = column.outcomes
        texts = _outcomes(outcomes, f"{dumps(name)}:{{", "}")
        if ABSENT in outcomes.statuses:
            is_whole = False
            texts = ["" if status == ABSENT else text for text, status in zip(texts, outcomes.statuses, strict=True)]
        found.append(texts)
    if not found:
        return repeat("", len(results))
    if len(found) == 1:
        return found[0]
    return map(
        ",".join, zip(*found, strict=True) if is_whole else (filter(None, one) for one in zip(*found, strict=True))
    )


def _attributes(results: Results) -> Iterable[str]:
    if not results.attributes:
        return repeat("", len(results))
    names = list(results.attributes)
    rows = (
        {name: value for name, value in zip(names, values, strict=True) if value is not ...}
        for values in zip(*results.attributes.values(), strict=True)
    )
    return (f',"attributes":{short(attributes)}' if attributes else "" for attributes in rows)


def _values(results: Results) -> Iterable[str] | None:
    """Return the part of each record's line about computed values, with null for failures; None if there are none."""
    known = {
        name: _each([None if type(value) is Outcome else value for value in column])
        for name, column in results.values.items()
    }
    return _member("values", known)


def _read(results: Results) -> Iterable[str] | None:
    """Return the part of each record's line about the other values that figures read; None if there are none."""
    return _member("read", {name: map(_whole, column) for name, column in results.read.items()})


def _weights(results: Results) -> Iterable[str] | None:
    """Return the part of each record's line about its weight, "" for a weight of 1; None if all weights are 1."""
    if all(weight == 1.0 for weight in results.weights):
        return None
    return (f',"weight":{weight!r}' if weight != 1.0 else "" for weight in results.weights)


def _member(name: str, columns: Mapping[str, Iterable[str]]) -> Iterable[str] | None:
    if not columns:
        return None
    names = [dumps(name) for name in columns]
    rows = zip(*columns.values(), strict=True)
    return (f',"{name}":{{{",".join(map("{}:{}".format, names, values))}}}' for values in rows)


def _outcomes(outcomes: Outcomes, head: str = "", tail: str = "") -> list[str]:
    """Return each outcome as JSON members (score, status …), between the texts ``head`` and ``tail``."""
    known: dict[float, str] = {}
    found = []
    for value in outcomes.values:
        text = known.get(value)
        if text is None:
            text = f'{head}"score":{value!r},"status":"scored"{tail}'
            if value:  # 0.0 and -0.0 are equal, but written differently
                known[value] = text
        found.append(text)
    for place, outcome in outcomes.odd.items():
        found[place] = f"{head}{_odd(outcome)}{tail}"
    return found


def _odd(outcome: Outcome) -> str:
    value = outcome.value
    score = repr(value) if type(value) is float and math.isfinite(value) else dumps(value)
    text = f'"score":{score},"status":"{outcome.status}"'
    if outcome.reason:
        text = f'{text},"reason":{_text(outcome.reason)}'
    return f'{text},"notes":{short(dict(outcome.notes))}' if outcome.notes else text


def _text(text: str) -> str:
    written = encode_basestring(text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… ({len(text)} characters)")
    return written if written.isascii() else escape_surrogates(written)


def _whole(value: Any) -> str:
    """Return the value as strict JSON, or `{"$cut": …}` with its length if it is too long; it is never truncated."""
    text = dumps(value)
    return text if len(text) <= MAX_PARSED else dumps({"$cut": f"{len(text)} characters"})


def short(value: Any) -> str:
    """Return the value as strict JSON, cut off if it is too long to keep.

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
