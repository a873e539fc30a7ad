"""Verbs about judges: configuring, opening and recording one; measuring their quality; managing a cache of calls."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TextIO

from scoring.api.arguments import in_words, is_whole, verb
from scoring.api.judging import WORKERS
from scoring.api.result import Result
from scoring.data.os_errors import refused
from scoring.data.plain_files import open_text
from scoring.errors import InputError

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.cache import JudgeCache
    from scoring.extensions.judge.asking.opening import OpenJudge


# The settings that a manifest records of a judge, in addition to the model and the cache.
_AGAIN = ("seed", "restarts", "prices")
_HIGHEST_PRICE = 1e9


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Options of the judge of a run; what is not given comes from the environment, as the API key always does.

    Args:
        url: An OpenAI-compatible server (``SCORING_JUDGE_URL``).
        model: The model, or several separated by commas (``SCORING_JUDGE_MODEL``).
        cache: A file that stores every call (``SCORING_JUDGE_CACHE``).
        replay: Answer from the cache alone, without a network.
        workers: The number of records to judge simultaneously.
        seed: The seed that is sent to the model.
        restarts: How often the program is restarted after an invalid reply.
        prices: The price of a million tokens read, and written.
        timeout: Seconds that any step of a call may wait, 120 by default; a call as a whole may take five times that.
    """

    url: str | None = None
    model: str | None = None
    cache: str | None = None
    replay: bool = False
    workers: int | None = None
    seed: int | None = None
    restarts: int | None = None
    prices: tuple[float, float] | None = None
    timeout: float | None = None

    @classmethod
    def again(cls, settings: Mapping[str, Any]) -> JudgeOptions:
        """Return options that reproduce the replies of a finished run's judge: from its cache, never from a server.

        Args:
            settings: The settings in the run's manifest.

        Raises:
            InputError: when they do not describe the judge, or its replies are not available.
        """
        judge = settings.get("judge")
        if judge is None:
            return cls()
        if not {"model", "cache", *_AGAIN} <= judge.keys():
            raise InputError("the manifest of the run does not say how its judge was asked; score the run again")
        if not _may_be(judge):
            raise InputError(
                "the manifest of the run has an entry about its judge that no run has; score the run again"
            )
        # A foreign manifest must not make us create a cache at its path, nor cause calls that cost money.
        cache = judge["cache"]
        if not cache:
            raise InputError("the run kept no replies of its judge: score it with --judge-cache FILE")
        if not Path(cache).is_file():
            raise InputError(
                f"the replies of the run's judge are not here, and it is not asked again: restore {cache:.200}, or "
                "ask whoever made the run for a bundle (`scoring bundle RUN`)"
            )
        return cls(model=judge["model"], cache=cache, replay=True, **{name: judge[name] for name in _AGAIN})

    def remembering(self) -> JudgeOptions:
        """Return these options with a cache, in memory if none is set, so that asking again costs nothing."""
        return replace(self, cache=self.cache or os.environ.get("SCORING_JUDGE_CACHE") or ":memory:")

    def settings(self, judge: OpenJudge | None) -> dict[str, Any]:
        """Return the manifest's entry about the judge: model, parameters, cache and account; never the key."""
        if judge is None:
            return {}
        from scoring.extensions.judge.asking.opening import CACHE

        entry = {
            "model": judge.name,
            "parameters": dict(judge.parameters),
            "cache": self.cache or os.environ.get(CACHE) or None,
            **{name: getattr(self, name) for name in _AGAIN},
        }
        return {"judge": {**entry, "account": judge.ledger.summary()}}


@contextmanager
def judge_of(
    options: JudgeOptions | None, *, needed: bool, on_note: Callable[[str], None] | None = None
) -> Iterator[OpenJudge | None]:
    """Open the judge that options and environment describe as the judge of this process, and close it at the end.

    If there is none, or it can't be opened, `on_note` is called with a line that says so, and records that need a judge
    are unscored with that reason; it is also called if options describe a judge that nothing needs.

    Args:
        options: The judge's options; None keeps the judge that this process has.
        needed: Whether anything asks a judge.
        on_note: Called with that line.

    Raises:
        InputError: when an option is invalid, the cache can't be opened, or a program's first replies all cause the
            same failure of its formulas.
    """
    if not needed:
        if on_note is not None and options not in (None, JudgeOptions()):
            on_note("nothing here asks a judge, so the judge options have no effect")
        yield None
        return
    from scoring.extensions.judge.programs.run import ProgramFault, watching

    try:
        with watching(), nullcontext() if options is None else _chosen(options, on_note) as judge:
            yield judge
    except ProgramFault as fault:
        raise InputError(str(fault)) from None


@contextmanager
def _chosen(options: JudgeOptions, on_note: Callable[[str], None] | None) -> Iterator[OpenJudge | None]:
    from scoring.extensions.judge.protocol import JudgeError, current_judge, set_judge

    judge = None
    try:
        judge = _opened(options)
    except JudgeError as error:
        set_judge(error)
    if judge is not None:
        set_judge(judge)
    try:
        try:
            current_judge()
        except JudgeError as error:
            if on_note is not None:
                on_note(f"{error}; records that need a judge are left unscored")
        yield judge
    finally:
        set_judge(None)
        if judge is not None:
            judge.close()


def _opened(options: JudgeOptions) -> OpenJudge | None:
    from scoring.extensions.judge.asking.cache_file import CacheError
    from scoring.extensions.judge.asking.opening import judge_from_environment
    from scoring.extensions.judge.asking.settings import LONGEST_TIMEOUT

    if (options.workers is not None and options.workers < 1) or (options.restarts is not None and options.restarts < 0):
        raise InputError("--judge-workers is at least 1, and --judge-restarts at least 0")
    prices = options.prices or (None, None)
    if not all(price is None or _is_price(price) for price in prices):
        raise InputError(f"--judge-prices are two amounts from 0 to {_HIGHEST_PRICE:,.0f}")
    if options.timeout is not None and not 0 < options.timeout <= LONGEST_TIMEOUT:
        raise InputError(f"--judge-timeout is a number of seconds over 0, at most {LONGEST_TIMEOUT:,.0f}")
    try:
        return judge_from_environment(
            cache=options.cache,
            replay=options.replay or None,
            base_url=options.url,
            model=options.model,
            seed=options.seed,
            restarts=options.restarts,
            concurrency=options.workers or WORKERS,
            timeout=options.timeout,
            input_price=prices[0],
            output_price=prices[1],
        )
    except CacheError as error:
        raise InputError(str(error)) from error


def _may_be(judge: Mapping[str, Any]) -> bool:
    """Return whether a manifest's values about its judge have the right types."""
    prices = judge["prices"]
    return (
        isinstance(judge["model"], str)
        and isinstance(judge["cache"], str | None)
        and all(judge[name] is None or is_whole(judge[name], 0) for name in ("seed", "restarts"))
        and (prices is None or (isinstance(prices, list) and len(prices) == 2 and all(map(_is_price, prices))))
    )


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_PRICE


class JudgeQuality(Result):
    """The agreement of judges, or the threshold from which scores of one should pass."""


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
    """A target to write text to: a stream, or an object that wraps one."""

    def write(self, text: str, /) -> Any:
        """Write a string."""


class CachedCalls(Result):
    """The calls in a cache of judge calls, summarized by model and prompt."""


@verb
def list_calls(cache: str | Path) -> CachedCalls:
    """Return the calls in a cache, summarized by model and prompt.

    Raises:
        InputError: when it can't be read.
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


def _file(path: str | Path, use: Literal["read", "write"]) -> TextIO:
    """Open a file of lines: an existing one to read, or a new one to write."""
    path = Path(path)
    try:
        return open_text(path) if use == "read" else path.open("x", encoding="utf-8", newline="\n")
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
