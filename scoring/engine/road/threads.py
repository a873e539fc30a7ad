"""Many records at once: a judge is waited for, not computed, so threads are enough."""

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
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

A = TypeVar("A")
B = TypeVar("B")
P = ParamSpec("P")
Ended: TypeAlias = tuple[B | None, BaseException | None]

# How much may wait for an earlier item that is slow, and what an item weighs at least.
WINDOW = 64 << 20
_LEAST = 1024
# How many items are read ahead at least, so that threads need not wait for them.
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
    """Yield the results of a function that waits, in the order of the items, with several calls under way.

    Items are read a little ahead of the threads. One that is slow holds up no other: what is done waits for its turn,
    as long as all that was read and not yet given out weighs no more than the window. The judge chosen with
    ``use_judge`` is the threads', and whoever stops early, by Ctrl-C say, does not wait for calls that nobody reads.

    Args:
        function: Called with each item; what it raises is raised in its place, and ends all.
        items: Read as they are needed.
        workers: How many threads.
        weight: About how many bytes an item takes with its result.
        window: How many bytes may be under way or wait for their turn; one item is always under way.

    Examples:
        >>> list(in_threads(str.upper, ["a", "b", "c"], workers=2))
        ['A', 'B', 'C']
    """
    crew = _Crew(function, iter(items), workers, weight, window)
    for _ in range(workers):
        # Daemons, so that a run that is left halfway does not keep the interpreter from ending.
        threading.Thread(target=copy_context().run, args=(crew.work,), name="judge", daemon=True).start()
    try:
        for result, error in crew.results():
            if error is not None:
                raise error
            yield result  # type: ignore[misc]  # there is a result where there is no error
    finally:
        crew.stop()


def weight_of(data: Any) -> int:
    """About how many bytes plain data takes, with a result and a line of text that hold as much again.

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


class _Crew(Generic[A, B]):
    """The threads, their input, and results that wait for their turn.

    A thread that wakes another one or waits for it costs more than what both do for a record. So items wait for the
    threads in a queue that is not empty for long, and whoever reads them takes many results at a time.
    """

    def __init__(
        self, function: Callable[[A], B], items: Iterator[A], workers: int, weight: Callable[[A], int], window: int
    ) -> None:
        self._function, self._items, self._workers = function, items, workers
        self._weight, self._window = weight, window
        self._to_do: SimpleQueue[tuple[int, A] | None] = SimpleQueue()
        self._found: SimpleQueue[tuple[int, Ended[B]]] = SimpleQueue()
        self._waiting: dict[int, Ended[B]] = {}
        self._weights: deque[int] = deque()  # of what was read and not yet given out
        self._no_room: list[A] = []  # the item that comes next, where there is no room for it
        self._read = self._finished = self._held = 0
        self._ended = self._stopped = False

    def work(self) -> None:
        """Take work and do it until there is none."""
        while (taken := self._to_do.get()) is not None and not self._stopped:
            place, item = taken
            try:
                self._found.put((place, (self._function(item), None)))
            except BaseException as error:  # it is raised again where the result would be given out
                # No later item is begun, which nobody would read; all earlier ones are under way.
                self._stopped = True
                self._found.put((place, (None, error)))

    def results(self) -> Iterator[Ended[B]]:
        """Yield all results in order; items are read as they are needed."""
        given = 0
        while True:
            self._read_on()
            if given == self._read:
                return
            place, found = self._found.get()
            while True:
                self._waiting[place] = found
                self._finished += 1
                try:
                    place, found = self._found.get_nowait()
                except Empty:
                    break
            while given in self._waiting:
                self._held -= self._weights.popleft()
                given += 1
                yield self._waiting.pop(given - 1)

    def _read_on(self) -> None:
        """Read enough items that no thread finds the queue empty, within the window."""
        while not self._ended and self._read < self._finished + max(_AHEAD, 2 * self._workers):
            try:
                item = self._no_room.pop() if self._no_room else next(self._items)
                weight = self._weight(item) + _LEAST
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._ended = True
                self._found.put((self._read, (None, error)))  # it comes after the results of what was read before
                self._count(0)
            else:
                if self._weights and self._held + weight > self._window:
                    self._no_room.append(item)
                    return
                self._to_do.put((self._read, item))
                self._count(weight)

    def _count(self, weight: int) -> None:
        self._weights.append(weight)
        self._held += weight
        self._read += 1

    def stop(self) -> None:
        """Let every thread end after its current item."""
        self._stopped = True
        for _ in range(self._workers):
            self._to_do.put(None)


class _Pool:
    """Threads that are kept for the calls of event loops.

    Daemons, unlike those of an executor: a program that ends does not wait for a server that hangs.
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
                except BaseException as error:  # it is raised again where it is awaited
                    future.set_exception(error)
            del future, call  # nothing of a call is held until the next one comes
            self._idle.release()


_pools: dict[int, _Pool] = {}


async def in_thread(function: Callable[P, B], /, *args: P.args, **kwargs: P.kwargs) -> B:
    """Await a function that asks a judge, such as ``task.score``, in a thread.

    Up to 256 such calls are under way at once, in threads that are kept; the judge's own ``concurrency`` bounds what
    is open to its server. The judge chosen with ``use_judge`` is the thread's. Whoever is cancelled leaves a call that
    goes on to its end, so that what is paid for comes into the cache; when the program ends, it has the judge's
    ``grace`` for that.

    Args:
        function: What waits.
        args: Its arguments; keywords, too.

    Examples:
        >>> import asyncio
        >>> async def both():
        ...     return await asyncio.gather(in_thread(str.upper, "a"), in_thread(str.upper, "b"))
        >>> asyncio.run(both())
        ['A', 'B']
    """
    pool = _pools.get(os.getpid())
    if pool is None:  # threads do not come through a fork
        pool = _pools[os.getpid()] = _Pool()
    return await asyncio.wrap_future(pool.submit(functools.partial(copy_context().run, function, *args, **kwargs)))
