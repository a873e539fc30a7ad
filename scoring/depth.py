"""The limit on how deeply values may be nested, and a fresh stack for code that recurses that deeply.

Python's recursion limit of 1,000 includes the frames of the calling program, so the same value could be read at the top
level of a program and fail deep inside it. Therefore one limit applies to all values from outside (`DEEPEST`), and
where the caller's stack runs out before that limit, the computation is repeated on a fresh stack. So the result is
always that of the fresh stack: whatever succeeds on the rest of a stack succeeds with the same result on a whole one.
"""

from __future__ import annotations

import re
import threading
from _thread import allocate_lock, stack_size, start_new_thread
from collections.abc import Callable
from contextvars import copy_context
from itertools import accumulate
from typing import Any, Final, TypeVar

from scoring.lazy_pattern import lazy_pattern
from scoring.result import Unscored

DEEPEST: Final = 200
"""The most levels of nested lists, sets and mappings in a value from outside: from a reader, a host or a parser."""
WRITTEN: Final = DEEPEST + 16
"""The same limit for a text that wraps such values in further levels: a record, its fields, the compared values."""
# Enough C stack for a few thousand calls, so that Python's own limit is reached first; unused pages cost nothing.
_STACK_BYTES = 64 << 20

R = TypeVar("R")
_own = threading.local()
_starting = allocate_lock()


class TooDeep(Unscored):
    """The exception for a value that is nested deeper than the limit, `DEEPEST` levels."""

    def __init__(self, what: str = "a value") -> None:
        super().__init__(f"{what} is nested deeper than {DEEPEST} levels: give the part of it that is compared")


def nests_too_deep(text: str | bytes, levels: int = DEEPEST) -> bool:
    """Return whether the brackets of a JSON text, except those within strings, are nested deeper than `levels`.

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
    # Each round removes the innermost brackets, so the number of rounds is the depth; who opens too many needs none.
    for _ in range(0 if marks.startswith(b"[" * (levels + 1)) else levels):
        fewer = marks.replace(b"[]", b"")
        if len(fewer) == len(marks):
            break
        marks = fewer
    if b"[]" in marks:
        return True
    # Any other bracket that is left is unbalanced, so this is not JSON; the reader reports where, if it gets there.
    return marks.count(b"[") > 0 and _deepest(content) > levels


def _deepest(content: bytes) -> int:
    """Return the greatest depth of brackets in a JSON text that is cut off, so that some brackets are never closed."""
    marks = _TEXTS.sub(b"", content).translate(_AS_LISTS, _NO_MARKS)
    return max(accumulate(((mark == _OPENS) - (mark == _CLOSES) for mark in marks), initial=0))


_TEXTS = lazy_pattern(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_AS_LISTS = bytes.maketrans(b"{}", b"[]")
_OPENS, _CLOSES = b"[]"
_NO_MARKS = bytes(set(range(256)) - set(b'[]{}"\\'))


def has_fresh_stack() -> bool:
    """Return whether the caller runs in a thread that `on_fresh_stack` started, and so has a fresh stack already."""
    return getattr(_own, "is_fresh", False)


def on_fresh_stack(function: Callable[..., R], *arguments: Any) -> R:
    """Run a function on a fresh stack, in a thread of its own, and return its result or raise its exception."""
    found: list[R] = []
    failed: list[BaseException] = []
    context, done = copy_context(), allocate_lock()

    def run() -> None:
        try:
            _own.is_fresh = True
            found.append(context.run(function, *arguments))
        except BaseException as error:  # raised again below, in the calling thread
            failed.append(error)
        finally:
            done.release()

    # `threading.Thread` would take six more frames of a stack that has hardly any left.
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
    """Return the result of a function, run on a stack large enough for recursive C code such as Python's compiler.

    Examples:
        >>> import ast
        >>> on_large_stack(ast.literal_eval, "[1]")
        [1]
    """
    return function(*arguments) if has_fresh_stack() else on_fresh_stack(function, *arguments)


def in_full_depth(function: Callable[..., R], *arguments: Any) -> R:
    """Call a function and return its result; if it exceeds the recursion limit, call it again on a fresh stack.

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
