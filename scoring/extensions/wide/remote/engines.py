"""The engines that a run can use besides this machine's own processes, by name.

On Ray each part is a task, on a local cluster or on the one at `RAY_ADDRESS`; on Spark it is a job of one task, so
that a failure affects only that part.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from typing import Any, TypeVar

from scoring.data.file_format import require
from scoring.data.slice import Slice
from scoring.engine.road.drive import Driver, WorkerDied, Workers
from scoring.errors import InputError
from scoring.extensions.wide.cutting import with_line_counts


class SparkWorkers:
    """The workers of a Spark session: of the active session or, if there is none, of a new one, which runs on this
    machine unless Spark is configured otherwise."""

    def __init__(self, count: int | None = None) -> None:
        require("`--engine spark`", "pyspark", "scoring-dsl[spark]")
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        self._own = active is None
        try:
            self._session = active or _session(SparkSession.builder)
        except Exception as error:  # of Java's classes, or of no class of its own
            advice = "look whether Java is installed (Spark needs it) and how Spark is configured"
            raise _cannot("Spark", "start", error, f"{advice}, or leave out `--engine spark`") from error
        self._context = self._session.sparkContext
        self.count = count or max(1, int(self._context.defaultParallelism))
        # Starting a job blocks until it ends, so each part in progress has a waiting thread.
        self._threads = ThreadPoolExecutor(2 * self.count, thread_name_prefix="spark-part")

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Start a call of `work` with the argument `given` on the cluster, and return the future of its result."""
        return self._threads.submit(self._job, work, given)

    def _job(self, work: Callable[[Any], Any], given: Any) -> Any:
        try:
            (failed, found), *_ = self._context.parallelize([given], 1).map(lambda one: _tried(work, one)).collect()
        except Exception as error:  # raised by Java for a task that failed all of Spark's retries
            message = str(error)
            if "PythonException" not in message:
                raise WorkerDied(message.partition("\n")[0]) from error
            lines = [line for line in message.splitlines() if line and not line[0].isspace()]
            why = next((line for line in lines if "Error: " in line and "PythonException" not in line), lines[0])
            raise InputError(f"Spark's workers can't score: {why}; scoring must be installed where they run") from error
        if failed:
            raise found
        return found

    def close(self) -> None:
        """Stop the Spark session, if this object started it."""
        self._threads.shutdown()
        if not self._own:
            return
        gateway: Any = self._context._gateway
        self._session.stop()
        # Spark keeps its Java process until this one ends; a run must leave no process behind.
        gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            process.wait()
        type(self._context)._gateway = type(self._context)._jvm = None


def _session(builder: Any) -> Any:
    """Return a new Spark session from a session builder, with logging turned off."""
    # Failures are reported by the run itself.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.appName("scoring").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _cannot(engine: str, what: str, error: Exception, advice: str) -> InputError:
    """Return the error for an engine that does not start, with the first line of what it said."""
    said = next(iter(str(error).strip().splitlines()), type(error).__name__).removesuffix(".")
    return InputError(f"{engine} can't {what}: {said}; {advice}")


def _tried(work: Callable[[Any], Any], given: Any) -> tuple[bool, Any]:
    """Call `work` with the argument `given`; return False and its result or, if it raises an exception, True and the
    exception, so that Spark doesn't repeat the call."""
    try:
        return False, work(given)
    except Exception as error:
        return True, error


class RayWorkers:
    """The workers of a Ray cluster: of the connected one or, if there is none, of one that is joined or started."""

    def __init__(self, count: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._ray = require("`--engine ray`", "ray", "scoring-dsl[ray]")
        self._own = not self._ray.is_initialized()
        if self._own:
            self._connect()
        self.count = count or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        # Ray's own retries would never end for a task that always kills its worker; the driver retries a few times.
        self._call = self._ray.remote(max_retries=0)(_call)
        self._sent: dict[int, tuple[Any, Any]] = {}

    def _connect(self) -> None:
        address = os.environ.get("RAY_ADDRESS")
        try:
            # Ray's log is about starting and ending processes; lost work is reported by the run.
            self._ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        except Exception as error:  # of no class of its own, where a process of Ray times out
            self._ray.shutdown()
            what = f"be joined at RAY_ADDRESS={address}" if address else "start"
            advice = "try again when processors and memory are free, name a running cluster by RAY_ADDRESS"
            if address:
                advice = "look whether that cluster runs, or unset RAY_ADDRESS"
            raise _cannot("Ray", what, error, f"{advice}, or leave out `--engine ray`") from error

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Start a call of `work` with the argument `given` on the cluster, and return the future of its result."""
        found: Future[Any] = Future()

        def done(future: Future[Any]) -> None:
            error = future.exception()
            if error is None:
                found.set_result(future.result())
            elif isinstance(error, self._ray.exceptions.RayTaskError):
                found.set_exception(error.cause if getattr(error, "cause", None) is not None else error)
            else:  # the worker or its machine is gone
                found.set_exception(WorkerDied(str(error).splitlines()[0] if str(error) else type(error).__name__))

        if id(work) not in self._sent:  # the function is sent to the cluster once, not with each part
            self._sent[id(work)] = work, self._ray.put(work)
        self._call.remote(self._sent[id(work)][1], given).future().add_done_callback(done)
        return found

    def close(self) -> None:
        """Disconnect from the Ray cluster, if this object connected to it."""
        if self._own:
            self._ray.shutdown()


def _call(work: Callable[[Any], Any], given: Any) -> Any:
    return work(given)


ENGINES: Mapping[str, type[RayWorkers | SparkWorkers]] = {"ray": RayWorkers, "spark": SparkWorkers}

R = TypeVar("R")


def workers_of(engine: str, count: int | None = None) -> AbstractContextManager[Workers]:
    """Return the workers of an engine (``ray`` or ``spark``) as a context manager, which closes them at the end.

    Args:
        engine: The name of the engine.
        count: The number of workers; by default as many as there is room for.

    Raises:
        InputError: when there is no such engine, or its library is missing.
    """
    if engine not in ENGINES:
        raise InputError(f"there is no engine `{engine}`; the engines are local, {', '.join(ENGINES)}")
    return closing(ENGINES[engine](count))


def counted_by(workers: Workers, parts: Sequence[Slice]) -> list[Slice]:
    """Return the parts, each with the number of lines before it in its file; lines of remote files are counted by the
    workers.

    Raises:
        InputError: when a worker dies while counting the lines of a part.
    """

    def lost(part: Slice) -> Any:
        raise InputError(f"can't read {part.label or 'a part of the data'}: every process that reads it dies")

    def everywhere(work: Callable[[Slice], int], slices: Sequence[Slice]) -> list[int]:
        driver: Driver[Slice, int] = Driver(workers, work, lambda _: (), lost, int.__add__)
        return [count for _, count in sorted(driver.results(slices))]

    return with_line_counts(parts, everywhere)
