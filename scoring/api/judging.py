"""Judges of runs, which an extension provides: opened for a run, and had again for a finished one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from scoring.errors import InputError
from scoring.registry.effect import EffectAgain, EffectOptions, provider
from scoring.registry.extension import find_service

WORKERS = 8
"""The number of records that are judged at once by default."""


def opened_judge(
    options: EffectOptions | None, *, needed: bool, on_note: Callable[[str], None] | None = None
) -> AbstractContextManager[Any]:
    """Return a context in which the judge that options and environment describe is the one of this process.

    Where there is none, or none can be opened, one line says so, and what asks it is left unscored with that reason;
    one also says where nothing asks the judge that options describe.

    Args:
        options: How it is asked; None leaves the judge that this process has.
        needed: Whether anything asks a judge.
        on_note: Told that line.

    Raises:
        InputError: when an option makes no sense, the cache can't be opened, or no extension provides judges.
    """
    found = provider("judge")
    if found is not None and found.open is not None:
        return found.open(options, needed=needed, on_note=on_note)
    if needed or options is not None:
        raise _lacking()
    return nullcontext()


def judge_again(settings: Mapping[str, Any], *, asks: bool) -> EffectOptions | None:
    """Return how the judge of a finished run answers again: from its cache, never over the network.

    Args:
        settings: Those of the run's manifest.
        asks: Whether its task asks a judge.

    Raises:
        InputError: when they do not say how the judge was asked, its replies are not here, or no extension provides
            judges.
    """
    found = _again()
    if found is None:
        if asks or "judge" in settings:
            raise _lacking()
        return None
    return found.from_settings(settings, asks)


def judge_of_bundle(folder: Path, calls: Path, settings: Mapping[str, Any]) -> EffectOptions | None:
    """Return how the judge of a bundled run answers again: from the replies in the bundle.

    Args:
        folder: Where the bundle was unpacked.
        calls: The file of replies in it, which may be missing.
        settings: Those of the run's manifest.

    Raises:
        InputError: when the replies are not in order, or no extension provides judges.
    """
    found = _again()
    if found is None:
        if "judge" in settings:
            raise _lacking()
        return None
    return found.from_bundle(folder, calls, settings)


def replies_of(judge: Any, cache: str) -> bytes:
    """Return the replies that an open judge was given, in the form in which a bundle keeps them.

    Raises:
        InputError: when the cache can't be read, or no extension provides judges.
    """
    found = _again()
    if found is None:
        raise _lacking()
    return found.replies(judge, cache)


def judge_arguments(parser: Any) -> None:
    """Add the options of a judge to the parser of a command; none where no extension provides judges."""
    add = find_service("judge-arguments")
    if add is not None:
        add(parser)


def _again() -> EffectAgain | None:
    found = provider("judge")
    return None if found is None else found.again


def _lacking() -> InputError:
    return InputError("what asks a judge needs an extension that provides judges, and none is installed")
