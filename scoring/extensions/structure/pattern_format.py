"""The format `regex` of JSON Schema: whether Python can read a pattern, and the steps that it takes to find out."""

from __future__ import annotations

import re
import warnings

_CHARACTER, _SET = 150, 40_000
"""Steps of compiling: some microseconds for each character, a millisecond for each set of characters beyond Latin-1."""


def compiling_steps(pattern: str) -> int:
    """Return an upper bound on the steps of compiling a pattern.

    Examples:
        >>> compiling_steps("[a-z]+"), compiling_steps("[α-ω]+")
        (900, 40900)
    """
    is_wide = not pattern.isascii() or any(mark in pattern for mark in ("\\u", "\\U", "\\N"))
    return _CHARACTER * len(pattern) + (_SET * (pattern.count("[") + pattern.count("|")) if is_wide else 0)


def can_be_compiled(pattern: str) -> bool:
    """Tell whether Python's `re` can read a pattern.

    Examples:
        >>> can_be_compiled("a+"), can_be_compiled("(")
        (True, False)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(re.compile(pattern))
        except (re.error, OverflowError, RecursionError):
            return False
