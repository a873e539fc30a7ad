"""Advice for common mistakes in JSON, as a table whose first match counts."""

from __future__ import annotations

import json
import re
from typing import Any

from scoring.lazy_pattern import lazy_pattern

# Each is the message of Python's reader, a pattern for the text at the position of the error, and the advice.
_SLIPS = tuple(
    (message, lazy_pattern(begins), advice)
    for message, begins, advice in (
        ("Extra data", r",\s*\Z", "leave out the `,` after the record"),
        ("Extra data", r",?\s*\{", "write each record on a line of its own"),
        ("Extra data", r"[;#/]|\s*//", "leave out what follows the record"),
        ("Expecting property name", r"'", "write `\"` instead of each `'`, as `json.dumps(record)` does"),
        ("Expecting property name", r"\}", "leave out the `,` before the `}`"),
        ("Expecting property name", r"[A-Za-z_]", 'write names in quotes, `"id": 1`, as `json.dumps(record)` does'),
        ("Illegal trailing comma", r"", "leave out the `,` before the closing bracket"),
        ("Expecting value", r"'", "write `\"` instead of each `'`, as `json.dumps(record)` does"),
        ("Expecting value", r"True\b", "write `true` instead of `True`, as `json.dumps(record)` does"),
        ("Expecting value", r"False\b", "write `false` instead of `False`, as `json.dumps(record)` does"),
        ("Expecting value", r"(?:None|undefined|nil|NULL|Null|nan)\b", "write `null`, as `json.dumps(record)` does"),
        ("Expecting value", r"[\]}]", "leave out the `,` before it, or write the value that is missing"),
        ("Expecting value", r"[A-Za-z_]", "write texts in quotes"),
        ("Expecting value", r"[.+]\d", "write a digit first, as in `0.5`"),
        ("Expecting ',' delimiter", r"\d", "write a number without leading zeros, or in quotes"),
        ("Expecting ',' delimiter", r"\w", 'write `\\"` for a quote within a text'),
        ("Expecting ',' delimiter", r"", "write the `,` or the closing bracket here"),
        ("Expecting ':' delimiter", r"", "write `:` between a name and its value"),
        ("Invalid control character", r"[\n\r]|\Z", "write `\\n` for a newline within a text"),
        ("Invalid control character", r"\t", "write `\\t` for a tab within a text"),
        ("Invalid \\escape", r"", "write `\\\\` for a backslash"),
        ("Invalid \\uXXXX escape", r"", "write four digits after `\\u`, and `\\\\` for a backslash"),
        ("Unterminated string", r"", 'write the `"` that closes it; or the line was cut off'),
    )
)
_PLAIN = lazy_pattern(r"(?!(?:True|False|None|NaN|nan|NULL|Null|nil|undefined)\b)[^\W\d]|-\s|---")
"""The beginning of a line of plain text or YAML."""
_NEAR = 40


def json_syntax_advice(error: json.JSONDecodeError, is_record: bool = False) -> str:
    """Return advice for a JSON syntax error, in a text that should be a record if `is_record`; "" if there is none.

    Examples:
        >>> try:
        ...     json.loads('{"id": 1},')
        ... except json.JSONDecodeError as error:
        ...     json_syntax_advice(error)
        'leave out the `,` after the record'
    """
    if error.pos == 0 and error.doc.startswith(("#", "//")):
        return "leave out this line: JSON has no comments"
    if is_record and error.pos == 0 and error.msg == "Expecting value" and _PLAIN.match(error.doc):
        return 'write records, each as `{"id": "1", "response": "…", "reference": "…"}`'
    rest = error.doc[error.pos : error.pos + _NEAR].rstrip("\r\n")
    found = (words for message, begins, words in _SLIPS if error.msg.startswith(message) and begins.match(rest))
    return next(found, "")


def of_document(value: Any) -> str:
    """Return advice on how to write records, given the content of a JSON file that is not a list of them.

    Examples:
        >>> of_document({"data": [{"id": 1}]})
        'write `"records"` instead of `"data"`, or read it in the format `json,rows=data[*]`'
        >>> of_document({"q1": {"answer": "a"}, "q2": {"answer": "b"}})
        'write a list of records with their ids, `[{"id": "q1", "answer": …}, …]`, or read it as `json,rows=*`'
        >>> of_document({"id": 1, "response": "a"})
        'write a list of records, `[{"id": …}, …]`'
    """
    if not isinstance(value, dict) or not value:
        return 'write a list of records, `[{"id": …}, …]`'
    lists = [key for key, item in value.items() if isinstance(item, list) and item and isinstance(item[0], dict)]
    if len(lists) == 1:
        path = lists[0] if re.fullmatch(r"[\w-]+", lists[0]) else _short(lists[0])
        return f'write `"records"` instead of `{_short(lists[0])}`, or read it in the format `json,rows={path:.40}[*]`'
    if lists:
        return f'write `"records"` instead of the one that is meant: {", ".join(map(_short, lists[:5]))}'
    first, record = next(iter(value.items()))
    if all(isinstance(item, dict) for item in value.values()):
        name = next(iter(record), "response")
        form = f'`[{{"id": {_short(first)}, {_short(name)}: …}}, …]`'
        return f"write a list of records with their ids, {form}, or read it as `json,rows=*`"
    columns = [item for item in value.values() if isinstance(item, list)]
    if len(columns) == len(value) > 1:
        return f'write a list of records, not of columns: `[{{{_short(first)}: …}}, …]`, as `orient="records"` does'
    return f"write a list of records, `[{{{_short(first)}: …}}, …]`"


def _short(text: str) -> str:
    return json.dumps(text[:_NEAR], ensure_ascii=True)
