"""A quick yes for files that follow their schema, so that a clean file never waits for jsonschema to load.

Only the keywords that our schemas use are known; at any other one the answer is "don't know", and the caller
asks jsonschema, which also words the errors. A property test holds the two equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Schema = Mapping[str, Any] | bool


class DontKnow(Exception):
    """The schema uses a keyword that only jsonschema understands."""


def accepts(data: Any, schema: Mapping[str, Any]) -> bool | None:
    """Whether plain data follow a draft-07 schema; None when only jsonschema can say.

    Examples:
        >>> accepts({"a": 1}, {"type": "object", "properties": {"a": {"type": "number"}}})
        True
        >>> accepts([1, "x"], {"items": {"type": "integer"}})
        False
        >>> accepts([], {"contains": {}}) is None
        True
    """
    try:
        return _ok(data, schema, schema)
    except (DontKnow, RecursionError):
        return None


def _ok(data: Any, schema: Schema, root: Mapping[str, Any]) -> bool:
    if isinstance(schema, bool):
        return schema
    reference = schema.get("$ref")
    if reference is not None:  # in draft-07 a reference hides the keywords beside it
        return _ok(data, resolve(root, reference), root)
    for keyword, value in schema.items():
        check = _CHECKS.get(keyword)
        if check is None:
            if keyword not in _SILENT and not keyword.startswith("x-"):
                raise DontKnow(keyword)
        elif not check(data, value, schema, root):
            return False
    return True


def resolve(root: Mapping[str, Any], reference: str) -> Schema:
    """The schema that a reference inside the same schema names.

    Raises:
        DontKnow: When it names anything else.
    """
    if not reference.startswith("#"):
        raise DontKnow(reference)
    found: Any = root
    for step in reference[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or step not in found:
            raise DontKnow(reference)
        found = found[step]
    if not isinstance(found, (Mapping, bool)):
        raise DontKnow(reference)
    return found


def is_number(data: Any) -> bool:
    """A number in the sense of JSON, to which truth values do not belong."""
    return isinstance(data, (int, float)) and not isinstance(data, bool)


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda data: isinstance(data, str),
    "number": is_number,
    "integer": lambda data: is_number(data) and (isinstance(data, int) or data.is_integer()),
    "boolean": lambda data: isinstance(data, bool),
    "array": lambda data: isinstance(data, list),
    "object": lambda data: isinstance(data, dict),
    "null": lambda data: data is None,
}


def _type(data: Any, value: Any, schema: Any, root: Any) -> bool:
    return any(_TYPES[name](data) for name in ([value] if isinstance(value, str) else value))


def _properties(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if not isinstance(data, dict):
        return True
    return all(_ok(data[key], value[key], root) for key in data if key in value)


def _additional(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if value is True or not isinstance(data, dict):
        return True
    return all(_ok(data[key], value, root) for key in surplus(data, schema))


def surplus(data: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The keys of a mapping that its schema names neither itself nor by a pattern."""
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [key for key in data if key not in known and not any(_compiled(each).search(key) for each in patterns)]


def _patterned(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if not isinstance(data, dict):
        return True
    return all(
        _ok(data[key], inner, root)
        for pattern, inner in value.items()
        for key in data
        if _compiled(pattern).search(key)
    )


def _items(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if isinstance(value, list):
        raise DontKnow("items")
    return not isinstance(data, list) or all(_ok(item, value, root) for item in data)


def _if(data: Any, value: Any, schema: Any, root: Any) -> bool:
    return _ok(data, schema.get("then" if _ok(data, value, root) else "else", True), root)


def _unique(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if not value or not isinstance(data, list):
        return True
    if len(data) > _FEW:
        raise DontKnow("uniqueItems")
    return not any(same(one, other) for index, one in enumerate(data) for other in data[:index])


_FEW = 64


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_Check = Callable[[Any, Any, Any, Any], bool]
_Sized = type[str] | type[list[Any]] | type[dict[str, Any]]


def _sized(type_: _Sized, holds: Callable[[int, int], bool]) -> _Check:
    return lambda data, value, schema, root: not isinstance(data, type_) or holds(len(data), value)


def _compared(holds: Callable[[float, float], bool]) -> _Check:
    return lambda data, value, schema, root: not is_number(data) or holds(data, value)


_CHECKS: dict[str, _Check] = {
    "type": _type,
    "enum": lambda data, value, schema, root: any(same(data, member) for member in value),
    "const": lambda data, value, schema, root: same(data, value),
    "properties": _properties,
    "additionalProperties": _additional,
    "patternProperties": _patterned,
    "required": lambda data, value, schema, root: not isinstance(data, dict) or all(key in data for key in value),
    "propertyNames": lambda data, value, schema, root: (
        not isinstance(data, dict) or all(_ok(key, value, root) for key in data)
    ),
    "items": _items,
    "uniqueItems": _unique,
    "if": _if,
    "allOf": lambda data, value, schema, root: all(_ok(data, inner, root) for inner in value),
    "anyOf": lambda data, value, schema, root: any(_ok(data, inner, root) for inner in value),
    "oneOf": lambda data, value, schema, root: sum(_ok(data, inner, root) for inner in value) == 1,
    "not": lambda data, value, schema, root: not _ok(data, value, root),
    "pattern": lambda data, value, schema, root: not isinstance(data, str) or bool(_compiled(value).search(data)),
    "minLength": _sized(str, lambda size, bound: size >= bound),
    "maxLength": _sized(str, lambda size, bound: size <= bound),
    "minItems": _sized(list, lambda size, bound: size >= bound),
    "maxItems": _sized(list, lambda size, bound: size <= bound),
    "minProperties": _sized(dict, lambda size, bound: size >= bound),
    "maxProperties": _sized(dict, lambda size, bound: size <= bound),
    "minimum": _compared(lambda data, bound: data >= bound),
    "maximum": _compared(lambda data, bound: data <= bound),
    "exclusiveMinimum": _compared(lambda data, bound: data > bound),
    "exclusiveMaximum": _compared(lambda data, bound: data < bound),
}

# Keywords that say nothing about validity, or that another keyword's check reads.
_SILENT = frozenset(
    [
        "$schema",
        "$id",
        "$comment",
        "title",
        "description",
        "markdownDescription",
        "default",
        "defaultSnippets",
        "examples",
        "definitions",
        "then",
        "else",
        "enumDescriptions",
        "markdownEnumDescriptions",
        "errorMessage",
        "doNotSuggest",
        "deprecationMessage",
    ]
)
