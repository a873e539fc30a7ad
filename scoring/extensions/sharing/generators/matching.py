"""Texts that a pattern matches, drawn from its tree."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from scoring.primitives.patterns.syntax import (
    Back,
    Chars,
    Choice,
    Once,
    PatternError,
    PatternNode,
    Repeat,
    Sequence,
    read,
)

_SIGNS = tuple("aAbBcCdDeExXzZ0123459 .,:;!?-+_/()[]{}*'\"\n\t$%=#éß٣中")
_MORE = 3
_LONGEST = 400


def matching(random: Random, pattern: str) -> str | None:
    """Return a text that a pattern may match, None where its syntax is not known; looks ahead and behind are left out.

    Examples:
        >>> re.fullmatch(r"(?i)answer: [A-D]{2}", matching(Random(1), r"(?i)answer: [A-D]{2}")) is not None
        True
        >>> matching(Random(1), "(") is None
        True
    """
    tree = tree_of(pattern)
    if tree is None:
        return None
    found: list[str] = []
    _draw(random, tree, found)
    return "".join(found)[:_LONGEST]


def tree_of(pattern: str) -> PatternNode | None:
    """Return the tree of a pattern, None where Python does not take it or its syntax is not known."""
    try:
        re.compile(pattern)
        return read(pattern).tree
    except (re.error, PatternError, RecursionError, OverflowError):
        return None


def _draw(random: Random, node: PatternNode, found: list[str]) -> None:
    if len(found) > _LONGEST:
        return
    if isinstance(node, Chars):
        signs = _signs(node.text, node.flags)
        found.append(random.choice(signs) if signs else "")
    elif isinstance(node, Sequence):
        for part in node.parts:
            _draw(random, part, found)
    elif isinstance(node, Choice):
        _draw(random, random.choice(node.branches), found)
    elif isinstance(node, Repeat):
        most = node.low + _MORE if node.high is None else min(node.high, node.low + _MORE)
        for _ in range(random.randint(node.low, most)):
            _draw(random, node.body, found)
    elif isinstance(node, Once) and not node.look:
        _draw(random, node.body, found)
    elif isinstance(node, Back) and found:
        found.append(found[-1])


@lru_cache(maxsize=4096)
def _signs(text: str, flags: int) -> tuple[str, ...]:
    """Signs that a class takes: the sign itself where it is one, and some of all kinds."""
    wanted = re.compile(text, flags)
    own = [sign for sign in dict.fromkeys(text) if wanted.fullmatch(sign)]
    return tuple(dict.fromkeys([*own, *(sign for sign in _SIGNS if wanted.fullmatch(sign))]))
