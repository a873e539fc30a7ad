"""Many records at once: a judge is waited for, not computed, so threads are enough."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Generic, ParamSpec, TypeVar

A = TypeVar("A")
B = TypeVar("B")
P = ParamSpec("P")

# How much may wait for an earlier item that is slow, and what an item weighs at least.
WINDOW = 64 << 20
_LEAST = 1024
_MOST_AWAITED = 256


def in_threads(
    function: Callable[[A], B],
    items: Iterable[A],
    workers: int,
    *,
    weight: Callable[[A], int] = lambda _: 0,
    window: int = WINDOW,
) -> Iterator[B]:
    """The results of a function that waits, in the order of the items, with several calls under way.

    Items are read as threads come free. An item that is slow holds up no other: what is done waits for its turn, as
    long as all that was read and not yet given out weighs no more than the window. The judge chosen with
    ``use_judge`` is the threads', and whoever stops early, by Ctrl-C say, does not wait for calls that nobody will
    read.

    Args:
        function: Called with each item; what it raises is raised in its place, and ends all.
        items: Read one at a time, by the threads.
        workers: How many threads.
        weight: About how many bytes an item takes with its result.
        window: How many bytes may be under way or wait for their turn; one item is always under way.

    Examples:
        >>> list(in_threads(str.upper, ["a", "b", "c"], workers=2))
        ['A', 'B', 'C']
    """
    crew = _Crew(function, items, weight, window)
    for _ in range(workers):
        # Daemons, so that a run that is left halfway does not keep the interpreter from ending.
        threading.Thread(target=copy_context().run, args=(crew.work,), name="judge", daemon=True).start()
    try:
        while ready := crew.ready():
            for result, error in ready:
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
    """What the threads share: the items, and results by their place until it is their turn."""

    def __init__(self, function: Callable[[A], B], items: Iterable[A], weight: Callable[[A], int], window: int) -> None:
        self._function, self._items, self._weight, self._window = function, iter(items), weight, window
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._turn = threading.Condition(self._lock)
        self._reading = threading.Lock()
        self._done: dict[int, tuple[B | None, BaseException | None]] = {}
        self._weights: dict[int, int] = {}
        self._read = self._given = self._held = 0
        self._ended = False

    def work(self) -> None:
        while (taken := self._take()) is not None:
            place, item = taken
            try:
                self._put(place, (self._function(item), None))
            except BaseException as error:  # it is raised again where the result would be given out
                self._put(place, (None, error))

    def _take(self) -> tuple[int, A] | None:
        with self._reading:  # one thread reads, so that places follow the order of the items
            if self._ended:
                return None
            try:
                item = next(self._items)
            except StopIteration:
                self.stop()
                return None
            except BaseException as error:
                self._put(self._place(0), (None, error))
                self.stop()
                return None
            weight = self._weight(item) + _LEAST
            with self._lock:
                self._room.wait_for(lambda: self._held + weight <= self._window or not self._held or self._ended)
                return None if self._ended else (self._place(weight), item)

    def _place(self, weight: int) -> int:
        place, self._read = self._read, self._read + 1
        self._weights[place] = weight
        self._held += weight
        return place

    def _put(self, place: int, found: tuple[B | None, BaseException | None]) -> None:
        with self._lock:
            self._done[place] = found
            if place == self._given:
                self._turn.notify()

    def ready(self) -> list[tuple[B | None, BaseException | None]]:
        """The results whose turn it is, one at least; none at the end."""
        with self._lock:
            self._turn.wait_for(lambda: self._given in self._done or (self._ended and self._given == self._read))
            found = []
            while self._given in self._done:
                found.append(self._done.pop(self._given))
                self._held -= self._weights.pop(self._given)
                self._given += 1
            self._room.notify()
            return found

    def stop(self) -> None:
        """Take no further item."""
        with self._lock:
            self._ended = True
            self._turn.notify()
            self._room.notify()


_pools: dict[int, ThreadPoolExecutor] = {}


async def in_thread(function: Callable[P, B], /, *args: P.args, **kwargs: P.kwargs) -> B:
    """Await a function that asks a judge, such as ``task.score``; the event loop goes on meanwhile.

    Up to 256 such calls are under way at once, in threads that are kept; the judge's own ``concurrency`` bounds what
    is open to its server. The judge chosen with ``use_judge`` is the thread's. Whoever is cancelled leaves a call that
    goes on to its end, so that what is paid for comes into the cache.

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
        pool = _pools[os.getpid()] = ThreadPoolExecutor(_MOST_AWAITED, thread_name_prefix="judge")
    call = functools.partial(copy_context().run, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(pool, call)
