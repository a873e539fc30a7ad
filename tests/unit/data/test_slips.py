"""Slips of JSON and of its shape: the message ends with what to write."""

from __future__ import annotations

import pytest

from scoring.data.json_read import NotJson, parse
from scoring.data.slips import of_document


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('{"id": 1},', "leave out the `,` after the record"),
        ('{"id": 1} {"id": 2}', "write each record on a line of its own"),
        ("{'id': 1}", "write `\"` instead of each `'`, as `json.dumps(record)` does"),
        ("{id: 1}", 'write names in quotes, `"id": 1`, as `json.dumps(record)` does'),
        ('{"id": None}', "write `null`, as `json.dumps(record)` does"),
        ('{"id": True}', "write `true` instead of `True`, as `json.dumps(record)` does"),
        ('{"id": "a "b" c"}', 'write `\\"` for a quote within a text'),
        ('{"id": "a\tb"}', "write `\\t` for a tab within a text"),
        ('{"id": "\\d"}', "write `\\\\` for a backslash"),
        ('{"id": "a', 'write the `"` that closes it; or the line was cut off'),
        ('{"id": .5}', "write a digit first, as in `0.5`"),
        ('{"id": 1} # first', "leave out what follows the record"),
    ],
)
def test_a_slip_ends_with_what_to_write(text: str, advice: str) -> None:
    with pytest.raises(NotJson) as refused:
        parse(text)
    assert str(refused.value).endswith(f"; {advice}")
    assert " at column " in str(refused.value)


@pytest.mark.parametrize(
    ("document", "advice"),
    [
        ({"a": [{"id": 1}], "b": [{"id": 2}]}, 'write `"records"` instead of the one that is meant: "a", "b"'),
        (
            {"id": [1, 2], "gold": [3, 4]},
            'write a list of records, not of columns: `[{"id": …}, …]`, as `orient="records"` does',
        ),
        ("text", 'write a list of records, `[{"id": …}, …]`'),
    ],
)
def test_a_document_without_records_ends_with_one_that_has_them(document: object, advice: str) -> None:
    assert of_document(document) == advice
