"""A server of a site for this machine only, which runs definitions for anyone who knows the key in its address."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Self

from scoring.diagnostics.visible import safe_line
from scoring.errors import InputError
from scoring.extensions.net.loopback import LoopbackServer
from scoring.extensions.processes.child import ChildLost, ChildProcess
from scoring.extensions.processes.workers import IdleWorkers
from scoring.extensions.site.trying import TryerSettings

MOST_BYTES = 1_000_000
"""The largest size of a request in bytes."""
SECONDS = 10.0
"""The seconds that a definition may run for one request."""
SECONDS_ALLOWED = 120.0
"""The same if definitions may ask a judge or run programs."""
MEMORY = 1_000_000_000
"""The bytes of memory that a definition may use in addition to what its process uses anyway."""
MOST_AT_ONCE = 2
"""The number of definitions that run at the same time; further requests wait."""


class SiteServer(LoopbackServer):
    """A context manager that serves the pages of a site on this machine, and runs definitions for them, while it is
    open."""

    command = "scoring site --serve"
    most_bytes = MOST_BYTES

    def __init__(self, files: Mapping[str, bytes], settings: TryerSettings, port: int = 0) -> None:
        super().__init__(files, port)
        self._settings = settings
        self._idle: IdleWorkers[ChildProcess] = IdleWorkers()
        self._running = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._closed = False

    @property
    def answers(self) -> Mapping[str, Callable[[bytes], bytes]]:
        """The one path to which pages send what is to be run."""
        return {"try": self.tried}

    def __enter__(self) -> Self:
        """Start the server, and a process that will run definitions; see `LoopbackServer`."""
        super().__enter__()
        self._idle.give(self._started())
        return self

    def __exit__(self, *exception: object) -> None:
        self._closed = True
        super().__exit__(*exception)
        self._idle.close()

    def tried(self, question: bytes) -> bytes:
        """Return the answer to a page's request to run a definition, as JSON, from a child process; an error if that
        takes too much time or memory."""
        with self._running:
            process = self._idle.take(self._started)
            try:
                process.wait_until_ready()
                process.send([question])
                seconds = SECONDS_ALLOWED if self._settings.allowed else SECONDS
                answer = str(process.answer(seconds, "no answer"))
            except (ChildLost, InputError) as lost:
                process.stop()
                return json.dumps({"findings": [{"message": safe_line(str(lost))}]}).encode()
            except BaseException:
                process.stop()
                raise
            self._idle.give(process)
            if self._closed:
                self._idle.close()
            return answer.encode("utf-8", "replace")

    def _started(self) -> ChildProcess:
        return ChildProcess("scoring.extensions.site.trying:make_answerer", self._settings, MEMORY)
