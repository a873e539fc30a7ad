"""Servers for tests, which say what they are told to."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def server(script: bytes, *, linger: bool = False, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """An address that answers every request with the script."""
    over = threading.Event()

    def serve(plain: socket.socket) -> None:
        with plain, contextlib.suppress(OSError), tls.wrap_socket(plain, True) if tls else plain as connection:
            while connection.recv(1 << 16) and not over.is_set():
                connection.sendall(script)
                if not linger:
                    return

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
