"""The limit of nesting depth, and a fresh stack on which code for values of that depth always runs.

Python counts the calls that are under way, those of the calling program too, and stops at 1,000: a value would be read
at the top of a program and be too deep within it. So there is one number for all that comes from outside (`DEEPEST`),
and where the stack of the caller ends before that, the same is done once more on one that is fresh. What is returned is
so always what the fresh stack gives: whatever ends well on a part of one ends well, and alike, on the whole.
"""

from __future__ import annotations

import re
import threading
from _thread import allocate_lock, stack_size, start_new_thread
from collections.abc import Callable
from contextvars import copy_context
from itertools import accumulate
from typing import Any, Final, TypeVar

from scoring.result import Unscored

DEEPEST: Final = 200
"""Lists, sets and mappings inside one another that a value from outside may have: of a reader, a host, a parser."""
WRITTEN: Final = DEEPEST + 16
"""The nesting limit of a text that contains values and their surroundings: a record, its fields, what was compared."""
# What C takes for a few thousand calls, so that Python's own limit ends them; pages that are not used are not taken.
_STACK_BYTES = 64 << 20

R = TypeVar("R")
_own = threading.local()
_starting = allocate_lock()


class TooDeep(Unscored):
    """A value is nested deeper than `DEEPEST`."""

    def __init__(self, what: str = "a value") -> None:
        super().__init__(f"{what} is nested deeper than {DEEPEST} levels: give the part of it that is compared")


def is_too_deep(value: Any) -> bool:
    """Tell whether a value is nested deeper than `DEEPEST`, without recursion; a value that contains itself is.

    Examples:
        >>> is_too_deep([[], {"a": []}])
        False
    """
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        # What stands at several places is looked into once: each level is no larger than the value.
        holders = {id(one): one for one in level if isinstance(one, _HOLDERS)}
        if not holders:
            return False
        level = [item for one in holders.values() for item in (one.values() if isinstance(one, dict) else one)]
    return True


_HOLDERS = (dict, list, tuple, set, frozenset)


def nests_too_deep(text: str | bytes, levels: int = DEEPEST) -> bool:
    """Tell whether the brackets of a JSON text, outside of its strings, are nested deeper than `levels`.

    Examples:
        >>> nests_too_deep("[" * 201 + "]" * 201), nests_too_deep('["' + "[" * 201 + '"]')
        (True, False)
    """
    if len(text) <= levels:
        return False
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if content.count(b"[") + content.count(b"{") <= levels:
        return False
    marks = content.translate(_AS_LISTS, _NO_MARKS).replace(b'""', b"")
    if b'"' in marks or b"\\" in marks:
        marks = _TEXTS.sub(b"", content).translate(_AS_LISTS, _NO_MARKS)
    # Each turn takes the innermost brackets away: so deep they stood.
    for _ in range(levels):
        fewer = marks.replace(b"[]", b"")
        if len(fewer) == len(marks):
            break
        marks = fewer
    if b"[]" in marks:
        return True
    # What else is left was never closed or opened, which no JSON is: the reader says where, if it gets there.
    return marks.count(b"[") > 0 and _deepest(content) > levels


def _deepest(content: bytes) -> int:
    """Return the nesting depth of the brackets in a text, some of which may never be closed."""
    marks = _TEXTS.sub(b"", content).translate(_AS_LISTS, _NO_MARKS)
    return max(accumulate(((mark == _OPENS) - (mark == _CLOSES) for mark in marks), initial=0))


_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_AS_LISTS = bytes.maketrans(b"{}", b"[]")
_OPENS, _CLOSES = b"[]"
_NO_MARKS = bytes(set(range(256)) - set(b'[]{}"\\'))


def has_fresh_stack() -> bool:
    """Tell whether this code runs on a fresh stack, where running out of depth does not depend on the caller."""
    return getattr(_own, "is_fresh", False)


def on_fresh_stack(function: Callable[..., R], *arguments: Any) -> R:
    """Return what a function gives on a stack of its own, in a thread for it; what it raises is raised here."""
    found: list[R] = []
    failed: list[BaseException] = []
    context, done = copy_context(), allocate_lock()

    def run() -> None:
        try:
            _own.is_fresh = True
            found.append(context.run(function, *arguments))
        except BaseException as error:  # raised again below, in the thread that asked
            failed.append(error)
        finally:
            done.release()

    # `threading.Thread` would take six calls more of a stack that has hardly any left.
    done.acquire()
    with _starting:
        before = stack_size(_STACK_BYTES)
        try:
            start_new_thread(run, ())
        finally:
            stack_size(before)
    done.acquire()
    if failed:
        raise failed[0]
    return found[0]


def on_large_stack(function: Callable[..., R], *arguments: Any) -> R:
    """Return what a function gives on a stack that is large enough for C code that calls itself: Python's compiler
    does.

    Examples:
        >>> import ast
        >>> on_large_stack(ast.literal_eval, "[1]")
        [1]
    """
    return function(*arguments) if has_fresh_stack() else on_fresh_stack(function, *arguments)


def in_full_depth(function: Callable[..., R], *arguments: Any) -> R:
    """Return what a function gives, on a fresh stack if this one ends before it does.

    Examples:
        >>> import json
        >>> in_full_depth(json.loads, "[1]")
        [1]
    """
    try:
        return function(*arguments)
    except RecursionError:
        if has_fresh_stack():
            raise
    return on_fresh_stack(function, *arguments)
