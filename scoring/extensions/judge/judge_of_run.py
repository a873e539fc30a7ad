"""Open the judge of a run, which its options and the environment describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from scoring.api.judging import WORKERS
from scoring.errors import InputError
from scoring.extensions.judge.judge_options import JudgeOptions

if TYPE_CHECKING:
    from scoring.extensions.judge.asking.opening import OpenJudge

_HIGHEST_PRICE = 1e9


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
        if on_note is not None and options:
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
    if not all(price is None or is_price(price) for price in prices):
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


def is_price(value: object) -> bool:
    """Return whether a value is a price of a million tokens."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_PRICE
