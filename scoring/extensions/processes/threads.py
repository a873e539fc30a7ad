"""Threads for what only waits, such as the scoring of records that call a judge: concurrent calls, in order."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Any, Generic, ParamSpec, TypeVar

from msgspec import Struct

A = TypeVar("A")
B = TypeVar("B")
P = ParamSpec("P")

# The number of bytes that may wait for a slow earlier item, and the minimum weight of an item in bytes.
WINDOW = 64 << 20
_LEAST = 1024
# The minimum number of items that are read ahead, so that threads need not wait for them.
_AHEAD = 64
_MOST_AWAITED = 256


def in_threads(
    function: Callable[[A], B],
    items: Iterable[A],
    workers: int,
    *,
    weight: Callable[[A], int] = lambda _: 0,
    window: int = WINDOW,
) -> Iterator[B]:
    """Yield the results of a function that mostly waits, in the order of the items, with several concurrent calls.

    Items are read slightly ahead of the threads. A slow item does not delay others: finished results wait for their
    turn as long as all items read but not yet yielded weigh no more than the window. The threads use the judge chosen
    with ``use_judge``. A caller who stops early, for example by Ctrl-C, does not wait for calls whose results nobody
    reads.

    Args:
        function: Called with each item; an exception is raised in place of the result, and ends the iteration.
        items: The items, read lazily.
        workers: Number of threads.
        weight: Returns the approximate number of bytes that an item takes together with its result.
        window: Number of bytes that may be in progress or waiting; at least one item is always in progress.

    Examples:
        >>> list(in_threads(str.upper, ["a", "b", "c"], workers=2))
        ['A', 'B', 'C']
    """
    for ready in ready_in_threads(function, items, workers, weight=weight, window=window):
        yield from ready


def ready_in_threads(
    function: Callable[[A], B],
    items: Iterable[A],
    workers: int,
    *,
    weight: Callable[[A], int] = lambda _: 0,
    window: int = WINDOW,
) -> Iterator[list[B]]:
    """Yield the results of `in_threads` in lists: each time all consecutive ones that are there, so that a caller can
    treat them together.

    Examples:
        >>> [one for ready in ready_in_threads(str.upper, ["a", "b", "c"], workers=2) for one in ready]
        ['A', 'B', 'C']
    """
    crew = _Crew(function, iter(items), workers, weight, window)
    for _ in range(workers):
        # Daemon threads, so that an abandoned run does not keep the interpreter from exiting.
        threading.Thread(target=copy_context().run, args=(crew.work,), name="judge", daemon=True).start()
    try:
        yield from crew.results()
    finally:
        crew.stop()


def weight_of(data: Any) -> int:
    """Return the approximate number of bytes that plain data takes, including a result and a line of text of that size.

    Examples:
        >>> weight_of({"response": "x" * 1000})
        4384
    """
    weight, waiting = 0, [data]
    while waiting:
        value = waiting.pop()
        weight += 192
        if isinstance(value, str):
            weight += 4 * len(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return weight


class _Failed(Struct, frozen=True):
    """The exception of a call, in place of its result."""

    error: BaseException


class _Crew(Generic[A, B]):
    """The threads of a call of `in_threads`, their queue of items, and the results that can't be yielded yet.

    To avoid frequent switches between threads, items are queued ahead, and many results are taken at a time.
    """

    def __init__(
        self, function: Callable[[A], B], items: Iterator[A], workers: int, weight: Callable[[A], int], window: int
    ) -> None:
        self._function, self._items, self._workers = function, items, workers
        self._weight, self._window = weight, window
        self._to_do: SimpleQueue[tuple[int, A] | None] = SimpleQueue()
        self._found: SimpleQueue[tuple[int, B | _Failed]] = SimpleQueue()
        self._waiting: dict[int, B | _Failed] = {}
        self._weights: deque[int] = deque()  # of the items read but not yet yielded
        self._no_room: list[A] = []  # the next item, if the window has no room for it
        self._read = self._finished = self._waiting_weight = 0
        self._ended = self._stopped = False

    def work(self) -> None:
        """Process items from the queue until there are no more."""
        while (taken := self._to_do.get()) is not None and not self._stopped:
            place, item = taken
            try:
                self._found.put((place, self._function(item)))
            except BaseException as error:  # it is raised again where the result would be yielded
                # Later items are not started, since nobody would read their results; all earlier ones have been
                # started.
                self._stopped = True
                self._found.put((place, _Failed(error)))

    def results(self) -> Iterator[list[B]]:
        """Yield all results in order, each time those that are ready, reading items lazily; raise the exception of a
        call in place of its result."""
        yielded = 0
        while True:
            self._read_on()
            if yielded == self._read:
                return
            place, found = self._found.get()
            while True:
                self._waiting[place] = found
                self._finished += 1
                try:
                    place, found = self._found.get_nowait()
                except Empty:
                    break
            ready = list[B]()
            while yielded in self._waiting and not isinstance(found := self._waiting[yielded], _Failed):
                del self._waiting[yielded]
                self._waiting_weight -= self._weights.popleft()
                yielded += 1
                ready.append(found)
            if ready:
                yield ready
            if isinstance(failed := self._waiting.get(yielded), _Failed):
                raise failed.error

    def _read_on(self) -> None:
        """Add items to the queue, enough for all threads, as long as their total weight is within the window."""
        while not self._ended and self._read < self._finished + max(_AHEAD, 2 * self._workers):
            try:
                item = self._no_room.pop() if self._no_room else next(self._items)
                weight = self._weight(item) + _LEAST
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._ended = True
                self._found.put((self._read, _Failed(error)))  # it follows the results of all items read before
                self._count(0)
            else:
                if self._weights and self._waiting_weight + weight > self._window:
                    self._no_room.append(item)
                    return
                self._to_do.put((self._read, item))
                self._count(weight)

    def _count(self, weight: int) -> None:
        self._weights.append(weight)
        self._waiting_weight += weight
        self._read += 1

    def stop(self) -> None:
        """Make every thread exit after its current item."""
        self._stopped = True
        for _ in range(self._workers):
            self._to_do.put(None)


class _Pool:
    """A pool of reusable threads for the calls of event loops.

    Unlike an executor's, they are daemon threads, so a program that exits does not wait for a server that hangs.
    """

    def __init__(self) -> None:
        self._to_do: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0

    def submit(self, call: Callable[[], B]) -> Future[B]:
        future: Future[B] = Future()
        self._to_do.put((future, call))
        if not self._idle.acquire(blocking=False) and self._threads < _MOST_AWAITED:
            self._threads += 1
            threading.Thread(target=self._work, name="judge", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            future, call = self._to_do.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # it is raised again when the future is awaited
                    future.set_exception(error)
            del future, call  # so that the call's objects are not kept alive until the next call
            self._idle.release()


_pools: dict[int, _Pool] = {}


async def in_thread(function: Callable[P, B], /, *args: P.args, **kwargs: P.kwargs) -> B:
    """Await a function that calls a judge, such as ``task.score``, without blocking the event loop.

    Up to 256 such calls run concurrently, in reusable threads; the judge's own ``concurrency`` limits the requests that
    are open to its server. The thread uses the judge chosen with ``use_judge``. If the awaiting task is cancelled, its
    call still runs to completion, so that a reply that was paid for gets into the cache; when the program exits, the
    call has the judge's ``grace`` for that.

    Args:
        function: The function to call.
        args: Its positional arguments; keyword arguments are passed on, too.

    Examples:
        >>> import asyncio
        >>> async def both():
        ...     return await asyncio.gather(in_thread(str.upper, "a"), in_thread(str.upper, "b"))
        >>> asyncio.run(both())
        ['A', 'B']
    """
    pool = _pools.get(os.getpid())
    if pool is None:  # threads do not survive a fork
        pool = _pools[os.getpid()] = _Pool()
    return await asyncio.wrap_future(pool.submit(functools.partial(copy_context().run, function, *args, **kwargs)))
