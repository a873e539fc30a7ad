"""The engines that a run may go to beside this machine's own processes, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from scoring.data.cut import counted
from scoring.data.rows.row import InputError
from scoring.data.slice import Slice
from scoring.engine.remote.drive import Driver, Workers

ENGINES = {"ray": ("scoring.engine.remote.ray", "RayWorkers"), "spark": ("scoring.engine.remote.spark", "SparkWorkers")}

R = TypeVar("R")


@contextmanager
def workers_of(engine: str, count: int | None = None) -> Iterator[Workers]:
    """The workers of an engine, which is left again at the end.

    Args:
        engine: Its name.
        count: How many parts are worked on at once; by default as many as the engine has room for.

    Raises:
        InputError: when there is no such engine, or its library is missing.
    """
    if engine not in ENGINES:
        raise InputError(f"there is no engine `{engine}`; there are local, {', '.join(ENGINES)}")
    module, name = ENGINES[engine]
    workers = getattr(import_module(module), name)(count)
    try:
        yield workers
    finally:
        workers.close()


def counted_by(workers: Workers, parts: Sequence[Slice]) -> list[Slice]:
    """The parts with the number of lines before each; those of far files are counted where they will be scored.

    Raises:
        InputError: when whoever counts the lines of a part dies.
    """

    def lost(part: Slice) -> Any:
        raise InputError(f"can't read {part.label or 'a part of the data'}: whoever reads it dies")

    def everywhere(work: Callable[[Slice], int], given: Sequence[Slice]) -> list[int]:
        driver: Driver[Slice, int] = Driver(workers, work, lambda _: (), lost, int.__add__)
        return [count for _, count in sorted(driver.results(given))]

    return counted(parts, everywhere)
