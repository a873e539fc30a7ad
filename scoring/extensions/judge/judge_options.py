"""Options of the judge of a run, and the opening of the judge that they and the environment describe."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.arguments import is_whole
from scoring.api.judging import WORKERS
from scoring.errors import InputError

if TYPE_CHECKING:
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
            settings: The settings in the run's manifest; without a judge, the options are empty.

        Raises:
            InputError: when the settings do not describe the judge properly, or the file of its replies is missing.
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
        """Return these options with a cache, in memory if none is set, so that a repeated question costs nothing."""
        return replace(self, cache=self.cache or os.environ.get("SCORING_JUDGE_CACHE") or ":memory:")

    def settings(self, judge: OpenJudge | None) -> dict[str, Any]:
        """Return what a run's manifest states about the judge: model, parameters, cache and account; never the key.
        Empty if `judge` is None.
        """
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
    """Open the judge that options and environment describe, set it as the judge of this process within the block, and
    yield it; close it at the end.

    If no judge is described, or it can't be opened, `on_note` is called with a line about that, and records that need a
    judge are unscored with that reason; `on_note` is also called if options describe a judge that nothing needs.

    Args:
        options: The judge's options; None keeps the judge that this process has.
        needed: Whether anything asks a judge; if not, none is opened.
        on_note: Called with a line of text in the cases described above.

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
    """Return True if the values in a manifest's entry about its judge have the right types."""
    prices = judge["prices"]
    return (
        isinstance(judge["model"], str)
        and isinstance(judge["cache"], str | None)
        and all(judge[name] is None or is_whole(judge[name], 0) for name in ("seed", "restarts"))
        and (prices is None or (isinstance(prices, list) and len(prices) == 2 and all(map(_is_price, prices))))
    )


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_PRICE
