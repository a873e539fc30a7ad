"""The pool keeps order and loses nothing, even when its workers are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scoring.engine.road.drive import WorkerDied
from scoring.engine.road.pool import LocalWorkers, in_processes
from tests.support.waiting import PATIENCE


def double(items: Sequence[int]) -> list[int]:
    return [item * 2 for item in items]


def parts(count: int, size: int = 3) -> Iterator[list[int]]:
    for start in range(0, count, size):
        yield list(range(start, min(start + size, count)))


def pooled(work: Callable[[Any], list[Any]], jobs: Iterable[Any], processes: int) -> Iterator[list[Any]]:
    lost: Callable[[Any], list[Any]] = lambda items: [-1]  # noqa: E731  # one that can't be pickled, as may be
    return in_processes(work, jobs, lost=lost, apart=halves, processes=processes)


def halves(items: Sequence[int]) -> list[Sequence[int]]:
    middle = len(items) // 2
    return [items[:middle], items[middle:]] if middle else []


def flat(results: Iterator[list[int]]) -> list[int]:
    return [result for part in results for result in part]


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_order(processes: int) -> None:
    def slow(items: Sequence[int]) -> list[int]:
        time.sleep(random.random() * 0.01)
        return double(items)

    assert flat(pooled(slow, parts(50), processes)) == [2 * n for n in range(50)]


def test_work_that_travels_runs_in_processes_that_share_nothing() -> None:
    """Given a thread beside ours, with which forking would be no safe way."""
    threading.Thread(target=time.sleep, args=(0.2,)).start()
    assert flat(pooled(double, parts(50), 2)) == [2 * n for n in range(50)]


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """Given a run that is killed outright, then no process of its pool stays behind."""
    names = tmp_path / "pids"
    code = (
        "import os, time\n"
        "from scoring.engine.road.pool import in_processes\n"
        "def slow(items):\n"
        f"    open({str(names)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    list(in_processes(slow, [[1], [2]], lost=slow, apart=lambda job: [], processes=2))\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    run = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": os.getcwd()})
    wait_until(lambda: names.exists() and len(names.read_text().split()) == 2)
    run.kill()
    run.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in names.read_text().split()))


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it never came to that")


def test_no_parts_no_results() -> None:
    assert flat(pooled(double, iter([]), 2)) == []


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    """Given a worker that is killed once in the middle, then its part is done by another."""
    marker = tmp_path / "killed"

    def once(items: Sequence[int]) -> list[int]:
        if 20 in items and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return double(items)

    assert flat(pooled(once, parts(40), 2)) == [2 * n for n in range(40)]
    assert marker.exists()


@pytest.mark.parametrize("size", [1, 8])
def test_only_the_item_that_kills_its_process_is_lost(size: int) -> None:
    """Those that waited in the same process are not lost with it, however few there are in a part."""

    def deadly(items: Sequence[int]) -> list[int]:
        if 20 in items:
            time.sleep(0.1)  # until another part waits for this process
            os._exit(9)
        return double(items)

    expected = [-1 if n == 20 else 2 * n for n in range(40)]
    assert flat(pooled(deadly, parts(40, size), 2)) == expected
    assert flat(pooled(deadly, parts(40, size), 1)) == expected


CUT_SHORT = """
import os, sys, time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from scoring.engine.road.pool import LocalWorkers, in_processes

def half(end):
    def send(connection, content):
        os.write(connection.fileno(), bytes(content)[: len(content) // 2])
        end()
    Connection._send = send

def dying(items):
    if 2 in items:
        half(lambda: os._exit(9))
    return items

def waiting(marker):
    half(lambda: (Path(marker).touch(), time.sleep(600)))
    return 1

if sys.argv[1] == "dying":
    print(*in_processes(dying, [[1], [2], [3]], lost=lambda items: ["lost"], apart=lambda items: [], processes=1))
else:
    with closing(LocalWorkers(waiting, 1)) as workers:
        workers.submit(waiting, sys.argv[1])
        while not Path(sys.argv[1]).exists():
            time.sleep(0.01)
    print("closed")
"""


def cut_short(argument: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", CUT_SHORT, argument]
    return subprocess.run(command, env=environment, timeout=PATIENCE, capture_output=True, text=True).stdout.strip()


def test_a_worker_that_dies_while_it_tells_its_result_is_noticed() -> None:
    assert cut_short("dying") == "[1] ['lost'] [3]"


def test_workers_end_when_they_are_told_to_while_one_tells_its_result(tmp_path: Path) -> None:
    assert cut_short(str(tmp_path / "half")) == "closed"


def test_a_part_that_waited_in_a_process_that_died_is_told_apart() -> None:
    def deadly(item: int) -> int:
        time.sleep(0.1)
        os._exit(9)

    with closing(LocalWorkers(deadly, 1)) as workers:
        found = [workers.submit(deadly, item).exception for item in range(2)]
        errors = [exception(PATIENCE) for exception in found]
    assert [isinstance(error, WorkerDied) and error.began for error in errors] == [True, False]


def test_a_fault_of_the_program_is_raised() -> None:
    def broken(items: Sequence[int]) -> list[int]:
        raise LookupError("a bug")

    with pytest.raises(LookupError, match="a bug"):
        flat(pooled(broken, parts(4), 2))


def test_large_messages_both_ways() -> None:
    def echo(items: Sequence[str]) -> list[str]:
        return list(items)

    big = [["x" * 1_000_000] for _ in range(12)]
    assert list(pooled(echo, iter(big), 2)) == big


def test_workers_end_with_the_pool() -> None:
    import multiprocessing

    results = pooled(double, parts(1000), 2)
    assert isinstance(results, Generator)
    next(results)
    results.close()
    assert multiprocessing.active_children() == []
