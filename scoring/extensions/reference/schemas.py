"""JSON Schemas of the spec formats, generated from the table of keys, for checks and for completion in editors.

They are draft-07, which YAML language servers fully support, and designed so that each mistake is one error at its own
location: alternatives are selected by the type of a value or by one key, never by trying them. The definitions from the
registry, calls of primitives, are the same for all kinds of files and are in a separate document.
"""

from __future__ import annotations

import json
from typing import Any

from scoring.format.forms import SHARED
from scoring.format.keys import DATA_SETS, KINDS, TABLE, TASKS, JsonSchema, object_schema
from scoring.format.model import CLASSES, class_of
from scoring.format.schema import schema_name
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import registry
from scoring.registry.model import REQUIRED, Param, Primitive
from scoring.values import Type

DRAFT = "http://json-schema.org/draft-07/schema#"


def schema_of(file: str) -> JsonSchema:
    """Return the JSON Schema of one kind of spec file: ``task``, ``pack``, or a kind that an extension provides."""
    owner = class_of("rows" if file == "task" else file)
    described = {"description": (owner.__doc__ or "").strip(), "type": "object"}
    body = _task() if file == "task" else object_schema(owner, file)
    return {"$schema": DRAFT, "title": f"scoring {file}", **described, **body}


def documents() -> dict[str, JsonSchema]:
    """Return all JSON Schemas by file name: one for each kind of spec file, and one with the definitions that they
    share."""
    kinds = {schema_name(file): schema_of(file) for file in ("task", *(kind for kind in KINDS if kind not in TASKS))}
    title = "the expressions of scoring, shared by the schemas of its files"
    return {**kinds, SHARED: {"$schema": DRAFT, "title": title, "definitions": _shared_definitions()}}


def schema_text(document: JsonSchema) -> str:
    """Return the text of a schema's file, as it is committed under ``schemas/``."""
    return json.dumps(document, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def _task() -> JsonSchema:
    """Return the schema of a task file, which depends on the key `records`: without it the task is over records, else
    over a data set of that kind."""
    # The keys for kinds of data sets of other packages are not known here.
    chosen = {**object_schema(CLASSES[TABLE], TABLE), "additionalProperties": True}
    for kind in DATA_SETS:
        is_kind = {"properties": {"records": {"const": kind}}}
        chosen = {"if": is_kind, "then": object_schema(class_of(kind), kind), "else": chosen}
    return {"if": {"required": ["records"]}, "then": chosen, "else": object_schema(CLASSES["rows"], "rows")}


def _shared_definitions() -> JsonSchema:
    """Return the definitions to which the schemas of all kinds of files refer, by name: steps of pipelines and calls of
    primitives."""
    found: JsonSchema = {
        "steps": {"if": {"type": "array"}, "then": {"minItems": 1, "items": {"$ref": "#/definitions/step"}}},
        "step": {
            "type": ["string", "object", "array"],
            "if": {"type": "object"},
            "then": {"$ref": "#/definitions/call"},
        },
        "call": _call(),
    }
    for primitive in registry:
        found[_key(primitive)] = _primitive(primitive)
    return found


def _call() -> JsonSchema:
    """Return the schema of a call written as a mapping with one key, such as `{zero_below: {threshold: 0.5}}`; names
    that are not primitives are checked by the compiler."""
    shared = {one.name for one in registry if one.kind == "metric" and registry.get(one.name) is not None}
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            primitive.name: {"$ref": f"#/definitions/{_key(primitive)}"}
            for primitive in registry
            if primitive.name not in shared
        }
        | {name: _either(name) for name in sorted(shared)},
    }


def _either(name: str) -> JsonSchema:
    """Return the schema of a call of a name that is both a step and a metric; its keys are not listed, since the
    position in the file decides which it is."""
    both = [one for one in (registry.get(name), registry.metric(name)) if one is not None]
    return {"description": "\n\n".join(f"{one.doc.summary}\n\n{one.signature}" for one in both)}


def _key(primitive: Primitive) -> str:
    kind = "metric" if primitive.kind == "metric" else "primitive"
    return f"{kind}.{primitive.name.replace('/', '.')}"


def _range(primitive: Primitive) -> str:
    """Return a sentence about the range of a primitive's scores or figures; "" if that is from 0 to 1, or it has
    none."""
    if primitive.kind not in ("comparator", "combinator", "rescorer", "aggregator", "metric"):
        return ""
    limits = ScoreRange(*map(float, primitive.range))
    if primitive.bounds is not None or "formula" in primitive.traits:
        return "\n\nIts range is computed from its settings and from the ranges of what it is given."
    return (
        "" if limits == UNIT or primitive.output.name not in ("Score", "Statistic") else f"\n\nIts range is {limits}."
    )


def _primitive(primitive: Primitive) -> JsonSchema:
    doc = primitive.doc
    aka = f"\n\nAlso called: {', '.join(primitive.aka)}." if primitive.aka else ""
    found: JsonSchema = {"description": f"{doc.summary}\n\n{primitive.signature}{_range(primitive)}{aka}"}
    if primitive.params and not any(param.variadic == "keyword" for param in primitive.params):
        properties = {param.name: _param(param) for param in primitive.params if not param.variadic}
        found["if"] = {"type": "object"}
        found["then"] = {"properties": properties, "additionalProperties": False}
    return found


def _param(param: Param) -> JsonSchema:
    found: JsonSchema = {"description": param.doc}
    if param.pipeline is not None:
        if param.pipeline.mapping:
            return {**found, "type": ["object", "null"]}
        return {**found, "type": ["string", "array", "object", "null"]}
    if param.choices:
        found["enum"] = list(param.choices)
    else:
        found.update(_value_type(param.type, nullable=param.default is None))
        if param.is_whole:
            found["type"] = ["integer" if name == "number" else name for name in found["type"]]
    if param.low is not None:
        found["minimum"] = param.low
    if param.high is not None:
        found["maximum"] = param.high
    if param.default is not REQUIRED and _is_json(param.default):
        found["default"] = param.default
    return found


_TYPES = {"Text": "string", "Number": "number", "Bool": "boolean", "List": "array", "Dict": "object", "None": "null"}


def _value_type(kind: Type, *, nullable: bool) -> JsonSchema:
    """Return the schema that names the JSON types of values of a type; {} if it has none.

    Args:
        kind: The type. Objects are always allowed too, since `{$path: …}` may replace any value.
        nullable: Whether null is allowed.
    """
    members = kind.args if kind.name == "Union" else (kind,)
    names = [_TYPES.get(member.name) for member in members]
    if not all(names):
        return {}
    types = dict.fromkeys([*(name for name in names if name), "object", *(["null"] if nullable else [])])
    return {"type": list(types)}


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))
