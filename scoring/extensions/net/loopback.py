"""A server of pages for this machine only, which answers the questions of its own pages to whoever knows the key.

All pages are kept in memory, so no path gives access to a file. The address contains a key that can't be guessed by a
web page, from which a browser could be made to send requests, nor by another user of the machine.
"""

from __future__ import annotations

import contextlib
import errno
import hmac
import http.server
import secrets
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from scoring.data.os_errors import refused
from scoring.errors import InputError

MOST_CONNECTIONS = 64
"""The most open connections; for a further one, the longest idle one is closed."""
PATIENCE = 15.0
"""The seconds in which a request must be complete, however slowly its bytes arrive."""
SERVED_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""Allows a page its server's own files and answers, and nothing else."""
_GIVING_WAY = 2.0
"""The seconds that a new connection waits for one that was closed to end."""
_HOST = "127.0.0.1"
_KINDS = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
_HEADERS = {
    "Content-Security-Policy": SERVED_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class LoopbackServer(ABC):
    """A context manager that serves pages on this machine, and answers their questions, while it is open.

    Args:
        files: The content of each page by its path.
        port: The port; 0 for any free one.
    """

    command: ClassVar[str]
    """The command that prints the address, for whoever comes without the key."""
    most_bytes: ClassVar[int]
    """The largest size of a question in bytes."""

    def __init__(self, files: Mapping[str, bytes], port: int = 0) -> None:
        self.files, self.key = files, secrets.token_urlsafe(24)
        self.port = port

    @property
    @abstractmethod
    def answers(self) -> Mapping[str, Callable[[bytes], bytes]]:
        """The function that answers the questions sent to each path; it gives JSON."""

    @property
    def address(self) -> str:
        """The address of the first page; whoever knows it can ask all that pages ask."""
        return f"http://{_HOST}:{self.port}/{self.key}/index.html"

    @property
    def hosts(self) -> tuple[str, str]:
        """The host names, with port, by which a browser on this machine may address the server."""
        return f"{_HOST}:{self.port}", f"localhost:{self.port}"

    def __enter__(self) -> Self:
        """Start the server, and return it.

        Raises:
            InputError: when the server can't listen on the port.
        """
        try:
            self._server = _Server((_HOST, self.port), _Handler)
        except OSError as error:
            busy = error.errno == errno.EADDRINUSE
            hint = "; another program is listening there: name another port, or none" if busy else ""
            raise InputError(f"can't listen on port {self.port}: {refused(error)}{hint}") from error
        self._server.site = self
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait(self) -> None:
        """Wait until the server ends, or the process is interrupted, as by Ctrl-C."""
        self._thread.join()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = MOST_CONNECTIONS
    site: LoopbackServer

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._silent: dict[int, Any] = {}  # connections that have not presented the key yet, oldest first
        self._changing = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection in a thread of its own; if there are too many, first close the oldest one that has not
        presented the key, or else refuse it."""
        if not self._open.acquire(blocking=False) and not (self._end_one() and self._open.acquire(timeout=_GIVING_WAY)):
            self.shutdown_request(request)
            return
        with self._changing:
            self._silent[id(request)] = request
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a connection as the base class does, and then allow another one in its place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.heard(request)
            self._open.release()

    def heard(self, request: Any) -> None:
        """Record that the connection `request` presented the key or has ended, so that it is not closed to make room
        for others."""
        with self._changing:
            self._silent.pop(id(request), None)

    def _end_one(self) -> bool:
        """Close the oldest connection that has not presented the key; return False if there is none."""
        with self._changing:
            oldest = next(iter(self._silent), None)
            if oldest is not None:
                with contextlib.suppress(OSError):
                    self._silent.pop(oldest).shutdown(socket.SHUT_RDWR)
        return oldest is not None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors such as a closed connection; nothing about a request may be printed."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server
    server_version = "scoring"
    sys_version = ""
    timeout = PATIENCE

    def setup(self) -> None:
        """Prepare a connection as the base class does, and start the timer after which no more input is read."""
        super().setup()
        self._late = threading.Timer(PATIENCE, self._hear_no_more)
        self._late.daemon = True
        self._late.start()

    def finish(self) -> None:
        """Stop the timer, and finish the connection as the base class does."""
        self._late.cancel()
        super().finish()

    def _hear_no_more(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def do_GET(self) -> None:
        """Send the page at the requested path, or an error."""
        path = self._path()
        if path is None:
            return
        content = self.server.site.files.get(path or "index.html")
        if content is None:
            self._refuse(404, "there is no such page")
        else:
            self._give(200, content, _KINDS.get(path.rpartition(".")[2], _KINDS["html"]))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Send the answer to a page's question as JSON; send an error if the question is not a page's."""
        path = self._path()
        if path is None:
            return
        answer = self.server.site.answers.get(path)
        if answer is None:
            self._refuse(404, "no requests are accepted there")
            return
        size = self.headers.get("Content-Length", "")
        if not self._is_own_page():
            self._refuse(403, "only pages of this server may send requests")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(415, "a request is JSON")
        elif not (size.isascii() and size.isdigit() and len(size) < 12) or "Transfer-Encoding" in self.headers:
            self._refuse(411, "a request states its length")
        elif int(size) > self.server.site.most_bytes:
            self._refuse(413, f"a request has at most {self.server.site.most_bytes:,} bytes")
        else:
            question = self.rfile.read(int(size))
            if len(question) == int(size):
                self._give(200, answer(question), "application/json")

    def _is_own_page(self) -> bool:
        """Return True if the request was sent by a page of this server, according to the browser's headers."""
        ours = [f"http://{host}" for host in self.server.site.hosts]
        return self.headers.get("Origin") in ours and self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"

    def _path(self) -> str | None:
        """Return the requested path within the server; None, after an error was sent, if the request lacks the key or
        names another host."""
        site = self.server.site
        if self.headers.get("Host", "") not in site.hosts:
            self._refuse(421, "this server does not have that name")
            return None
        key, _, path = self.path.partition("?")[0].lstrip("/").partition("/")
        if not hmac.compare_digest(key.encode("utf-8", "replace"), site.key.encode()):
            self._refuse(404, f"nothing is here; open the address that `{site.command}` printed")
            return None
        self.server.heard(self.connection)
        return path

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self._give(status, f"{why}\n".encode(), "text/plain; charset=utf-8")

    def _give(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Print nothing, because the address contains the key."""

    def log_error(self, *args: object) -> None:
        """Print nothing, because the address contains the key."""
