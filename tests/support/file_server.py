"""A server of files on a loopback address, which can want a password, send elsewhere, lie and never end."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Handler = Callable[[BaseHTTPRequestHandler], object]


class FileServer:
    """What it has may change at any time.

    Attributes:
        files: The content at each path; or what answers there.
        asked: The paths that were asked for.
        anywhere: What answers where there is no file.
        login: The name and password that it wants, as ``name:password``; none by default.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes | Handler] = {}
        self.asked: list[str] = []
        self.login = ""
        self.anywhere: Handler | None = None
        self.url = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        wanted = "Basic " + base64.b64encode(self.login.encode()).decode()
        if self.login and request.headers.get("Authorization") != wanted:
            say(request, 401, b"who are you?", {"WWW-Authenticate": 'Basic realm="x"'})
            return
        found = self.files.get(request.path.partition("?")[0], self.anywhere)
        if callable(found):
            found(request)
        elif found is None:
            say(request, 404, b"")
        else:
            say(request, 200, found)


def say(request: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    """Answer with a body."""
    request.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


def sends_to(place: str, status: int = 302) -> Handler:
    """An answer that sends on."""
    return lambda request: say(request, status, b"", {"Location": place})


@contextmanager
def file_server(host: str = "127.0.0.1") -> Iterator[FileServer]:
    """A server, while it is needed."""
    held = FileServer()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            held.answer(self)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer((host, 0), Answers)
    server.daemon_threads = True
    held.url = f"http://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
