"""Patterns that differ in how their classes of signs are written: `[A-D]` is `[DCBA]`."""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache

from scoring.primitives.patterns.syntax import Chars, Choice, Once, PatternNode, Repeat, Sequence, UnknownSyntax, read

PATTERNS = ("pattern", "around")
"""The settings of our steps that are patterns."""
# A class is asked which of all signs it takes; of a pattern with more of them nothing is proved.
_MOST_CLASSES = 20


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
    classes = sorted(_classes(tree), key=lambda one: one.start)
    if len(classes) > _MOST_CLASSES:
        return pattern
    parts, end = [], 0
    for node in classes:
        parts += [pattern[end : node.start], _signs(node.text, node.flags)]
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


@lru_cache(maxsize=256)
def _signs(text: str, flags: int) -> str:
    """A class as the ranges of the signs that `re` takes for it, in a form that no pattern has."""
    runs = re.findall(f"(?:{text})+", _every_sign(), flags)
    return f"(?signs {[(ord(run[0]), ord(run[-1])) for run in runs]})"


@cache
def _every_sign() -> str:
    return "".join(map(chr, range(sys.maxunicode + 1)))
