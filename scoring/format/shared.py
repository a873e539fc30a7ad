"""The definitions that all schemas share: expressions, and one for each primitive."""

from __future__ import annotations

from typing import Any

from scoring.format.keys import JsonSchema
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import registry
from scoring.registry.model import REQUIRED, Param, Primitive
from scoring.values import Type


def definitions() -> JsonSchema:
    """The definitions that every schema refers to, by name."""
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
    """A one-key mapping; names that are no primitives may be definitions and are checked by the compiler."""
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
    """What is both a step and a metric takes the keys of the one that is meant, which the place says."""
    both = [one for one in (registry.get(name), registry.metric(name)) if one is not None]
    return {"description": "\n\n".join(f"{one.doc.summary}\n\n{one.signature}" for one in both)}


def _key(primitive: Primitive) -> str:
    kind = "metric" if primitive.kind == "metric" else "primitive"
    return f"{kind}.{primitive.name.replace('/', '.')}"


def _range(primitive: Primitive) -> str:
    """What its scores or figures may be, where that is not from 0 to 1."""
    if primitive.kind not in ("comparator", "combinator", "rescorer", "aggregator", "metric"):
        return ""
    held = ScoreRange(*map(float, primitive.range))
    if primitive.bounds is not None or "formula" in primitive.traits:
        return "\n\nIts range is computed from its settings and from the ranges of what it is given."
    return "" if held == UNIT or primitive.output.name not in ("Score", "Statistic") else f"\n\nIts range is {held}."


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
    """The JSON type of a value; a `{$path: …}` mapping may stand for any of them."""
    members = kind.args if kind.name == "Union" else (kind,)
    names = [_TYPES.get(member.name) for member in members]
    if not all(names):
        return {}
    types = dict.fromkeys([*(name for name in names if name), "object", *(["null"] if nullable else [])])
    return {"type": list(types)}


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))
