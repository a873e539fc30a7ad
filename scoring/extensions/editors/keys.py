"""The keys and values of a spec's YAML that its JSON Schema allows at a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from scoring.extensions.editors.place import KeyPath
from scoring.format.keys import KINDS, TABLE, JsonSchema, object_schema
from scoring.format.model import class_of
from scoring.registry.plugins import has_table_kind

_MOST_STEPS = 60
_KNOWN_KINDS = (*KINDS, TABLE)


@cache
def schema_of_kind(kind: str) -> JsonSchema:
    """Return the JSON Schema of a kind of file, as the table of keys has it."""
    known = kind if kind in _KNOWN_KINDS or has_table_kind(kind) else TABLE
    return {"type": "object", **object_schema(class_of(known), known)}


def schemas_at(kind: str, path: KeyPath) -> list[JsonSchema]:
    """Return the schemas that hold for the value at a path of keys, each an alternative."""
    found = list(_alternatives(schema_of_kind(kind)))
    for name in path[:_MOST_STEPS]:
        found = [inner for one in found for below in _below(one, name) for inner in _alternatives(below)]
    return found


def _below(schema: JsonSchema, name: str | int) -> Iterator[JsonSchema]:
    if isinstance(name, int):
        items = schema.get("items")
        if isinstance(items, Mapping):
            yield dict(items)
        return
    own = schema.get("properties", {}).get(name)
    if own is not None:
        yield own
    elif isinstance(schema.get("additionalProperties"), Mapping):
        yield dict(schema["additionalProperties"])


def _alternatives(schema: Any) -> Iterator[JsonSchema]:
    """Yield a schema and those that it chooses between; references, which lead to expressions, are not followed."""
    waiting, left = [schema], _MOST_STEPS
    while waiting and left:
        one, left = waiting.pop(0), left - 1
        if not isinstance(one, Mapping):
            continue
        yield dict(one)
        waiting += [one[word] for word in ("then", "else") if word in one]
        waiting += [*one.get("anyOf", ()), *one.get("oneOf", ()), *one.get("allOf", ())]


def key_schemas_at(kind: str, path: KeyPath) -> dict[str, JsonSchema]:
    """Return the schemas of the keys that a mapping at a path may have, by name, required ones first.

    Examples:
        >>> list(key_schemas_at("rows", ("intervals",)))[:2]
        ['method', 'confidence']
    """
    found: dict[str, JsonSchema] = {}
    required: list[str] = []
    for one in schemas_at(kind, path):
        required += [name for name in one.get("required", ()) if name not in required]
        for name, schema in one.get("properties", {}).items():
            found.setdefault(name, schema if isinstance(schema, dict) else {})
    first = [name for name in required if name in found]
    return {name: found[name] for name in (*first, *(name for name in found if name not in first))}


def values_at(kind: str, path: KeyPath) -> list[tuple[Any, str]]:
    """Return the values that the schema lists for a place, each with the place's description; examples come last."""
    listed: list[tuple[Any, str]] = []
    examples: list[tuple[Any, str]] = []
    for one in schemas_at(kind, path):
        doc = str(one.get("description", ""))
        listed += [(value, doc) for value in one.get("enum", ())]
        listed += [(one["const"], doc)] if "const" in one else []
        kinds = one.get("type", ())
        listed += [(flag, doc) for flag in (True, False) if kinds == "boolean" or "boolean" in tuple(kinds)]
        examples += [(value, doc) for value in one.get("examples", ()) if isinstance(value, (str, int, float))]
    plain = [entry for entry in (*listed, *examples) if not isinstance(entry[0], (list, dict))]
    return list({repr(value): (value, doc) for value, doc in reversed(plain)}.values())[::-1]


def is_mapping_at(kind: str, path: KeyPath) -> bool:
    """Return whether a mapping may stand at a path."""
    return any(
        "object" in kinds if isinstance(kinds := one.get("type", ()), list) else kinds == "object"
        for one in schemas_at(kind, path)
    )
