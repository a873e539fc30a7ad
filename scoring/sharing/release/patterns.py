"""Patterns that differ in how their classes of signs are written: `[A-D]` is `[DCBA]`."""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]  # what reads a class as `re` does; its tests would see it change

from scoring.primitives.patterns.syntax import Chars, Choice, Once, PatternNode, Repeat, Sequence, UnknownSyntax, read

PATTERNS = ("pattern", "around")
"""The settings of our steps that are patterns."""


def canonical_pattern(pattern: str) -> str:
    """A pattern with each class of signs in one writing; all else stays as it is written.

    Examples:
        >>> canonical_pattern("x[DCBA]+") == canonical_pattern("x[A-D]+"), canonical_pattern("(")
        (True, '(')
    """
    try:
        re.compile(pattern)
        tree = read(pattern).tree
    except (re.error, UnknownSyntax, RecursionError, OverflowError):
        return pattern
    parts, end = [], 0
    for node in sorted(_classes(tree), key=lambda one: one.start):
        parts += [pattern[end : node.start], _written(node)]
        end = node.end
    return "".join([*parts, pattern[end:]])


def _classes(tree: PatternNode) -> list[Chars]:
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Chars) and node.text.startswith("["):
            found.append(node)
        elif isinstance(node, Sequence):
            waiting += node.parts
        elif isinstance(node, Choice):
            waiting += node.branches
        elif isinstance(node, Repeat | Once):
            waiting.append(node.body)
    return found


def _written(node: Chars) -> str:
    """A class as the sorted ranges of its signs and the names of its kinds; no pattern of `re` looks like it."""
    (kind, items), *_ = _parser.parse(node.text, node.flags).data
    if node.flags & re.IGNORECASE and max(node.text) > "\uffff":  # `re` takes a range there otherwise than its signs
        return node.text
    if str(kind) != "IN":  # of a single sign, or all but one
        return f"[{kind} {items}]"
    held = [(str(name), value) for name, value in items]
    ranges = [(value, value) if name == "LITERAL" else value for name, value in held if name in ("LITERAL", "RANGE")]
    kinds = sorted(f"{name} {value}" for name, value in held if name not in ("LITERAL", "RANGE"))
    return f"[{' '.join(kinds)} {_joined(ranges)}]"


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found
