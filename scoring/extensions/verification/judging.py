"""The judge of a finished run, restored from the replies that it gave in the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.api.judging import without_judges
from scoring.registry.effect import EffectAgain, EffectOptions, provider


def judge_again(settings: Mapping[str, Any], *, asks: bool) -> EffectOptions | None:
    """Return the options for a judge that repeats from a local cache the replies that it gave in a finished run, never
    over the network; None if the run needs no judge.

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
            raise without_judges()
        return None
    return found.from_settings(settings, asks)


def judge_of_bundle(folder: Path, calls: Path, settings: Mapping[str, Any]) -> EffectOptions | None:
    """Return the options for a judge that repeats the replies stored in a bundle, never over the network; None if the
    run needs no judge.

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
            raise without_judges()
        return None
    return found.from_bundle(folder, calls, settings)


def replies_of(judge: Any, cache: str) -> bytes:
    """Return the replies that a judge has given since it was opened, in the format of the file in a bundle.

    Args:
        judge: The open judge.
        cache: The name of its cache.

    Raises:
        InputError: when the cache can't be read, or no extension provides judges.
    """
    found = _again()
    if found is None:
        raise without_judges()
    return found.replies(judge, cache)


def _again() -> EffectAgain | None:
    found = provider("judge")
    return None if found is None else found.again
