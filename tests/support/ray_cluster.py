"""One cluster of Ray for all tests of a module: few processes, started once, with time for a machine that is busy."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from unittest.mock import patch

STARTS = 5
"""How often a start is tried: Ray gives its processes 30 s, which no setting changes, and a busy machine needs more."""
TIMED_OUT = "timed out during startup"
"""What Ray then says."""


@contextmanager
def ray_cluster() -> Iterator[None]:
    """Connect this process to a new cluster of two processors, which programs that are started meanwhile join, too."""
    with patch.dict(os.environ, {"RAY_USAGE_STATS_ENABLED": "0"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray = import_module("ray")
        for left in reversed(range(STARTS)):
            try:
                context = ray.init(
                    address="local",
                    num_cpus=2,
                    object_store_memory=100_000_000,
                    include_dashboard=False,
                    log_to_driver=False,
                    configure_logging=False,
                )
                break
            except Exception as error:  # of no class of its own
                _end_what_started(error)
                if not left or TIMED_OUT not in str(error):
                    raise
        with patch.dict(os.environ, {"RAY_ADDRESS": context.address_info["gcs_address"]}):
            yield
        ray.shutdown()


def _end_what_started(error: Exception) -> None:
    """End the processes of a node that failed to start, which Ray itself ends only with this process."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    node = frame.f_locals.get("self")
    if node is not None and hasattr(node, "kill_all_processes"):
        node.kill_all_processes(check_alive=False, allow_graceful=False)
