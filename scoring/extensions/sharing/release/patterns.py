"""A canonical form of regular expressions that different spellings of the same pattern share.

Before `re` compiles a pattern, Python's parser turns it into a tree, in which comments, non-capturing groups, classes
of one character and choices between single characters have a single representation. Two patterns with equal trees,
flags and groups compile to the same program, which proves that they are equal. Three more laws hold for single
characters, which contain no groups:

- The order and the notation of the characters in a class have no effect: a class matches a character or not. (If case
  is ignored, `re` itself is used to find all characters that a class matches.)
- `a{1}` matches what `a` matches, with nothing to backtrack into.
- `aa*` and `a*a` match what `a+` matches: each tries the most characters first and gives them back one by one, down to
  one (the lazy forms from one character up), so the rest of the pattern is tried at the same positions in the same
  order. The same holds for any bounds.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from scoring.depth import in_full_depth
from scoring.primitives.patterns.syntax import PatternError, parse_pattern

_SINGLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
_LOOPS = ("MAX_REPEAT", "MIN_REPEAT")
_CHARACTER_FLAGS = re.IGNORECASE | re.ASCII
_KINDS = {
    f"CATEGORY_{negated}{kind}": letter.upper() if negated else letter
    for kind, letter in (("DIGIT", r"\d"), ("SPACE", r"\s"), ("WORD", r"\w"))
    for negated in ("", "NOT_")
}
_EITHER = "MAX_REPEAT"
"""The name of a loop over a fixed number of characters, for which greedy and lazy matching are the same."""


@lru_cache(maxsize=256)
def pattern_form(pattern: str) -> str:
    """Return a regular expression in canonical form, as text; one that can't be parsed is returned unchanged.

    Examples:
        >>> pattern_form("x[DCBA]+") == pattern_form("x[A-D]+"), pattern_form("(")
        (True, '(')
        >>> pattern_form("(?:a)b*b") == pattern_form("ab+"), pattern_form("(a)") == pattern_form("a")
        (True, False)
    """
    parser = import_module("re._parser")
    try:
        parse_pattern(pattern)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = parser.parse(pattern)
        tree = in_full_depth(_sequence, found, int(found.state.flags))
    except (parser.error, PatternError, RecursionError, OverflowError):
        return pattern
    groups = sorted(found.state.groupdict.items(), key=lambda one: one[1])
    return repr((tree, int(found.state.flags) & ~re.VERBOSE, int(found.state.groups), groups))


def _sequence(parts: Iterable[Any], flags: int) -> list[Any]:
    """Return consecutive nodes of a parsed pattern in canonical form, with adjacent loops over the same character
    merged.

    Args:
        parts: The nodes.
        flags: The flags of `re` that hold for them.
    """
    kept: list[Any] = []
    for part in parts:
        found = _part(part, flags)
        if kept and (joined := _joined(kept[-1], found)) is not None:
            kept[-1] = joined
        else:
            kept.append(found)
    return kept


def _part(part: Any, flags: int) -> list[Any]:
    """Return one node of a parsed pattern in canonical form; a single character becomes a loop with one repetition.

    Args:
        part: The node: its name and argument.
        flags: The flags of `re` that hold for it.
    """
    name, argument = str(part[0]), part[1]
    if name == "IN":
        return [_EITHER, 1, 1, [name, *(_every(argument, flags) if flags & re.IGNORECASE else _class(argument))]]
    if name in _SINGLE:
        return [_EITHER, 1, 1, [name, argument]]
    if name == "SUBPATTERN":
        group, on, off, inner = argument
        return [name, group, on, off, _sequence(inner, (flags | on) & ~off)]
    if name not in _LOOPS:
        return [name, _content(argument, flags)]
    low, high, body = int(argument[0]), _end(argument[1]), _sequence(argument[2], flags)
    if len(body) == 1 and _is_once(body[0]):
        body = body[0][-1]
    elif low == high == 1 and len(body) == 1:
        return list(body[0])
    return [_EITHER if low == high else name, low, high, body]


def _end(high: Any) -> float:
    """Return the largest number of repetitions of a loop as a number; infinity if it is unlimited.

    Args:
        high: The number, or the constant of Python's parser for an unlimited one.
    """
    return float("inf") if str(high) == "MAXREPEAT" else int(high)


def _class(parts: Iterable[Any]) -> list[Any]:
    """Return a character class of a parsed pattern in canonical form: its named categories, sorted, and its ranges,
    merged and sorted.

    Args:
        parts: The nodes inside of the class.
    """
    categories: list[str] = []
    spans: list[tuple[int, int]] = []
    for name, argument in parts:
        if str(name) == "LITERAL":
            spans.append((argument, argument))
        elif str(name) == "RANGE":
            spans.append((argument[0], argument[1]))
        else:  # a category of characters, or the negation of the class
            categories.append(f"{name} {argument}")
    ranges: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(ranges[-1][1], last)
        else:
            ranges.append((first, last))
    return [sorted(set(categories)), ranges]


def _every(parts: Iterable[Any], flags: int) -> list[Any]:
    """Return a character class that ignores case in canonical form: as ranges of all characters that `re` matches by
    it.

    Args:
        parts: The nodes inside of the class.
        flags: The flags of `re` that hold for it.
    """
    text = "".join(_written(str(name), argument) for name, argument in parts)
    return [_characters(f"[{text}]", flags & _CHARACTER_FLAGS)]


def _written(name: str, argument: Any) -> str:
    if name in ("LITERAL", "RANGE"):
        return "-".join(f"\\U{sign:08x}" for sign in ([argument] if name == "LITERAL" else argument))
    return _KINDS.get(str(argument), "^")


@lru_cache(maxsize=256)
def _characters(text: str, flags: int) -> list[tuple[int, int]]:
    runs = re.findall(f"{text}+", _every_character(), flags)
    return [(ord(run[0]), ord(run[-1])) for run in runs]


@cache
def _every_character() -> str:
    return "".join(map(chr, range(sys.maxunicode + 1)))


def _content(content: Any, flags: int) -> Any:
    """Return the argument of a node that is no character, class, group or loop in canonical form: sequences of nodes in
    that form, a plain value as text.

    Args:
        content: The argument.
        flags: The flags of `re` that hold for it.
    """
    if hasattr(content, "data"):
        return _sequence(content, flags)
    return [_content(one, flags) for one in content] if isinstance(content, list | tuple) else str(content)


def _is_loop(part: list[Any]) -> bool:
    """Return True if a node in canonical form is a loop over a single character or character class."""
    return part[0] in _LOOPS and part[-1][0] in _SINGLE


def _is_once(part: list[Any]) -> bool:
    return _is_loop(part) and part[1] == part[2] == 1


def _joined(one: list[Any], other: list[Any]) -> list[Any] | None:
    """Return two adjacent loops merged to one; None unless both are over the same character and one of them has a fixed
    number of repetitions.

    Args:
        one: The first loop.
        other: The second loop.
    """
    if not (_is_loop(one) and _is_loop(other) and one[-1] == other[-1]):
        return None
    fixed, free = (one, other) if one[1] == one[2] else (other, one)
    if fixed[1] != fixed[2]:
        return None
    return [free[0], free[1] + fixed[1], free[2] + fixed[2], free[-1]]
