"""Many records at once: in order, none held up by a slow one, within bounds, from threads and from an event loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from scoring.extensions.processes.threads import in_threads, ready_in_threads
from tests.support.waiting import PATIENCE


def test_results_come_in_the_order_of_the_items() -> None:
    assert list(in_threads(lambda n: n * n, range(500), 7)) == [n * n for n in range(500)]
    assert list(in_threads(str, [], 3)) == []


def test_a_slow_item_holds_up_no_other() -> None:
    others = threading.Semaphore(0)

    def function(number: int) -> int:
        if number == 0:  # it ends after all others
            assert all(others.acquire(timeout=PATIENCE) for _ in range(999))
        else:
            others.release()
        return number

    assert list(in_threads(function, range(1_000), 2)) == list(range(1_000))


def test_what_waits_for_its_turn_is_bounded_by_its_weight() -> None:
    begun, full = [], threading.Event()

    def items() -> Iterator[int]:
        for number in range(50):
            if number == 10:  # one is read ahead, and finds no room
                full.set()
            yield number

    def function(number: int) -> int:
        begun.append(number)
        if number == 0:
            assert full.wait(PATIENCE)
            assert max(begun) <= 9
        return number

    found = in_threads(function, items(), 2, weight=lambda _: 100_000, window=10 * 102_000)
    assert next(found) == 0
    assert list(found) == list(range(1, 50))


def test_an_item_heavier_than_the_window_is_worked_on_all_the_same() -> None:
    assert list(in_threads(str, range(5), 2, weight=lambda _: 9_999_999, window=1)) == list("01234")


@pytest.mark.parametrize("workers", [1, 4])
def test_an_error_is_raised_where_its_result_would_stand(workers: int) -> None:
    found = in_threads(lambda n: 6 // (3 - n), range(9), workers)
    assert [next(found) for _ in range(3)] == [2, 3, 6]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_an_error_of_the_items_comes_after_what_was_read() -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise OSError("the disk is gone")

    found = in_threads(str, items(), 4)
    assert [next(found) for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(OSError, match="gone"):
        next(found)


def test_ctrl_c_while_items_are_read_waits_for_nothing() -> None:
    over = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    found = in_threads(lambda _: over.wait(PATIENCE), items(), 1)
    with pytest.raises(KeyboardInterrupt):
        next(found)
    assert not over.is_set()
    over.set()


def test_whoever_stops_early_starts_no_further_item() -> None:
    begun: list[int] = []
    found = in_threads(lambda n: begun.append(n), range(10**9), 3, window=20_000)
    next(found)
    found.close()  # type: ignore[attr-defined]  # it is a generator
    seen = len(begun)
    assert seen <= 30


def test_results_that_are_ready_come_together() -> None:
    """The first call ends last, so that what follows it has been there for some time."""
    last = threading.Event()

    def call(n: int) -> int:
        if n == 0:
            last.wait(PATIENCE)
        elif n == 9:
            last.set()
        return n

    found = list(ready_in_threads(call, range(10), 2))
    assert [one for ready in found for one in ready] == list(range(10))
    assert max(map(len, found)) >= 9  # at most the tenth came later
