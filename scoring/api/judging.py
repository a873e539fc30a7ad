"""The judge of a run (a model that scores answers), which an extension provides."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from scoring.errors import InputError
from scoring.registry.effect import EffectOptions, provider
from scoring.registry.extension import find_service

WORKERS = 8
"""The number of records that are judged at once by default."""


def opened_judge(
    options: EffectOptions | None, *, needed: bool, on_note: Callable[[str], None] | None = None
) -> AbstractContextManager[Any]:
    """Return a context manager that sets up the judge of this process, as described by options and the environment.

    If there is no judge, or it can't be opened, `on_note` is called with a line that says so, and records that need a
    judge are left unscored with that reason. It is also called if options describe a judge that nothing needs.

    Args:
        options: The judge's options; None keeps the judge that this process has.
        needed: Whether any step calls a judge.
        on_note: Called with that line.

    Raises:
        InputError: when an option is invalid, the cache can't be opened, or no extension provides judges.
    """
    if not needed and not options:
        return nullcontext()
    found = provider("judge")
    if found is None or found.open is None:
        raise without_judges()
    return found.open(options, needed=needed, on_note=on_note)


def judge_arguments(parser: Any) -> None:
    """Add the options of a judge to the parser of a command, if an extension provides judges."""
    add = find_service("judge-arguments")
    if add is not None:
        add(parser)


def without_judges() -> InputError:
    """Return the error for a step that calls a judge although no installed extension provides judges."""
    return InputError("what asks a judge needs an extension that provides judges, and none is installed")
