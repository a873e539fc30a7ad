"""The part of JSON Schema in which a judge program says what a reply must look like.

A small subset on purpose: it is checked without recursion into references, without regular expressions, and every
violation has one word that reports can count. A schema with any other keyword is refused when it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from scoring.judge.calls import InvalidReply

Schema: TypeAlias = Mapping[str, Any]

AS_MANY_AS = "as_many_as"
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "null": lambda value: value is None,
}
_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "enum", "const",
    "minimum", "maximum", "minLength", "maxLength", "description", "title", AS_MANY_AS,
}  # fmt: skip
_MAX_DEPTH = 20


class SchemaError(ValueError):
    """A reply schema that uses what is not supported: which keyword, and where."""


def check_schema(schema: Any, where: str = "reply", depth: int = 0) -> None:
    """Refuse a schema outside the subset.

    Raises:
        SchemaError: with the place and the keyword.

    Examples:
        >>> check_schema({"type": "object", "properties": {"n": {"type": "integer"}}})
        >>> check_schema({"$ref": "http://example.org"})
        Traceback (most recent call last):
        scoring.judge.programs.reply_schema.SchemaError: reply: the keyword `$ref` is not supported
    """
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        raise SchemaError(f"{where}: a schema is a mapping, at most {_MAX_DEPTH} deep")
    for keyword in schema:
        if keyword not in _KEYWORDS:
            raise SchemaError(f"{where}: the keyword `{keyword}` is not supported")
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind not in _TYPES:
            raise SchemaError(f"{where}: there is no type `{kind}`")
    for name, inner in schema.get("properties", {}).items():
        check_schema(inner, f"{where}.{name}", depth + 1)
    if "items" in schema:
        check_schema(schema["items"], f"{where}[]", depth + 1)


def concrete(schema: Schema, count: Callable[[str], int]) -> dict[str, Any]:
    """The schema with every ``as_many_as: name`` replaced by the number of items that the name has now.

    Examples:
        >>> concrete({"type": "array", "as_many_as": "claims"}, {"claims": 3}.__getitem__)
        {'type': 'array', 'minItems': 3, 'maxItems': 3}
    """
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == AS_MANY_AS:
            found["minItems"] = found["maxItems"] = count(value)
        elif keyword == "properties":
            found[keyword] = {name: concrete(inner, count) for name, inner in value.items()}
        elif keyword == "items":
            found[keyword] = concrete(value, count)
        else:
            found[keyword] = value
    return found


def check_reply(value: Any, schema: Schema) -> None:
    """Hold a reply against its schema.

    Raises:
        InvalidReply: with the first violation; its category is one of missing_key, extra_key, wrong_type,
            wrong_length, not_allowed, out_of_range.
    """
    for category, message in _violations(value, schema, "reply"):
        raise InvalidReply(category, message)


def _violations(value: Any, schema: Schema, where: str) -> Iterator[tuple[str, str]]:
    kinds = schema.get("type", [])
    wanted = [kinds] if isinstance(kinds, str) else list(kinds)
    if wanted and not any(_TYPES[kind](value) for kind in wanted):
        yield "wrong_type", f"{where} should be {' or '.join(wanted)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield "not_allowed", f"{where} should be one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema and value != schema["const"]:
        yield "not_allowed", f"{where} should be {schema['const']}"
    if isinstance(value, dict):
        yield from _in_object(value, schema, where)
    elif isinstance(value, list):
        yield from _in_array(value, schema, where)
    elif isinstance(value, str):
        yield from _size(len(value), schema, "minLength", "maxLength", f"the length of {where}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        for category, message in _size(value, schema, "minimum", "maximum", where):
            yield "out_of_range" if category == "wrong_length" else category, message


def _in_object(value: dict[str, Any], schema: Schema, where: str) -> Iterator[tuple[str, str]]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield "missing_key", f"{where} has no `{name}`"
    if schema.get("additionalProperties") is False:
        for name in value:
            if name not in properties:
                yield "extra_key", f"{where} has a key that does not belong there"
    for name, inner in properties.items():
        if name in value:
            yield from _violations(value[name], inner, f"{where}.{name}")


def _in_array(value: list[Any], schema: Schema, where: str) -> Iterator[tuple[str, str]]:
    yield from _size(len(value), schema, "minItems", "maxItems", f"the number of items of {where}")
    if "items" in schema:
        for place, item in enumerate(value):
            yield from _violations(item, schema["items"], f"{where}[{place}]")


def _size(size: float, schema: Schema, low: str, high: str, what: str) -> Iterator[tuple[str, str]]:
    if low in schema and size < schema[low]:
        yield "wrong_length", f"{what} is {size}, at least {schema[low]} wanted"
    if high in schema and size > schema[high]:
        yield "wrong_length", f"{what} is {size}, at most {schema[high]} wanted"
