"""The protocol of pygls, with answers to requests that can't be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification


class SpecProtocol(LanguageServerProtocol):
    """The protocol of pygls, which also answers requests whose parameters it can't read, and keeps no texts."""

    greeted: str | int | None = None
    """The key of the request that has an answer already; a second one is not sent."""

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if self.greeted is None or msg_id != self.greeted:
            super()._send_response(msg_id, result, error)
        else:
            self.greeted = None

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
