"""A cache of judge calls: what it holds, dropping parts of it, and taking it along as text."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from scoring.api.result import Result
from scoring.api.verb import in_words, verb
from scoring.data.plain_files import open_text
from scoring.data.refused import refused
from scoring.data.rows.row import InputError

if TYPE_CHECKING:
    from scoring.judge.asking.cache import JudgeCache


class TextTarget(Protocol):
    """Where text can be written: a stream, or what stands before one."""

    def write(self, text: str, /) -> Any:
        """Take a text."""


class CachedCalls(Result):
    """What a cache of judge calls holds, by model and prompt."""


@verb
def list_calls(cache: str | Path) -> CachedCalls:
    """What a cache holds, by model and prompt.

    Raises:
        InputError: when it can't be read.
    """
    from scoring.judge.asking.cache_tools import list_cache
    from scoring.report.of.judge import cache_document

    with _opened(cache) as held:
        groups = list_cache(held)
    return CachedCalls(groups, f"{cache}", cache_document)


@verb
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

    with _opened(cache, writes=True) as held:
        return prune_cache(held, model=model, prompt=prompt, older_than_days=older_than_days)


@verb
def export_calls(cache: str | Path, target: str | Path | TextTarget) -> int:
    """Write the calls as JSON Lines in the order of their keys; gives how many those were.

    Args:
        cache: The cache.
        target: A file that is not there yet, or a stream.

    Raises:
        InputError: when the cache can't be read, or the file can't be written.
    """
    from scoring.judge.asking.cache_tools import export_cache

    with _opened(cache) as held, contextlib.ExitStack() as files:
        if isinstance(target, str | Path):
            target = files.enter_context(_new(Path(target)))
        return sum(target.write(line + "\n") is not None for line in export_cache(held))


@verb
def import_calls(cache: str | Path, source: str | Path | Iterable[str]) -> int:
    """Add exported calls; what is there stays as it is; gives how many were new.

    Args:
        cache: The cache, which may be new.
        source: A file, or lines.

    Raises:
        InputError: when a line is no exported call, or the cache can't be written.
    """
    from scoring.judge.asking.cache_tools import LONGEST_LINE, import_cache

    with _opened(cache, writes=True, new=True) as held, contextlib.ExitStack() as files:
        if isinstance(source, str | Path):
            source = files.enter_context(_text(Path(source)))
        if isinstance(source, io.TextIOBase):  # a line is not read further than it may be long
            source = iter(partial(source.readline, LONGEST_LINE + 1), "")
        return import_cache(held, map(_line, source))


def _line(line: Any) -> str:
    if not isinstance(line, str):
        raise InputError(f"an exported call is a line of text, not {in_words(line)}")
    return line


def _new(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"can't write {path}: {refused(error)}") from error


def _text(path: Path) -> TextIO:
    try:
        return open_text(path)
    except OSError as error:
        raise InputError(f"can't read {path}: {refused(error)}") from error


@contextlib.contextmanager
def _opened(cache: str | Path, *, writes: bool = False, new: bool = False) -> Iterator[JudgeCache]:
    from scoring.judge.asking.cache import JudgeCache
    from scoring.judge.protocol import JudgeError

    if not new and not os.path.lexists(cache):
        raise InputError(f"there is no judge cache {cache}")
    try:
        with contextlib.closing(JudgeCache(cache, read_only=not writes)) as held:
            yield held
    except JudgeError as error:
        raise InputError(str(error)) from error
    except UnicodeError as error:
        raise InputError("what is imported is no UTF-8") from error
    except OSError as error:
        raise InputError(f"can't use {error.filename or 'the file'}: {refused(error)}") from error
