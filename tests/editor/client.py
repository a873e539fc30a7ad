"""A small client of the language server protocol over standard input and output."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.support.waiting import PATIENCE


class Client:
    """Talks to a language server that is started as a process."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._messages: Queue[dict[str, Any]] = Queue()
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Client:
        try:
            self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {"workspace": {}}})
            self.notify("initialized", {})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()  # it reads from a pipe that is closed next
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def open(self, path: Path, text: str) -> str:
        """Show the server a document under the path of a real file, with a text of our own."""
        uri = path.as_uri()
        self.notify(
            "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}
        )
        return uri

    def request(self, method: str, params: Any) -> Any:
        """Ask, and wait for the answer."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._wait(lambda message: message.get("id") == self._last and "method" not in message)["result"]

    def notify(self, method: str, params: Any) -> None:
        """Tell, without an answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """The next findings that the server publishes about a document."""
        message = self._wait(
            lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
        )
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._process.stdin.flush()

    def _wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            try:
                message = self._messages.get(timeout=PATIENCE)
            except Empty:
                raise TimeoutError("the language server does not answer") from None
            if "id" in message and "method" in message:  # the server asks us something: we have no settings
                items = (message.get("params") or {}).get("items") if isinstance(message.get("params"), dict) else None
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": [None] * len(items) if items else None})
            elif wanted(message):
                return message

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            size = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            body = stream.read(size)
            if not size or len(body) < size:
                return
            self._messages.put(json.loads(body))
