"""Primitives that read, build and check mappings."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from scoring.primitives.parsing.json_scan import last_object
from scoring.primitives.parsing.literal import notation_or_none
from scoring.registry import primitive
from scoring.result import Unparsed
from scoring.values import show_type

T = TypeVar("T")


@primitive(topics=("mappings", "extraction"), aka=("dict", "parse dict"))
def to_dict(value: Any, /, *, failed: Literal["empty", "refuse"] = "refuse") -> dict[str, Any]:
    """Read the mapping that a value is, or that a text contains as JSON or as a Python literal.

    Its keys are converted to strings. Prose around the object is ignored.

    Args:
        failed: The result for any other value: the empty mapping (empty), or a refusal (refuse).

    Examples:
        >>> to_dict("{1: 'a'}"), to_dict({"x": 2}), to_dict("no object", failed="empty")
        ({'1': 'a'}, {'x': 2}, {})

    Raises:
        Unparsed: when the value can't be read as a mapping, if that is refused.

    Source:
        As used in MEGA-Bench metrics README, Dictionary Comparisons.
    """
    found = value
    if isinstance(value, str):
        found = notation_or_none(value)
        found = last_object(value) if found is None else found
    if isinstance(found, dict):
        return found if all(type(key) is str for key in found) else {str(key): item for key, item in found.items()}
    if failed == "empty":
        return {}
    raise Unparsed(f"not a mapping: {show_type(value)}")


@primitive(topics=("mappings",), aka=("get field", "dict get", "pluck", "itemgetter"))
def value_at(mapping: dict[str, T], /, *, key: str) -> T:
    """Return the value that a mapping has under a key.

    Args:
        key: The key.

    Raises:
        Unparsed: when the mapping has no such key.

    Examples:
        >>> value_at({"name": "now", "arguments": {}}, key="name")
        'now'
    """
    if key not in mapping:
        raise Unparsed(f"the mapping has no key {key[:60]!r}")
    return mapping[key]


@primitive(topics=("mappings",))
def under_key(value: T, /, *, key: str) -> dict[str, T]:
    """Return a mapping with the value as its only entry.

    Args:
        key: The key of the entry.

    Examples:
        >>> under_key("B", key="answer")
        {'answer': 'B'}
    """
    return {key: value}
