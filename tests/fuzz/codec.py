"""Drawn values as JSON and back, to the bit: what JSON has no form for is a mapping with one key that begins with `$`.

Plain data here are None, truth values, numbers (NaN, infinities and -0.0 too), texts (lone surrogates too), bytes,
lists, tuples, sets and mappings with any of these as keys.
"""

from __future__ import annotations

import base64
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DEEP = 60_000


@contextmanager
def any_depth() -> Iterator[None]:
    """Values may be nested deeper than what runs them bears; the limit is put back for what is under test."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def write(value: Any) -> str:
    """A value as one line; equal lines are equal values, and sets have an order of their own.

    Examples:
        >>> write([float("nan"), -0.0, (1,), {"b", "a"}])
        '[{"$float": "nan"}, -0.0, {"$tuple": [1]}, {"$set": ["a", "b"]}]'
    """
    with any_depth():
        return json.dumps(_plain(value))


def read(line: str) -> Any:
    """The value that a line says.

    Examples:
        >>> read(write({1: b"x", "a": [float("-inf"), frozenset({2})]}))
        {1: b'x', 'a': [-inf, frozenset({2})]}
    """
    with any_depth():
        return _value(json.loads(line))


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:  # Python reads no number of more than 4,300 digits
        return value if abs(value) < 1 << 1000 else {"$int": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"$float": repr(value)}
    if kind is list:
        return [_plain(item) for item in value]
    if kind is tuple:
        return {"$tuple": [_plain(item) for item in value]}
    if kind is dict:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: _plain(item) for key, item in value.items()}
        return {"$dict": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if kind is set or kind is frozenset:
        return {f"${kind.__name__}": sorted((_plain(item) for item in value), key=json.dumps)}
    if kind is bytes:
        return {"$bytes": base64.b64encode(value).decode()}
    return {"$other": f"{kind.__module__}.{kind.__qualname__} {value!r}"}


def _value(found: Any) -> Any:
    if type(found) is list:
        return [_value(item) for item in found]
    if type(found) is not dict:
        return found
    if len(found) == 1:
        ((name, held),) = found.items()
        if name in _READ:
            return _READ[name](held)
    return {key: _value(item) for key, item in found.items()}


_READ: dict[str, Any] = {
    "$float": float,
    "$int": lambda text: int(text, 16),
    "$tuple": lambda items: tuple(map(_value, items)),
    "$dict": lambda pairs: {_value(key): _value(item) for key, item in pairs},
    "$set": lambda items: set(map(_value, items)),
    "$frozenset": lambda items: frozenset(map(_value, items)),
    "$bytes": base64.b64decode,
}
