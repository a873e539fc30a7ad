"""Deterministic printing of values as Python does: the order of a set of strings changes from run to run.

Where released code prints such a set or turns it into a list, its result depends on that order. Here the items are
sorted; numbers keep the order that Python always gives them.
"""

from __future__ import annotations

from typing import Any


def in_stable_order(items: Any) -> list[Any]:
    """Return the items of a set as a list, in an order that is the same in every run."""
    if all(isinstance(item, (int, float)) for item in items):
        return list(items)
    return sorted(items, key=lambda item: (type(item).__name__, printed(item)))


def printed(value: Any) -> str:
    """Return a value as Python prints it, but with the items of sets in a deterministic order."""
    if isinstance(value, str) or not _holds_sets(value):
        return str(value)
    return _shown(value)


def _holds_sets(value: Any) -> bool:
    if isinstance(value, (set, frozenset)):
        return True
    if isinstance(value, dict):
        return any(map(_holds_sets, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_holds_sets, value))


def _shown(value: Any) -> str:
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(_shown(item) for item in in_stable_order(value)) + "}" if value else "set()"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_shown, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)
