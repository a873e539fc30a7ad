"""How much a schema and a value are: enough to tell that validating one by the other can't reach the limit on steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.depth import DEEPEST

# Keywords that look at each location once for each time that they are in the schema, and search in no text.
_SHAPE = {"type", "enum", "const", "format", "required", "properties", "additionalProperties", "dependentRequired"}
_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"}
_ITEMS = {"items", "prefixItems", "uniqueItems", "minItems", "maxItems", "minProperties", "maxProperties"}
_LOOKING_ONCE = _SHAPE | _NUMBERS | _ITEMS | {"allOf", "anyOf", "not", "if"}
_TEXT = frozenset((str,))
_SCALARS = frozenset((int, float, bool, type(None)))


def keywords_looking_once(schema: Any, known: Mapping[str, Any]) -> int | None:
    """Return an upper bound on the number of keywords in a schema, or None if a keyword's work has no simple bound.

    That is the case for keywords that may visit a location of the value more than once, or search in texts. Names of
    properties and keys of data are counted like keywords, so the bound may be too large, but not too small.

    Args:
        schema: The JSON Schema.
        known: All keywords that the schema's draft defines.
    """
    count, waiting = 1, [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            count += len(one)
            if not _LOOKING_ONCE.issuperset(one.keys() & known.keys()):
                return None
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return count


def locations_and_size(value: Any) -> tuple[int, int] | None:
    """Return the number of values inside a value (itself included), and its size in characters and items; None if it is
    not plain JSON, or too deep.
    """
    locations, size, depth, level = 0, 0, 0, [value]
    while level:
        locations, depth, below = locations + len(level), depth + 1, list[Any]()
        for one in level:
            if type(one) is str:
                size += len(one) + 1
            elif type(one) is dict and _TEXT.issuperset(map(type, one)):
                size += 1 + sum(map(len, one))
                below += one.values()
            elif type(one) is list:
                size += 1
                below += one
            elif type(one) in _SCALARS:
                size += 8
            else:
                return None
        if depth > DEEPEST:
            return None
        level = below
    return locations, size
