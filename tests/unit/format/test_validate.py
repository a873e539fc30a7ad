"""Files that leave their schema: one finding for each mistake, at its own key or value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from scoring.format.read_json import read_json
from scoring.format.read_yaml import read_yaml
from scoring.format.validate import validate
from tests.support import schemas

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["kind", "name"],
    "additionalProperties": False,
    "properties": {
        "kind": {"enum": ["task", "pack", "suite"], "description": "What the file is. More prose."},
        "name": {"type": "string", "pattern": "^[a-z/]+$", "description": "Its name.", "examples": ["a/b"]},
        "version": {"type": "string"},
        "strict": {"type": "boolean"},
        "size": {"type": "integer", "exclusiveMinimum": 0, "multipleOf": 5},
        "by": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1},
        "fields": {
            "type": "object",
            "propertyNames": {"pattern": "^[a-z]+$", "description": "A field name is in lower case."},
            "additionalProperties": {"$ref": "#/definitions/field"},
        },
        "steps": {"type": "array", "items": {"$ref": "#/definitions/step"}},
    },
    "definitions": {
        "field": {
            "anyOf": [
                {"type": "string"},
                {"type": "array"},
                {
                    "type": "object",
                    "required": ["score"],
                    "additionalProperties": False,
                    "properties": {
                        "score": {"type": "string", "description": "How it is scored."},
                        "weight": {"type": "number", "minimum": 0, "description": "How much it counts."},
                    },
                },
            ]
        },
        "step": {
            "if": {"type": "string"},
            "then": {"enum": ["number", "lower"]},
            "else": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {"number": {"$ref": "#/definitions/number"}, "lower": {"type": "object"}},
            },
        },
        "number": {"type": "object", "additionalProperties": False, "properties": {"tolerance": {"type": "number"}}},
    },
}
HEAD = "kind: task\nname: a\n"

CASES = [
    ("kind: task\nnmae: a", ["2:1 unknown-key: unknown key `nmae`: did you mean `name`?"]),
    ("kind: task", ["1:1 missing-key: the key `name` is missing: Its name"]),
    (
        "kind: tsk\nname: a",
        ["1:7 unknown-value: expected `task`, `pack` or `suite`, found the text `tsk`: did you mean `task`?"],
    ),
    (
        "kind: 7\nname: a",
        ["1:7 unknown-value: expected `task`, `pack` or `suite`, found the number `7`: What the file is"],
    ),
    ("kind: task\nname: A b", ["2:7 bad-text: `A b` is not in the required form: Its name"]),
    (HEAD + "version: 1.0", ["3:10 wrong-type: expected text, found the number `1.0`"]),
    (HEAD + "strict: yes", ["3:9 wrong-type: expected true or false, found the text `yes`"]),
    (
        HEAD + "size: 1.5",
        [
            "3:7 out-of-range: expected a multiple of 5, found `1.5`",
            "3:7 wrong-type: expected a whole number, found the number `1.5`",
        ],
    ),
    (HEAD + "size: 0", ["3:7 out-of-range: expected more than 0, found `0`"]),
    (HEAD + "by: []", ["3:5 wrong-size: expected at least 1 item, found 0 items"]),
    (HEAD + "by: [a, b, a]", ["3:12 repeated-item: `a` appears twice in one list: again here"]),
    (HEAD + "by: doc_type", ["3:5 wrong-type: expected a list, found the text `doc_type`"]),
    (HEAD + "by:", ["3:1 wrong-type: expected a list, found nothing"]),
    (HEAD + "fields: {Bad: x}", ["3:10 bad-name: `Bad` can't be a name here: A field name is in lower case"]),
    (HEAD + "fields: {a: 3}", ["3:13 wrong-type: expected text, a list or a mapping, found the number `3`"]),
    (
        HEAD + "fields: {a: {scor: x, weight: 1}}",
        ["3:14 unknown-key: unknown key `scor` in `a`: did you mean `score`?"],
    ),
    (
        HEAD + "fields:\n  a: {score: x, weight: '2'}\n  b: {score: x, weight: -1}",
        [
            "4:25 wrong-type: expected a number, found the text `2`: How much it counts",
            "5:25 out-of-range: expected at least 0, found `-1`: How much it counts",
        ],
    ),
    (
        HEAD + "steps: [numbr, {numbr: {}}, {number: {tol: 1}}, {number: tight}, {}]",
        [
            "3:9 unknown-value: expected `number` or `lower`, found the text `numbr`: did you mean `number`?",
            "3:17 unknown-key: unknown key `numbr`: did you mean `number`?",
            "3:39 unknown-key: unknown key `tol` in `number`: did you mean `tolerance`?",
            "3:58 wrong-type: expected a mapping, found the text `tight`",
            "3:66 syntax-data-call: a call is a mapping with one key, but this one has 0: "
            "expected one key, the name of the step",
        ],
    ),
    ("- a", ["1:1 wrong-type: expected a mapping, found a list"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_each_mistake_is_one_finding_at_its_place(text: str, expected: list[str]) -> None:
    found = [
        f"{str(one.span).removeprefix('<yaml>:')} {one.id}: {one.message}"
        + (f": {one.primary.text}" if one.primary.text else "")
        for one in validate(read_yaml(text), SCHEMA)
    ]
    assert found == expected


def advice(text: str) -> list[str]:
    return [line for one in validate(read_yaml(text), SCHEMA) for line in (*one.help, *one.note)]


def test_advice_says_what_to_write() -> None:
    assert advice("kind: task") == ["add it:\nname: a/b"]
    assert advice(HEAD + "version: 1.0") == ['put it in quotes to make it text: `"1.0"`']
    assert advice(HEAD + "fields: {a: {score: x, weight: '2'}}") == ["remove the quotes: `2`"]
    assert advice(HEAD + "zzzzzz: 1") == [
        "the keys here are `by`, `fields`, `kind`, `name`, `size`, `steps`, `strict` and `version`"
    ]


def test_what_yaml_1_1_makes_of_a_value_is_said() -> None:
    assert advice(HEAD + "strict: yes") == [
        "write `true`",
        "`yes` is text here (YAML 1.2); readers of YAML 1.1 take it for a boolean",
    ]
    assert advice(HEAD + "size: 12:30") == [
        "`12:30` is text here (YAML 1.2); readers of YAML 1.1 take it for the number 750"
    ]
    assert advice(HEAD + "by: 2024-01-01") == [
        "write a list, `[2024-01-01]`",
        "`2024-01-01` is text here (YAML 1.2); readers of YAML 1.1 take it for a date",
    ]


def test_json_files_are_checked_alike() -> None:
    found = list(validate(read_json('{"kind": "task", "name": "a", "strict": "no"}'), SCHEMA))
    assert [str(one) for one in found] == [
        "<json>:1:41: error[wrong-type]: expected true or false, found the text `no`"
    ]


def test_a_reference_outside_the_schema_is_never_fetched() -> None:
    for address in ("http://127.0.0.1:9/schema.json", "file:///etc/hostname"):
        with pytest.raises(Exception, match="Unresolvable"):
            validate(read_yaml("a: 1"), {"properties": {"a": {"$ref": address}}})


@pytest.mark.property
@settings(max_examples=100)
@given(schemas.VALUES, schemas.SCHEMAS.filter(lambda schema: isinstance(schema, dict) and "$ref" not in str(schema)))
def test_every_refusal_has_a_finding_with_a_place(data: Any, schema: dict[str, Any]) -> None:
    import json

    written = json.dumps(data)
    found = list(validate(read_json(written), schema))
    assert bool(found) != Draft7Validator(schema).is_valid(data)
    for one in found:
        assert one.span is not None
        assert 0 <= one.span.start <= one.span.end <= len(written)
