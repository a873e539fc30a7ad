"""Effects of steps besides computing: asking a judge, running programs, leaving notes.

A primitive declares it, ``@primitive(uses=("judge",))``, and everything that prepares a run goes by the declaration:
whether a judge is opened, what the signature names, whether notes are collected. So that nothing is done in silence, a
step that does what it has not declared is refused where it does it. Our own primitives are held to their declarations
by a test; only steps of others, and steps that declare something, are watched while they run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from scoring.result import Unscored

T = TypeVar("T")
# Every other word of `uses` is the name of a distribution.
EFFECTS = {"judge": "asks a judge", "programs": "runs programs", "notes": "leaves a note"}

_step: ContextVar[tuple[str, tuple[str, ...]] | None] = ContextVar("step", default=None)


class Undeclared(Unscored):
    """A step did what its primitive does not declare, so the record is unscored: the message says what to add."""


def watched(function: Callable[..., Any], name: str, uses: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function of a primitive, restricted while it runs to the effects that it declares.

    A step inside a step answers for itself: the innermost one that is watched decides.
    """
    step = (name, uses)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        token = _step.set(step)
        try:
            return function(*args, **kwargs)
        finally:
            _step.reset(token)

    call.watched = function  # type: ignore[attr-defined]  # whose code stands in tracebacks
    return call


def check_declared(effect: str) -> None:
    """Refuse an effect that the step under way does not declare; outside of steps everything may be done.

    Raises:
        Undeclared: naming the declaration to add.
    """
    step = _step.get()
    if step is not None and effect not in step[1]:
        declared = ", ".join(f'"{word}"' for word in (*step[1], effect))
        raise Undeclared(
            f"`{step[0]}` {EFFECTS[effect]}, which it does not declare: write `@primitive(uses=({declared},))`"
        )


@contextmanager
def within(variable: ContextVar[T | None], value: T) -> Iterator[T]:
    """A variable of this thread, or of this task, with another value within a block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


_notes: ContextVar[dict[str, Any] | None] = ContextVar("notes", default=None)


def taking_notes() -> AbstractContextManager[dict[str, Any]]:
    """Collect what the steps of one scorer note about one pair.

    Examples:
        >>> with taking_notes() as notes:
        ...     leave_note("decided_by", "rule")
        >>> notes
        {'decided_by': 'rule'}
    """
    return within(_notes, {})


def leave_note(name: str, value: Any) -> None:
    """Note how a score came about, such as which branch decided; a step that runs often notes each value once.

    Args:
        name: What the note is about.
        value: Plain data; further values under the same name make a list.

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
