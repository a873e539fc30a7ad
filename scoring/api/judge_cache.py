"""A cache of judge calls: what it holds, dropping parts of it, and taking it along as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from scoring.api.result import Result
from scoring.data.rows.row import InputError

if TYPE_CHECKING:
    from scoring.judge.asking.cache import JudgeCache

T = TypeVar("T")


class CachedCalls(Result):
    """What a cache of judge calls holds, by model and prompt."""


def list_calls(cache: str | Path) -> CachedCalls:
    """What a cache holds, by model and prompt.

    Raises:
        InputError: when it can't be read.
    """
    from scoring.judge.asking.cache_tools import list_cache
    from scoring.report.of.judge import cache_document

    groups = _with(cache, list_cache)
    return CachedCalls(groups, f"{cache}", cache_document)


def prune_calls(
    cache: str | Path, *, model: str | None = None, prompt: str | None = None, older_than_days: float | None = None
) -> int:
    """Drop the calls that fit every given condition; gives how many those were.

    Args:
        cache: The cache.
        model: Only calls of this model.
        prompt: Only calls whose prompt's digest starts like this.
        older_than_days: Only calls that were made longer ago.

    Raises:
        InputError: when no condition is given, or the cache can't be written.
    """
    from scoring.judge.asking.cache_tools import prune_cache

    def prune(held: JudgeCache) -> int:
        return prune_cache(held, model=model, prompt=prompt, older_than_days=older_than_days)

    return _with(cache, prune, writes=True)


def export_calls(cache: str | Path, target: str | Path | TextIO) -> int:
    """Write the calls as JSON Lines in the order of their keys; gives how many those were.

    Args:
        cache: The cache.
        target: A file that is not there yet, or a stream.

    Raises:
        InputError: when the cache can't be read, or the file can't be written.
    """

    def write(held: JudgeCache) -> int:
        if not isinstance(target, str | Path):
            return _write(held, target)
        with Path(target).open("x", encoding="utf-8", newline="\n") as file:
            return _write(held, file)

    return _with(cache, write)


def _write(cache: JudgeCache, stream: TextIO) -> int:
    from scoring.judge.asking.cache_tools import export_cache

    count = 0
    for line in export_cache(cache):
        stream.write(line + "\n")
        count += 1
    return count


def import_calls(cache: str | Path, source: str | Path | Iterable[str]) -> int:
    """Add exported calls; what is there stays as it is; gives how many were new.

    Args:
        cache: The cache, which may be new.
        source: A file, or lines.

    Raises:
        InputError: when a line is no exported call, or the cache can't be written.
    """
    from scoring.judge.asking.cache_tools import import_cache

    def read(held: JudgeCache) -> int:
        if not isinstance(source, str | Path):
            return import_cache(held, source)
        with Path(source).open(encoding="utf-8") as lines:
            return import_cache(held, lines)

    return _with(cache, read, writes=True, new=True)


def _with(cache: str | Path, use: Callable[[JudgeCache], T], *, writes: bool = False, new: bool = False) -> T:
    """Open the cache, use it, close it."""
    import sqlite3

    from scoring.judge.asking.cache import JudgeCache
    from scoring.judge.protocol import JudgeError

    if not Path(cache).is_file() and not new:
        raise InputError(f"there is no judge cache {cache}")
    try:
        held = JudgeCache(cache, read_only=not writes)
        try:
            return use(held)
        finally:
            held.close()
    except (JudgeError, sqlite3.Error, OSError, UnicodeError) as error:
        raise InputError(str(error)) from error
