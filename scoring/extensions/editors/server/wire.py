"""What comes over the wire, held within bounds before pygls reads it, and answers to requests that can't be read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification

from scoring.lazy_pattern import lazy_pattern

MOST_BYTES = 64_000_000
"""The most bytes of one message."""
_LONGEST_HEADER = 4_096
_LENGTH = lazy_pattern(rb"content-length[ \t]*:[ \t]*(\d{1,20})[ \t]*\r?\n", re.IGNORECASE)
_BLOCK = 1 << 20


class BoundedInput:
    """Standard input for pygls: headers in the one spelling that it knows, and no message of more than `MOST_BYTES`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """Return the next line of the headers, b"" at the end; of a longer one only its beginning."""
        line = self._stream.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = self._stream.readline(_LONGEST_HEADER)
            return b"x\n" if line else b""
        found = _LENGTH.fullmatch(line)
        if found is not None:
            return b"Content-Length: %d\r\n" % int(found[1])
        return b"\r\n" if not line.strip() and line else line

    def read(self, size: int) -> bytes:
        """Return a message of `size` bytes; of one that is too long a message that says nothing, once it went by."""
        if size <= MOST_BYTES:
            return self._stream.read(size)
        while size > 0:
            block = self._stream.read(min(size, _BLOCK))
            if not block:
                return b""
            size -= len(block)
        return b'{"jsonrpc": "2.0", "method": "$/tooLong"}'


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the two pipes to the editor; what anything else prints goes to standard error."""
    taken, given = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return cast(BinaryIO, BoundedInput(taken)), given


class SpecProtocol(LanguageServerProtocol):
    """The protocol of pygls, which also answers requests whose parameters it can't read, and keeps no texts."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as an object; answer a request that is none with an error, since somebody waits for it."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            return self._refuse(data, error)

    def _refuse(self, data: dict[str, Any], error: JsonRpcException) -> JsonRPCNotification:
        key = data.get("id")
        if isinstance(key, str | int) and not isinstance(key, bool) and "method" in data:
            self._send_response(key, None, error.to_response_error())
        return JsonRPCNotification("$/refused", self.VERSION, None)

    def handle_message(self, message: Any) -> None:
        """Handle a message; one that is no object of the protocol is passed over, a request too early is refused."""
        if not hasattr(message, "jsonrpc"):
            return
        method, key = getattr(message, "method", ""), getattr(message, "id", None)
        if key is not None and method and method != "initialize" and self._workspace is None:
            early = JsonRpcInternalError(message="the server was not initialized", code=-32002)
            self._send_response(key, None, early.to_response_error())
            return
        super().handle_message(message)

    def _passed_on(self, method: str, params: Any) -> Iterator[Any]:
        if (handler := self.fm.features.get(method)) is not None:
            yield handler, (params,), None

    # pygls would keep a text of its own, which drifts from that of the editor.

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Pass on that a text was opened."""
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Pass on that a text was edited."""
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Iterator[Any]:
        """Pass on that a text was closed."""
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_CLOSE, params)
