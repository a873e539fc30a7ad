"""The golden files' encoding of trees: one-ofs, floats, keys that are no text, unsupported values."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

_UNSUPPORTED: dict[str, Any] = {
    "set": {1},
    "frozenset": frozenset({1}),
    "bytes": b"x",
    "complex": 1j,
    "range": range(2),
    "date": datetime.date(2024, 1, 1),
    "Decimal": Decimal("1.5"),
    "object": object(),
}


def decode_tree(value: Any) -> Any:
    """The Python value that an encoded tree stands for."""
    if isinstance(value, list):
        return [decode_tree(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$any_of": options}:
            return tuple(decode_tree(option) for option in options)
        case {"$float": text}:
            return float(text)
        case {"$dict": pairs}:
            return {(tuple(key) if isinstance(key, list) else key): decode_tree(item) for key, item in pairs}
        case {"$unsupported": name}:
            return _UNSUPPORTED[name]
    return {key: decode_tree(item) for key, item in value.items()}


def exactly(value: Any) -> Any:
    """A form in which values are equal only if their types, their order and the order of their keys are."""
    if isinstance(value, dict):
        return "dict", [(type(key).__name__, str(key), exactly(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [exactly(item) for item in value]
    return type(value).__name__, repr(value)
