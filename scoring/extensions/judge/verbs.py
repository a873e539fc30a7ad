"""Verbs of judges: options, opening and recording of judges, their quality, and the content of caches."""

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


# What a manifest keeps of how the judge was asked, beside the model and the cache.
_AGAIN = ("seed", "restarts", "prices")
_HIGHEST_PRICE = 1e9


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How the judge of a run is called; missing options are read from the environment, the key always.

    Args:
        url: An OpenAI-compatible server (``SCORING_JUDGE_URL``).
        model: The model, or several with commas between (``SCORING_JUDGE_MODEL``).
        cache: A file that keeps every call (``SCORING_JUDGE_CACHE``).
        replay: Answer from the cache alone, without a network.
        workers: How many records are judged at once.
        seed: The seed that the model is sent.
        restarts: How often an invalid reply starts anew.
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
        """Return options that answer from the cache of a finished run, and never from a server.

        Args:
            settings: Those of the run's manifest.

        Raises:
            InputError: when they do not say how the judge was asked, or its replies are not here.
        """
        judge = settings.get("judge")
        if judge is None:
            return cls()
        if not {"model", "cache", *_AGAIN} <= judge.keys():
            raise InputError("the manifest of the run does not say how its judge was asked; score the run again")
        if not _may_be(judge):
            raise InputError("the manifest of the run says of its judge what no run does; score the run again")
        # Neither is a cache made where a manifest of a stranger says, nor asked anew what somebody has to pay for.
        cache = judge["cache"]
        if not cache:
            raise InputError("the run kept no replies of its judge: score it with --judge-cache FILE")
        if not Path(cache).is_file():
            raise InputError(
                f"the replies of the run's judge are not here, and it is not asked anew: bring back {cache:.200}, or "
                "ask whoever made the run for a bundle (`scoring bundle RUN`)"
            )
        return cls(model=judge["model"], cache=cache, replay=True, **{name: judge[name] for name in _AGAIN})

    def remembering(self) -> JudgeOptions:
        """Return the same options with a cache, at least in memory: explaining a record repeats the calls of scoring
        it."""
        return replace(self, cache=self.cache or os.environ.get("SCORING_JUDGE_CACHE") or ":memory:")

    def settings(self, judge: OpenJudge | None) -> dict[str, Any]:
        """Return the judge's entry in a manifest: its model, its options, and what this run cost; never the key."""
        if judge is None:
            return {}
        from scoring.extensions.judge.asking.opening import CACHE

        asked = {
            "model": judge.name,
            "parameters": dict(judge.parameters),
            "cache": self.cache or os.environ.get(CACHE) or None,
            **{name: getattr(self, name) for name in _AGAIN},
        }
        return {"judge": {**asked, "account": judge.ledger.summary()}}


@contextmanager
def judge_of(
    options: JudgeOptions | None, *, needed: bool, on_note: Callable[[str], None] | None = None
) -> Iterator[OpenJudge | None]:
    """The judge that options and environment describe, chosen for this process and closed at the end.

    Where there is none, or none can be opened, one line says so, and what asks it is left unscored with that reason;
    one also says where nothing asks the judge that options describe.

    Args:
        options: How it is asked; None leaves the judge that this process has.
        needed: Whether anything asks a judge.
        on_note: Told that line.

    Raises:
        InputError: when an option makes no sense, the cache can't be opened, or a program's first replies all come to
            the same failure of its formulas.
    """
    if not needed:
        if on_note is not None and options not in (None, JudgeOptions()):
            on_note("nothing here asks a judge, so the judge options do nothing")
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
                on_note(f"{error}; what asks a judge is left unscored")
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
    """Tell whether what a manifest says of its judge is of the right kinds."""
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
    """The agreement of judges, or the pass threshold of one."""


@verb
def agreement(
    *runs: str | Path, labels: str | None = None, field: str | None = None, pass_at: float = 0.5
) -> JudgeQuality:
    """Return how far the judges of some runs agree, with one another and with people.

    Args:
        runs: Run folders of the same records.
        labels: Where labels of people are: an attribute or a column of the data.
        field: A field's score in place of the record's.
        pass_at: Scores from here on pass.

    Raises:
        InputError: when a run can't be read, or there is nothing to compare.
    """
    from scoring.engine.runs.read import read_run
    from scoring.extensions.judge.documents import agreement_document
    from scoring.extensions.judge.quality import agreement as measured

    names = [str(name) for name in runs]
    if len(set(names)) < len(names):
        raise InputError("a run agrees with itself; name different ones")
    data = measured([read_run(name) for name in names], labels, field=field, pass_at=pass_at)
    return JudgeQuality(data, f"agreement of {', '.join(names)}", agreement_document)


@verb
def calibrate(
    run: str | Path, labels: str, *, field: str | None = None, aim: Literal["kappa", "accuracy", "f1"] = "kappa"
) -> JudgeQuality:
    """Return the threshold from which scores of a run should pass, from labels that people gave.

    Args:
        run: A run folder.
        labels: Where the labels are: an attribute or a column of the data.
        field: A field's score in place of the record's.
        aim: What the threshold is best in.

    Raises:
        InputError: when the run can't be read, or there are no labels.
    """
    from scoring.engine.runs.read import read_run
    from scoring.extensions.judge.documents import calibration_document
    from scoring.extensions.judge.quality import calibration

    data = calibration(read_run(str(run)), labels, field=field, aim=aim)
    return JudgeQuality(data, f"calibration of {run}", calibration_document)


class TextTarget(Protocol):
    """A target for text: a stream, or an object like one."""

    def write(self, text: str, /) -> Any:
        """Write a text."""


class CachedCalls(Result):
    """The calls in a cache by model and prompt."""


@verb
def list_calls(cache: str | Path) -> CachedCalls:
    """Return the content of a cache, by model and prompt.

    Raises:
        InputError: when it can't be read.
    """
    from scoring.extensions.judge.asking.cache_tools import list_cache
    from scoring.extensions.judge.documents import cache_document

    with _held(cache) as held:
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
    from scoring.extensions.judge.asking.cache_tools import prune_cache

    with _held(cache, writes=True) as held:
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
    from scoring.extensions.judge.asking.cache_tools import export_cache

    with _held(cache) as held, contextlib.ExitStack() as files:
        if isinstance(target, str | Path):
            target = files.enter_context(_file(target, "write"))
        return sum(target.write(line + "\n") is not None for line in export_cache(held))


@verb
def import_calls(cache: str | Path, source: str | Path | Iterable[str]) -> int:
    """Add exported calls; existing ones are kept. Return how many were new.

    Args:
        cache: The cache, which may be new.
        source: A file, or lines.

    Raises:
        InputError: when a line is no exported call, or the cache can't be written.
    """
    from scoring.extensions.judge.asking.cache_tools import LONGEST_LINE, import_cache

    with _held(cache, writes=True, new=True) as held, contextlib.ExitStack() as files:
        if isinstance(source, str | Path):
            source = files.enter_context(_file(source, "read"))
        if isinstance(source, io.TextIOBase):  # a line is not read further than it may be long
            source = iter(partial(source.readline, LONGEST_LINE + 1), "")
        return import_cache(held, map(_line, source))


def _line(line: Any) -> str:
    if not isinstance(line, str):
        raise InputError(f"an exported call is a line of text, not {in_words(line)}")
    return line


def _file(path: str | Path, use: Literal["read", "write"]) -> TextIO:
    """Return a file of lines: one that is there, or a new one."""
    path = Path(path)
    try:
        return open_text(path) if use == "read" else path.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"can't {use} {path}: {refused(error)}") from error


@contextlib.contextmanager
def _held(cache: str | Path, *, writes: bool = False, new: bool = False) -> Iterator[JudgeCache]:
    from scoring.extensions.judge.asking.cache import JudgeCache
    from scoring.extensions.judge.protocol import JudgeError

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
