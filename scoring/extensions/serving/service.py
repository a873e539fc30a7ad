"""A running service: its socket, its event loop in a thread, and its end, which finishes what is under way."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import socket
import threading
from typing import Any, Self

from scoring.data.file_format import require
from scoring.data.os_errors import refused
from scoring.errors import InputError
from scoring.extensions.serving.app import ScoringApp
from scoring.extensions.serving.protocol import KEPT, protocol_class

_BACKLOG = 4_096
_ENDING = 20.0
"""The seconds beyond those of a row that the end of a service may take."""


class ScoringService:
    """A context manager that serves an application while it is open, from a thread of its own.

    Args:
        app: The application.
        host: The address to listen on.
        port: The port; 0 for any free one.
        connections: The most connections at a time.
        seconds: The time limit for a row.
        shares_port: Whether another process may listen on the port, too, as while one replaces the other.
    """

    def __init__(
        self, app: ScoringApp, host: str, port: int, connections: int, seconds: float, shares_port: bool
    ) -> None:
        self.app, self.host, self.port = app, host, port
        self._most, self._seconds, self._shares_port = connections, seconds, shares_port
        self._ended = threading.Event()

    @property
    def address(self) -> str:
        """The address of the service."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def __enter__(self) -> Self:
        """Start the processes, then listen.

        Raises:
            InputError: when the port can't be used, a process does not start, or what serves is not installed.
        """
        uvicorn = require("scoring serve", "uvicorn", "scoring-dsl[serve]")
        protocol = protocol_class(self._most, self.app.patience)
        routes = self.app.routes()
        listening = self._listen()
        try:
            self.app.pool.__enter__()
        except BaseException:
            listening.close()
            raise
        config = uvicorn.Config(
            routes,
            http=protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEPT,
            timeout_graceful_shutdown=int(self._seconds + self.app.patience + _ENDING),
            backlog=_BACKLOG,
        )
        self._server = uvicorn.Server(config)
        self.app.connections = lambda: len(self._server.server_state.connections)
        self._thread = threading.Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Accept nothing more, finish what is under way, and end the processes."""
        self.app.is_ending = True
        self._server.should_exit = True
        self._thread.join()
        self.app.pool.__exit__()

    def wait(self) -> None:
        """Wait until the service ends, as by a failure of its event loop."""
        self._ended.wait()

    def _listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # Where a socket does not say that it is of TCP, asyncio lets the system hold back the second half of a reply.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if hasattr(socket, "SO_REUSEPORT"):  # on Windows, another program could take the address over
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if self._shares_port:
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            found.bind((self.host, self.port))
            found.listen(_BACKLOG)
        except (OSError, AttributeError) as error:
            found.close()
            busy = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            why = refused(error) if isinstance(error, OSError) else "this system lets no two processes share one"
            hint = "; another program is listening there: name another port" if busy else ""
            raise InputError(f"can't listen on {self.host}, port {self.port}: {why}{hint}") from error
        self.port = int(found.getsockname()[1])
        return found

    def _run(self, listening: socket.socket) -> None:
        try:
            with asyncio.Runner(loop_factory=_fast_loop()) as runner:
                runner.run(self._server.serve(sockets=[listening]))
        finally:
            self._ended.set()


def _fast_loop() -> Any:
    """Return what makes an event loop: that of uvloop where it is installed; None for Python's own."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("uvloop").new_event_loop
    return None
