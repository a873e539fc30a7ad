"""The language server itself: texts as the editor has them, and questions about them, asked of child processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from scoring.extensions.editors.server.bounded_input import BoundedInput
from scoring.extensions.editors.server.greeting import FIX_ALL, TRIGGERS
from scoring.extensions.editors.server.texts import EditedText, path_of_file
from scoring.extensions.editors.server.thinking import NoAnswer, Thinker
from scoring.extensions.editors.server.wire import SpecProtocol
from scoring.version import VERSION

_PAUSE = 0.05
"""The seconds after a key stroke in which another one makes a check needless."""
_IDLE = 0.5
"""The seconds after the start in which the first findings are asked for, and nothing is read in advance."""
_STALE = 3.0
"""The seconds that the check of a text may go on once the text has changed."""
_VALUE_SECONDS = 0.25
_REFUSED = -32803  # the request failed, and the message says why


@dataclass(slots=True)
class EditorText:
    """A text that the editor has open, with its version there and the path of its file."""

    uri: str
    path: Path
    edited: EditedText
    version: int


class SpecServer(LanguageServer):
    """A language server for specs.

    Args:
        thinker: What answers questions about names and places, which need no check.
        checker: What checks texts.
        examples: What runs the examples of specs.
    """

    def __init__(self, thinker: Thinker, checker: Thinker, examples: Thinker) -> None:
        super().__init__("scoring", VERSION, types.TextDocumentSyncKind.Incremental, protocol_cls=SpecProtocol)
        self.thinker, self.checker, self.examples = thinker, checker, examples
        self.texts: dict[str, EditorText] = {}
        self._told: dict[str, asyncio.Task[None]] = {}
        self._reading: asyncio.Task[None] | None = None  # kept, since a task that nobody keeps may vanish
        _register(self)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write an error into the editor's log; no window is opened for it."""
        if self.protocol.writer is not None:
            message = f"{type(error).__name__}: {error}"[:500]
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    @property
    def encoding(self) -> str:
        """The units of columns that were agreed upon."""
        agreed = self.server_capabilities.position_encoding or "utf-16"
        return str(getattr(agreed, "value", agreed))  # an enum where the client offers nothing

    @property
    def folders(self) -> list[str]:
        """The folders of the workspace."""
        uris = [*self.workspace.folders] or [self.workspace.root_uri or ""]
        found = (to_fs_path(uri) for uri in uris if uri.startswith("file:"))
        return [path for path in found if path]

    def asked(self, word: str) -> Thinker:
        """Return the process that answers a question: no quick one waits for a check, nor a check for examples."""
        if word in ("lenses", "value"):
            return self.examples
        return self.checker if word in ("findings", "actions", "fix-all") else self.thinker

    def known(self) -> dict[Path, EditedText]:
        """Return all open texts by path."""
        return {one.path: one.edited for one in self.texts.values()}

    async def ask(self, word: str, uri: str, **more: Any) -> Any:
        """Return the answer to a question about an open text; None for a text that is not open.

        Raises:
            NoAnswer: when there is none.
        """
        text = self.texts.get(uri)
        if text is None:
            return None
        question = {"ask": word, "path": str(text.path), **more}
        settings = {"encoding": self.encoding, "folders": self.folders}
        answer = await self.asked(word).ask(question, self.known(), settings)
        if isinstance(answer, dict) and "refused" in answer:
            raise JsonRpcException(answer["refused"], _REFUSED)
        return self._with_uris(answer)

    def _with_uris(self, answer: Any) -> Any:
        """Return an answer whose addresses of open texts are spelled as the editor spells them."""
        spelled = {one.path.as_uri(): one.uri for one in self.texts.values()}
        for one in answer if isinstance(answer, list) else [answer]:
            holder = one.get("edit", one) if isinstance(one, dict) else {}
            if "changes" in holder:
                holder["changes"] = {spelled.get(uri, uri): edits for uri, edits in holder["changes"].items()}
            if "uri" in holder:
                holder["uri"] = spelled.get(holder["uri"], holder["uri"])
        return answer

    # ---- texts

    def path_of(self, uri: str, language: str) -> Path | None:
        """Return the path of a text's file, of a text without one where it would be; None for other addresses."""
        parts = urlsplit(uri)
        if parts.scheme == "file":
            return path_of_file(uri)
        if parts.scheme != "untitled":
            return None
        name = Path(unquote(parts.path)).name.replace("\0", "") or "untitled"
        ending = "" if name.endswith((".yaml", ".yml", ".json")) else ".json" if language == "json" else ".yaml"
        return Path(*self.folders[:1] or [os.path.abspath(os.sep)], f"{name}{ending}")

    def opened(self, document: types.TextDocumentItem) -> None:
        """Keep a text that was opened, and tell what is found in it."""
        path = self.path_of(document.uri, document.language_id)
        if path is not None:
            edited = EditedText(document.text, self.encoding)
            self.texts[document.uri] = EditorText(document.uri, path, edited, document.version)
            self.tell(document.uri)
            self._reading = asyncio.ensure_future(self._read(document.uri))

    async def _read(self, uri: str) -> None:
        """Let the process that completes read a text that was opened, so that its first completion need not."""
        with contextlib.suppress(NoAnswer):
            await self.ask("read", uri)

    def changed(self, uri: str, version: int, changes: list[Any]) -> None:
        """Edit a text as the editor did, and tell what is found in it then."""
        text = self.texts.get(uri)
        if text is None:
            return
        for change in changes:
            text.edited = text.edited.changed(self.protocol._converter.unstructure(change))
        text.version = version
        for one in (self.thinker, self.checker, self.examples):
            one.hurry(text.path, _STALE)
        self.tell(uri)
        for other in self.texts.values():
            if other is not text and text.path.name in other.edited.text:
                self.tell(other.uri)

    def closed(self, uri: str) -> None:
        """Forget a text that was closed."""
        if self.texts.pop(uri, None) is not None:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def tell(self, uri: str, *, forget: bool = False) -> None:
        """Publish the findings about a text soon; with `forget`, files that it imports may have changed."""
        if (before := self._told.pop(uri, None)) is not None:
            before.cancel()
        self._told[uri] = asyncio.ensure_future(self._publish(uri, forget))

    async def _publish(self, uri: str, forget: bool) -> None:
        await asyncio.sleep(_PAUSE)
        text = self.texts.get(uri)
        if text is None:
            return
        version = text.version
        try:
            found = await self.ask("findings", uri, forget=forget) or []
        except NoAnswer as why:
            start = types.Position(0, 0)
            message = f"this text was not checked: {why}"
            told = [
                types.Diagnostic(types.Range(start, start), message, types.DiagnosticSeverity.Warning, source="scoring")
            ]
        else:
            told = [self.protocol._converter.structure(one, types.Diagnostic) for one in found]
        if uri in self.texts and self.texts[uri].version == version:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, version))

    # ---- what takes two questions

    async def hover(self, uri: str, position: Mapping[str, int]) -> Any:
        """Return what stands at a position, with the value that it gives in the first example."""
        found = await self.ask("hover", uri, position=position)
        if found is None:
            return None
        of = found.pop("of")
        try:
            value = await asyncio.wait_for(self.ask("value", uri, of=of), _VALUE_SECONDS)
        except (NoAnswer, TimeoutError):
            value = ""
        if value:
            shown = value.replace("`", "'")
            found["contents"]["value"] += f"\n\nin the first example: `{shown}`"
        return found


def _plain(value: Any) -> Any:
    """Return a range or position of pygls as plain data."""
    if isinstance(value, types.Range):
        return {side: {"line": at.line, "character": at.character} for side, at in _ends(value)}
    return {"line": value.line, "character": value.character}


def _ends(value: types.Range) -> tuple[tuple[str, types.Position], ...]:
    return ("start", value.start), ("end", value.end)


def _register(server: SpecServer) -> None:
    """Register the functions that answer the editor."""
    asked: dict[str, tuple[str, Callable[[Any], dict[str, Any]], Any]] = {
        types.TEXT_DOCUMENT_COMPLETION: (
            "complete",
            _position,
            types.CompletionOptions(trigger_characters=[*TRIGGERS]),
        ),
        types.TEXT_DOCUMENT_DEFINITION: ("definition", _position, None),
        types.TEXT_DOCUMENT_REFERENCES: (
            "references",
            lambda params: {**_position(params), "declared": params.context.include_declaration},
            None,
        ),
        types.TEXT_DOCUMENT_PREPARE_RENAME: ("prepare", _position, None),
        types.TEXT_DOCUMENT_RENAME: (
            "rename",
            lambda params: {**_position(params), "name": params.new_name},
            types.RenameOptions(prepare_provider=True),
        ),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: ("tokens", _nothing, _legend()),
        types.TEXT_DOCUMENT_FOLDING_RANGE: ("folding", _nothing, None),
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: ("symbols", _nothing, None),
        types.TEXT_DOCUMENT_FORMATTING: ("format", _nothing, None),
        types.TEXT_DOCUMENT_INLAY_HINT: ("hints", lambda params: {"range": _plain(params.range)}, None),
        types.TEXT_DOCUMENT_CODE_ACTION: (
            "actions",
            lambda params: {"range": _plain(params.range), "only": [*(params.context.only or ())] or None},
            types.CodeActionOptions(["quickfix", FIX_ALL], resolve_provider=True),
        ),
    }
    for method, (word, arguments, options) in asked.items():
        server.feature(method, options)(_answerer(server, word, arguments))
    _register_others(server)
    _register_texts(server)


def _position(params: Any) -> dict[str, Any]:
    return {"position": _plain(params.position)}


def _nothing(params: Any) -> dict[str, Any]:
    return {}


def _legend() -> types.SemanticTokensLegend:
    from scoring.extensions.editors.server.legend import TOKEN_MODIFIERS, TOKEN_TYPES

    return types.SemanticTokensLegend([*TOKEN_TYPES], [*TOKEN_MODIFIERS])


def _answerer(
    server: SpecServer, word: str, arguments: Callable[[Any], dict[str, Any]]
) -> Callable[[Any], Awaitable[Any]]:
    async def answer(params: Any) -> Any:
        try:
            return await server.ask(word, params.text_document.uri, **arguments(params))
        except NoAnswer as why:
            raise JsonRpcException(str(why), _REFUSED) from None

    return answer


def _register_others(server: SpecServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> Any:
        try:
            return await server.hover(params.text_document.uri, _plain(params.position))
        except NoAnswer as why:
            raise JsonRpcException(str(why), _REFUSED) from None

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> Any:
        try:
            return await server.ask("lenses", params.text_document.uri)
        except NoAnswer as why:
            start = {"line": 0, "character": 0}
            title = f"examples were not run: {why}"
            return [{"range": {"start": start, "end": start}, "command": {"title": title, "command": ""}}]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> Any:
        uri = action.data["uri"] if isinstance(action.data, dict) else ""
        uri = next((one.uri for one in server.texts.values() if one.path.as_uri() == uri), str(uri))
        try:
            edits = await server.ask("fix-all", uri)
        except NoAnswer as why:
            raise JsonRpcException(str(why), _REFUSED) from None
        plain: dict[str, Any] = server.protocol._converter.unstructure(action)
        return {**plain, "edit": {"changes": {uri: edits or []}}}


def _register_texts(server: SpecServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri, params.text_document.version, [*params.content_changes])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        asyncio.get_running_loop().call_later(_IDLE, server.checker.prepare)

    def look_again(params: Any) -> None:
        for uri in server.texts:
            server.tell(uri, forget=True)

    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(look_again)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(look_again)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(look_again)


def serve_pipes(server: SpecServer, taken: BoundedInput, given: BinaryIO, greeted: str | int | None) -> int:
    """Serve an editor until its pipes end; return 0 if it asked for the end, else 1.

    Args:
        server: What answers it.
        taken: What the editor writes.
        given: What it reads.
        greeted: The key of the request that has its answer already, None if none has.
    """
    if isinstance(server.protocol, SpecProtocol):
        server.protocol.greeted = greeted
    server.start_io(cast(BinaryIO, taken), given)
    return 0 if server.protocol._shutdown else 1
