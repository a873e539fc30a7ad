"""Verbs about judges: configuring, opening and recording one; measuring their quality; managing a cache of calls."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TextIO

from scoring.api.arguments import in_words, verb
from scoring.api.result import Result
from scoring.data.os_errors import refused
from scoring.data.plain_files import open_readable, read_stream
from scoring.errors import InputError

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.cache import JudgeCache


class JudgeQuality(Result):
    """The result of `agreement` or `calibrate`: how well judges agree, or the threshold from which scores of one should
    pass.
    """


@verb
def agreement(
    *runs: str | Path, labels: str | None = None, field: str | None = None, pass_at: float = 0.5
) -> JudgeQuality:
    """Return the agreement of the judges of some runs, with one another and with people.

    Args:
        runs: Run folders of the same records.
        labels: The attribute or data column with labels by people.
        field: The field whose score is used instead of the record's.
        pass_at: Scores of at least this value pass.

    Raises:
        InputError: when a run can't be read, or there is nothing to compare.
    """
    from scoring.extensions.judge.documents import agreement_document
    from scoring.extensions.judge.quality import measure_agreement
    from scoring.extensions.verification.read import read_run

    names = [str(name) for name in runs]
    if len(set(names)) < len(names):
        raise InputError("a run always agrees with itself; name different runs")
    data = measure_agreement([read_run(name) for name in names], labels, field=field, pass_at=pass_at)
    return JudgeQuality(data, f"agreement of {', '.join(names)}", agreement_document)


@verb
def calibrate(
    run: str | Path, labels: str, *, field: str | None = None, aim: Literal["kappa", "accuracy", "f1"] = "kappa"
) -> JudgeQuality:
    """Return the threshold from which scores of a run should pass, based on labels by people.

    Args:
        run: A run folder.
        labels: The attribute or data column that contains the labels.
        field: The field whose score is used instead of the record's.
        aim: The measure that the threshold maximizes.

    Raises:
        InputError: when the run can't be read, or there are no labels.
    """
    from scoring.extensions.judge.documents import calibration_document
    from scoring.extensions.judge.quality import calibration
    from scoring.extensions.verification.read import read_run

    data = calibration(read_run(str(run)), labels, field=field, aim=aim)
    return JudgeQuality(data, f"calibration of {run}", calibration_document)


class TextTarget(Protocol):
    """The interface of an object that text can be written to, such as a stream."""

    def write(self, text: str, /) -> Any:
        """Write a string."""


class CachedCalls(Result):
    """The result of `list_calls`: the calls in a cache, summarized by model and prompt."""


@verb
def list_calls(cache: str | Path) -> CachedCalls:
    """Return the calls in a cache, summarized by model and prompt.

    Raises:
        InputError: when the cache can't be read.
    """
    from scoring.extensions.judge.asking.cache_tools import list_cache
    from scoring.extensions.judge.documents import cache_document

    with _opened_cache(cache) as opened:
        groups = list_cache(opened)
    return CachedCalls(groups, f"{cache}", cache_document)


@verb
def prune_calls(
    cache: str | Path, *, model: str | None = None, prompt: str | None = None, older_than_days: float | None = None
) -> int:
    """Drop the calls that match every given condition; return their number.

    Args:
        cache: The file of the cache, as ``--judge-cache`` named it.
        model: Prune only calls of this model.
        prompt: Prune only calls whose prompt's digest starts with this text.
        older_than_days: Prune only calls that were made more days ago than this.

    Raises:
        InputError: when no condition is given, or the cache can't be written.
    """
    from scoring.extensions.judge.asking.cache_tools import prune_cache

    with _opened_cache(cache, writes=True) as opened:
        return prune_cache(opened, model=model, prompt=prompt, older_than_days=older_than_days)


@verb
def export_calls(cache: str | Path, target: str | Path | TextTarget) -> int:
    """Write the calls as JSON Lines in the order of their keys; return their number.

    Args:
        cache: The file of the cache, as ``--judge-cache`` named it.
        target: A file that does not exist yet, or a stream.

    Raises:
        InputError: when the cache can't be read, or the file can't be written.
    """
    from scoring.extensions.judge.asking.cache_tools import export_cache

    with _opened_cache(cache) as opened, contextlib.ExitStack() as files:
        if isinstance(target, str | Path):
            target = files.enter_context(_file(target, "write"))
        return sum(target.write(line + "\n") is not None for line in export_cache(opened))


@verb
def import_calls(cache: str | Path, source: str | Path | Iterable[str]) -> int:
    """Add exported calls; calls that are already stored stay unchanged; return the number of new calls.

    Args:
        cache: The cache, which may be new.
        source: A file, or lines.

    Raises:
        InputError: when a line is not an exported call, or the cache can't be written.
    """
    from scoring.extensions.judge.asking.cache_tools import LONGEST_LINE, import_cache

    with _opened_cache(cache, writes=True, new=True) as opened, contextlib.ExitStack() as files:
        if isinstance(source, str | Path):
            source = files.enter_context(_file(source, "read"))
        if isinstance(source, io.TextIOBase):  # limits how much of an overlong line is read
            source = iter(partial(source.readline, LONGEST_LINE + 1), "")
        return import_cache(opened, map(_line, source))


def _line(line: Any) -> str:
    if not isinstance(line, str):
        raise InputError(f"an exported call is a line of text, not {in_words(line)}")
    return line


def _opened(path: Path) -> io.TextIOWrapper:
    """Open a file, a device or a pipe for reading as UTF-8 text.

    Raises:
        OSError: when it can't be opened, or nobody writes into a pipe.
    """
    stream = open_readable(path)
    if stream.seekable():
        return io.TextIOWrapper(stream, "utf-8")
    with stream:
        return io.TextIOWrapper(io.BytesIO(read_stream(stream, str(path))), "utf-8")


def _file(path: str | Path, use: Literal["read", "write"]) -> TextIO:
    """Return a text file opened for `use`: an existing one to read, or a new one to write."""
    path = Path(path)
    try:
        return _opened(path) if use == "read" else path.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"can't {use} {path}: {refused(error)}") from error


@contextlib.contextmanager
def _opened_cache(cache: str | Path, *, writes: bool = False, new: bool = False) -> Iterator[JudgeCache]:
    from scoring.extensions.judge.asking.cache import JudgeCache
    from scoring.extensions.judge.protocol import JudgeError

    if not new and not os.path.lexists(cache):
        raise InputError(f"there is no judge cache {cache}")
    try:
        with contextlib.closing(JudgeCache(cache, read_only=not writes)) as opened:
            yield opened
    except JudgeError as error:
        raise InputError(str(error)) from error
    except UnicodeError as error:
        raise InputError("the imported text is not UTF-8") from error
    except OSError as error:
        raise InputError(f"can't use {error.filename or 'the file'}: {refused(error)}") from error
