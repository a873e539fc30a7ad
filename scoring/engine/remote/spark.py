"""Spark as the engine of a run: each part is a job of one task, so that a failure is that of its part and no other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from scoring.data.file_format import require
from scoring.data.rows.row import InputError
from scoring.engine.remote.drive import WorkerDied


class SparkWorkers:
    """The workers of a Spark session: the active one, or a new one, local unless Spark is configured otherwise.

    Args:
        count: How many parts are worked on at once; by default Spark's own default.
    """

    def __init__(self, count: int | None = None) -> None:
        require("`--engine spark`", "pyspark", "scoring-dsl[spark]")
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        self._own = active is None
        self._session = active or _session(SparkSession.builder)
        self._context = self._session.sparkContext
        self.count = count or max(1, int(self._context.defaultParallelism))
        # A job blocks whoever starts it, so each part that is under way has a thread that waits.
        self._threads = ThreadPoolExecutor(2 * self.count, thread_name_prefix="spark-part")

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Call a function on the cluster."""
        return self._threads.submit(self._job, work, given)

    def _job(self, work: Callable[[Any], Any], given: Any) -> Any:
        try:
            (failed, found), *_ = self._context.parallelize([given], 1).map(lambda one: _tried(work, one)).collect()
        except Exception as error:  # Java's, of a task that failed as often as Spark tries it
            told = str(error)
            if "PythonException" not in told:
                raise WorkerDied(told.partition("\n")[0]) from error
            lines = [line for line in told.splitlines() if line and not line[0].isspace()]
            why = next((line for line in lines if "Error: " in line and "PythonException" not in line), lines[0])
            raise InputError(f"Spark's workers can't score: {why}; scoring must be installed where they run") from error
        if failed:
            raise found
        return found

    def close(self) -> None:
        """Stop the session, if it was started here."""
        self._threads.shutdown()
        if not self._own:
            return
        gateway: Any = self._context._gateway
        self._session.stop()
        # Spark leaves its Java process to the end of this one; a run leaves nothing behind.
        gateway.shutdown()
        process = getattr(gateway, "proc", None)
        if process is not None:
            process.stdin.close()
            process.wait()
        type(self._context)._gateway = type(self._context)._jvm = None


def _session(builder: Any) -> Any:
    """A session of our own; what dies in it is told by the run, so its log is silent."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.appName("scoring").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _tried(work: Callable[[Any], Any], given: Any) -> tuple[bool, Any]:
    """What came of a call; an exception is a value, so that Spark does not take it for a dead worker."""
    try:
        return False, work(given)
    except Exception as error:
        return True, error
