"""Patterns that are compiled when they are first used.

A check imports a hundred modules with patterns, and few of these patterns meet a text. Compiling them all took a
twelfth of its time.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn")
_FACTS: Final = ("pattern", "flags", "groups", "groupindex")


class _LazyPattern:
    __slots__ = ("_compiled", *_METHODS, *_FACTS)

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._compiled = partial(re.compile, text, flags)

    def __getattr__(self, name: str) -> Any:  # called until the attributes are there, which is at the first use
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = self._compiled()
        for each in (*_METHODS, *_FACTS):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern as of `re.compile`, which is compiled when something of it is first used.

    A mistake in the pattern is raised then, as `re.error`; a test compiles those of every module.

    Examples:
        >>> lazy_pattern(r"[0-9]+").findall("1 of 12")
        ['1', '12']
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))
