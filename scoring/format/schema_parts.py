"""The definitions that all schemas share: expressions, fields, named definitions, and one for each primitive."""

from __future__ import annotations

from typing import Any

from scoring.registry import registry
from scoring.registry.model import REQUIRED, Param, Primitive
from scoring.values import Type

Schema = dict[str, Any]

WORD = {"pattern": r"^[A-Za-z_]\w*$", "description": "a word of letters, digits and `_`"}
DOC = {"type": "string", "description": "What this is, for people."}
PATH = {"type": "string", "minLength": 1, "description": "A JMESPath into the record."}
_SHORT = {"if": {"type": "object"}, "then": {"$ref": "#/definitions/call"}, "else": {"$ref": "#/definitions/steps"}}
DIALECT = {
    "enum": ["megabench", "megabench-upstream"],
    "description": "The pack that gives the names of MEGA-Bench files their meaning: as documented, or as released.",
}


def expression(description: str) -> Schema:
    return {
        "description": description,
        "type": ["string", "array", "object"],
        "if": {"type": "object"},
        "then": {"$ref": "#/definitions/call"},
        "else": {"$ref": "#/definitions/steps"},
    }


def definitions() -> Schema:
    found: Schema = {
        "steps": {"if": {"type": "array"}, "then": {"minItems": 1, "items": {"$ref": "#/definitions/step"}}},
        "step": {
            "type": ["string", "object", "array"],
            "if": {"type": "object"},
            "then": {"$ref": "#/definitions/call"},
        },
        "call": _call(),
        "field": _field(),
        "tasks": _tasks(),
    }
    for key in ("score", "parse", "transform", "aggregate", "metric"):
        found[f"{key}_definition"] = _definition(key)
    for primitive in registry:
        found[_key(primitive)] = _primitive(primitive)
    return found


def _call() -> Schema:
    """A one-key mapping; names that are no primitives may be definitions and are checked by the compiler."""
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            primitive.name: {"$ref": f"#/definitions/{_key(primitive)}"}
            for primitive in registry
            if primitive.kind != "metric" or registry.get(primitive.name) is None
        },
    }


def _key(primitive: Primitive) -> str:
    kind = "metric" if primitive.kind == "metric" else "primitive"
    return f"{kind}.{primitive.name.replace('/', '.')}"


def _field() -> Schema:
    long: Schema = {
        "properties": {
            "score": expression("The field's scorer."),
            "weight": {
                "type": "number",
                "minimum": 0,
                "description": "What the field weighs in the aggregate; 1 by default.",
            },
            "prediction": {**PATH, "description": "Its place in the parsed response; `@` is the whole of it."},
            "reference": {**PATH, "description": "Its place in the reference; `@` is the whole of it."},
            "optional": {"type": "boolean", "description": "Whether a response may lack it."},
            "doc": DOC,
        },
        "additionalProperties": False,
        "required": ["score"],
    }
    # A mapping with a key of the long form is meant as one; any other mapping is a call.
    keys = "|".join(key for key in long["properties"])
    return {
        "type": ["string", "array", "object", "null"],
        "if": {"type": "object", "not": {"propertyNames": {"not": {"pattern": f"^({keys})$"}}}},
        "then": long,
        "else": _SHORT,
    }


def _tasks() -> Schema:
    return {
        "type": ["string", "object"],
        "description": "A spec file, a folder of tasks, or a JSONL file of tasks.",
        "required": ["path"],
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "The file or folder, relative to this spec."},
            "dialect": DIALECT,
            "only": {"type": "array", "items": {"type": "string"}, "description": "The names of the tasks to keep."},
            "attributes": {"type": "object", "description": "Attributes of all these tasks."},
        },
        "additionalProperties": False,
    }


def _definition(key: str) -> Schema:
    long: Schema = {
        "properties": {
            key: expression("The pipeline."),
            "doc": DOC,
            "params": {
                "type": "object",
                "description": "Parameters with their defaults, or `{default, doc, type: pipeline}`.",
                "propertyNames": WORD,
            },
            "source": {"type": "string", "description": "Where the formula comes from."},
            "examples": {
                "type": "array",
                "items": {"type": ["array", "object"]},
                "description": "[prediction, reference, score]",
            },
            "reads": {"type": "array", "items": {"type": "string"}, "description": "What it reads of the record."},
        },
        "additionalProperties": False,
        "required": [key],
    }
    return {
        "type": ["string", "array", "object"],
        "if": {"type": "object", "required": [key]},
        "then": long,
        "else": _SHORT,
    }


def _primitive(primitive: Primitive) -> Schema:
    doc = primitive.doc
    found: Schema = {"description": f"{doc.summary}\n\n{primitive.signature}"}
    if primitive.params and not any(param.variadic == "keyword" for param in primitive.params):
        properties = {param.name: _param(param) for param in primitive.params if not param.variadic}
        found["if"] = {"type": "object"}
        found["then"] = {"properties": properties, "additionalProperties": False}
    return found


def _param(param: Param) -> Schema:
    found: Schema = {"description": param.doc}
    if param.pipeline is not None:
        if param.pipeline.mapping:
            return {**found, "type": ["object", "null"]}
        return {**found, "type": ["string", "array", "object", "null"]}
    if param.choices:
        found["enum"] = list(param.choices)
    else:
        found.update(_value_type(param.type, nullable=param.default is None))
    if param.low is not None:
        found["minimum"] = param.low
    if param.high is not None:
        found["maximum"] = param.high
    if param.default is not REQUIRED and _is_json(param.default):
        found["default"] = param.default
    return found


_TYPES = {"Text": "string", "Number": "number", "Bool": "boolean", "List": "array", "Dict": "object", "None": "null"}


def _value_type(kind: Type, *, nullable: bool) -> Schema:
    """The JSON type of a value; a `{$path: …}` mapping may stand for any of them."""
    members = kind.args if kind.name == "Union" else (kind,)
    names = [_TYPES.get(member.name) for member in members]
    if not all(names):
        return {}
    types = dict.fromkeys([*(name for name in names if name), "object", *(["null"] if nullable else [])])
    return {"type": list(types)}


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))
