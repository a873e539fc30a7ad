"""Many records at once: a judge is waited for, not computed, so threads are enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from scoring.judge.calls import Judge
from scoring.judge.programs.program import JudgeProgram
from scoring.judge.programs.run import run_program
from scoring.result import Outcome

A = TypeVar("A")
B = TypeVar("B")


def in_threads(
    function: Callable[[A], B], items: Iterable[A], workers: int, progress: Callable[[int], None] | None = None
) -> Iterator[B]:
    """The results of a function that waits, in the order of the items, with several calls under way.

    Only a few items more than there are workers are read ahead. The judge chosen with ``use_judge`` is the threads'.

    Args:
        function: Called with each item.
        items: Read as they are needed.
        workers: How many threads.
        progress: Called with the number of items done, after each.

    Examples:
        >>> list(in_threads(str.upper, ["a", "b", "c"], workers=2))
        ['A', 'B', 'C']
    """
    done = 0
    waiting: deque[Future[B]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="judge")
    try:
        for item in items:
            waiting.append(pool.submit(copy_context().run, function, item))
            while waiting and (len(waiting) > 4 * workers or waiting[0].done()):
                result = waiting.popleft().result()
                done += 1
                if progress is not None:
                    progress(done)
                yield result
        while waiting:
            result = waiting.popleft().result()
            done += 1
            if progress is not None:
                progress(done)
            yield result
    finally:
        # Whoever stops early, by Ctrl-C say, does not wait for calls that nobody will read.
        pool.shutdown(wait=False, cancel_futures=True)


def judge_all(
    program: JudgeProgram,
    rows: Iterable[Mapping[str, Any]],
    judge: Judge,
    *,
    workers: int = 8,
    restarts: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Outcome]:
    """The outcome of a judge program for every row of inputs, in order; a row that fails is unscored, with its reason.

    Args:
        program: The program.
        rows: Its inputs, by name.
        judge: Who is asked.
        workers: How many rows are under way at once.
        restarts: As in ``run_program``.
        progress: Called with the number of rows done.
    """

    def one(inputs: Mapping[str, Any]) -> Outcome:
        try:
            found = run_program(program, inputs, judge, restarts=restarts)
        except Exception as error:
            return Outcome.of_exception(error, program.name)
        return Outcome(found.score if program.score is not None else found.value)

    return list(in_threads(one, rows, workers, progress))
