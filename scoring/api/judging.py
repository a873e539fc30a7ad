"""The judge of a run, which an extension provides: open it, or restore it from the replies of a finished run."""

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
    found = provider("judge")
    if found is not None and found.open is not None:
        return found.open(options, needed=needed, on_note=on_note)
    if needed or options is not None:
        raise _lacking()
    return nullcontext()


def judge_again(settings: Mapping[str, Any], *, asks: bool) -> EffectOptions | None:
    """Return options for a judge that repeats its replies of a finished run from its cache, never over the network;
    None if the run needs no judge.

    Args:
        settings: The settings in the run's manifest.
        asks: Whether the run's task calls a judge.

    Raises:
        InputError: when the settings don't describe the judge, its replies are not on this machine, or no extension
            provides judges.
    """
    found = _again()
    if found is None:
        if asks or "judge" in settings:
            raise _lacking()
        return None
    return found.from_settings(settings, asks)


def judge_of_bundle(folder: Path, calls: Path, settings: Mapping[str, Any]) -> EffectOptions | None:
    """Return options for a judge that repeats its replies from those in a bundle; None if the run needs no judge.

    Args:
        folder: The folder to which the bundle was unpacked.
        calls: The path of its file of replies, which may be missing.
        settings: The settings in the run's manifest.

    Raises:
        InputError: when the replies are invalid, or no extension provides judges.
    """
    found = _again()
    if found is None:
        if "judge" in settings:
            raise _lacking()
        return None
    return found.from_bundle(folder, calls, settings)


def replies_of(judge: Any, cache: str) -> bytes:
    """Return the replies that an open judge has received, in the format of the file in a bundle; `cache` names its
    cache.

    Raises:
        InputError: when the cache can't be read, or no extension provides judges.
    """
    found = _again()
    if found is None:
        raise _lacking()
    return found.replies(judge, cache)


def judge_arguments(parser: Any) -> None:
    """Add the options of a judge to the parser of a command, if an extension provides judges."""
    add = find_service("judge-arguments")
    if add is not None:
        add(parser)


def _again() -> EffectAgain | None:
    found = provider("judge")
    return None if found is None else found.again


def _lacking() -> InputError:
    return InputError("what asks a judge needs an extension that provides judges, and none is installed")
