"""Ray as the engine of a run: each part is one task, on a local cluster or on the one at `RAY_ADDRESS`."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from scoring.data.file_format import require
from scoring.engine.remote.drive import WorkerDied


class RayWorkers:
    """The workers of a Ray cluster.

    Ray's own retries are switched off: they are without end for a task that always kills its worker, and the driver
    retries with an end.

    Args:
        count: How many parts are worked on at once; by default as many as the cluster has processors.
    """

    def __init__(self, count: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._ray = require("`--engine ray`", "ray", "scoring-dsl[ray]")
        self._own = not self._ray.is_initialized()
        if self._own:
            # Ray's log is of processes that come and go; what is lost is told by the run.
            self._ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        self.count = count or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._call = self._ray.remote(max_retries=0)(_call)
        self._held: dict[int, tuple[Any, Any]] = {}

    def submit(self, work: Callable[[Any], Any], given: Any) -> Future[Any]:
        """Call a function on the cluster."""
        found: Future[Any] = Future()

        def done(future: Future[Any]) -> None:
            error = future.exception()
            if error is None:
                found.set_result(future.result())
            elif isinstance(error, self._ray.exceptions.RayTaskError):
                found.set_exception(error.cause if getattr(error, "cause", None) is not None else error)
            else:  # the worker or its machine is gone
                found.set_exception(WorkerDied(str(error).splitlines()[0] if str(error) else type(error).__name__))

        if id(work) not in self._held:  # work goes to the cluster once, not with each part
            self._held[id(work)] = work, self._ray.put(work)
        self._call.remote(self._held[id(work)][1], given).future().add_done_callback(done)
        return found

    def close(self) -> None:
        """Leave the cluster, if it was joined here."""
        if self._own:
            self._ray.shutdown()


def _call(work: Callable[[Any], Any], given: Any) -> Any:
    return work(given)
