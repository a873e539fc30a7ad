"""The effects that a step may have besides computing: asking a judge, running programs, leaving notes.

A primitive declares its effects, ``@primitive(uses=("judge",))``, and the preparation of a run relies on the
declaration: whether a judge is opened, what the signature names, whether notes are collected. A step that attempts an
effect that it does not declare is refused at that point, so that no effect goes unnoticed. A test checks the
declarations of our own primitives; at run time only primitives of other packages, and those that declare an effect,
are watched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from scoring.diagnostics.words import EFFECTS
from scoring.result import Unscored

T = TypeVar("T")

_step: ContextVar[tuple[str, tuple[str, ...]] | None] = ContextVar("step", default=None)


class Undeclared(Unscored):
    """The exception for an undeclared effect of a step: the record is unscored, and the message says what to add."""


def watch_effects(function: Callable[..., Any], name: str, uses: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function of the primitive `name`, wrapped so that any effect that is not in `uses` raises Undeclared.

    An effect is named like "judge". If wrapped functions call each other, the `uses` of the innermost one count.
    """
    step = (name, uses)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        token = _step.set(step)
        try:
            return function(*args, **kwargs)
        finally:
            _step.reset(token)

    call.watched = function  # type: ignore[attr-defined]  # its code appears in tracebacks
    return call


def check_declared(effect: str) -> None:
    """Check that the running step declares an effect, such as "judge"; outside of steps, every effect is allowed.

    Raises:
        Undeclared: when the effect is not declared; the message names the declaration to add.
    """
    step = _step.get()
    if step is not None and effect not in step[1]:
        declared = ", ".join(f'"{word}"' for word in (*step[1], effect))
        raise Undeclared(
            f"`{step[0]}` {EFFECTS[effect]}, which it does not declare: write `@primitive(uses=({declared},))`"
        )


@contextmanager
def temporarily_set(variable: ContextVar[T | None], value: T) -> Iterator[T]:
    """Set a context variable to a value within a block, in this thread or asynchronous task only."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


_notes: ContextVar[dict[str, Any] | None] = ContextVar("notes", default=None)


def taking_notes() -> AbstractContextManager[dict[str, Any]]:
    """Return a context manager that yields a dict, to which `leave_note` adds the notes of the steps that run within
    it.

    Examples:
        >>> with taking_notes() as notes:
        ...     leave_note("decided_by", "rule")
        >>> notes
        {'decided_by': 'rule'}
    """
    return temporarily_set(_notes, {})


def leave_note(name: str, value: Any) -> None:
    """Add a note to the running step's outcome on how the score came about; a repeated value is added only once.

    Args:
        name: The subject of the note, such as "decided_by".
        value: Plain data; further values under the same name are collected in a list.

    Raises:
        Undeclared: inside a step that does not declare ``notes``.
    """
    check_declared("notes")
    notes = _notes.get()
    if notes is None or notes.get(name) == value:
        return
    if name not in notes:
        notes[name] = value
    elif not isinstance(notes[name], list):
        notes[name] = [notes[name], value]
    elif value not in notes[name] and len(notes[name]) < _MOST_NOTES:
        notes[name].append(value)


_MOST_NOTES = 100
