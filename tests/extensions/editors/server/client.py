"""A client that speaks to `scoring lsp` over its pipes, byte by byte where it must be hostile."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from lsprotocol import converters, types

from scoring import children

CONVERTER = converters.get_converter()
_WAIT = 60.0
Place = dict[str, int]
SERVER = "import sys; from scoring.cli.main import main; sys.exit(main(['lsp']))"
WITHOUT_PYGLS = f"""
import sys, threading
class Importing:
    def find_spec(self, name, path=None, target=None):
        if name == "lsprotocol.types":
            print("pygls is imported", file=sys.stderr, flush=True)
            {{then}}
sys.meta_path.insert(0, Importing())
{SERVER}
"""
"""A server in which something happens at the import of pygls; it never ends with `NEVER`."""
NEVER = WITHOUT_PYGLS.format(then="threading.Event().wait()")


def place(line: int, character: int) -> Place:
    """Return a position of the protocol."""
    return {"line": line, "character": character}


def units(text: str) -> int:
    """Return the length of a text in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def where(text: str, offset: int) -> Place:
    """Return the position of an offset, counted as an editor does that splits lines at `\\n` alone."""
    before = text[:offset]
    return place(before.count("\n"), units(before.rpartition("\n")[2]))


class LspClient:
    """An editor's side of the protocol: requests are counted, and answers read by lsprotocol's own converter.

    Args:
        folder: The folder of the workspace.
        encodings: The units of columns that the editor offers; none is UTF-16.
        program: The Python program that is the server.
        options: Further options of its process.
    """

    def __init__(self, folder: Path, encodings: tuple[str, ...] = (), program: str = SERVER, **options: Any) -> None:
        self.process = children.start(
            [sys.executable, "-P", "-c", program], stdin=children.PIPE, stdout=children.PIPE, cwd=folder, **options
        )
        self.folder, self._encodings = folder, encodings
        self.requests = 0
        self.findings: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self.told: dict[str, Any] = {}  # the last findings about each text, as they came
        self._answers: dict[Any, dict[str, Any]] = {}
        self._answered: set[Any] = set()
        self._come: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        folder = {"uri": self.folder.as_uri(), "name": "work"}
        capabilities = {"general": {"positionEncodings": [*self._encodings]} if self._encodings else {}}
        params = {
            "processId": None,
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": capabilities,
        }
        self.capabilities = self.ask("initialize", params)["capabilities"]
        self.tell("initialized", {})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self.process.poll() is None and error is None:
                self.ask("shutdown", None)
                self.tell("exit", None)
                self.process.wait(_WAIT)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()

    # ---- the wire

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """Send a message with its header."""
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        """Send a request, and return its number."""
        self.requests += 1
        self.send({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params})
        return self.requests

    def answer(self, number: Any) -> dict[str, Any]:
        """Return the answer to a request, with `result` or `error`."""
        while number not in self._answers:
            self._next()
        return self._answers.pop(number)

    def ask(self, method: str, params: Any) -> Any:
        """Return the result of a request; it is held against the types of the protocol."""
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer["error"]
        kind: Any = types.METHOD_TO_TYPES[method][1]
        CONVERTER.structure(answer, kind)
        return answer.get("result")

    def _next(self) -> None:
        try:
            message = self._come.get(timeout=_WAIT)
        except Empty:
            raise AssertionError("the server says nothing") from None
        assert message is not None, "the server has ended"
        if "id" in message and "method" not in message:
            assert message["id"] not in self._answered, "a request has two answers"
            self._answered.add(message["id"])
            self._answers[message["id"]] = message
        elif message.get("method") == "textDocument/publishDiagnostics":
            found = CONVERTER.structure(message["params"], types.PublishDiagnosticsParams)
            self.findings.setdefault(found.uri, []).append(found)
            self.told[found.uri] = message["params"]

    def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        while header := pipe.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.partition(b":")[2])
                header = pipe.readline()
            self._come.put(json.loads(pipe.read(length)))
        self._come.put(None)

    # ---- texts

    def open(self, name: str, text: str, language: str = "yaml") -> str:
        """Open a text, and return its address."""
        uri = (self.folder / name).as_uri()
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Edit a text."""
        document = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [*changes]})

    def found(self, uri: str, version: int = 1) -> list[types.Diagnostic]:
        """Return the findings about a version of a text, once they come."""
        while not any(one.version == version for one in self.findings.get(uri, ())):
            self._next()
        return list(next(one for one in reversed(self.findings[uri]) if one.version == version).diagnostics)

    def at(self, method: str, uri: str, position: Place, **more: Any) -> Any:
        """Return the result of a request about a position of a text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position, **more})

    def of(self, method: str, uri: str, **more: Any) -> Any:
        """Return the result of a request about a whole text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})
