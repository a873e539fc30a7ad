"""The findings of texts that are opened while pygls is imported, which takes longer than to find them.

Messages are looked at as they come, and pygls reads all of them afterwards and tells the same findings once more. The
first edit of a text, and whatever is odd, is left to pygls alone.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from scoring.extensions.editors.server.bounded_input import BoundedInput, write_message
from scoring.extensions.editors.server.greeting import Greeting
from scoring.extensions.editors.server.texts import EditedText, path_of_file
from scoring.extensions.editors.server.thinking import Thinker

MOST_LOOKED_AT = 4_000_000
"""The most bytes of a message that is looked at; a longer one is left to pygls."""
_LAST = {"textDocument/didChange", "textDocument/didClose", "initialize", "shutdown", "exit"}


class EarlyFindings:
    """A sender of the findings about texts that are as they were opened.

    Args:
        given: What the editor reads.
        checker: What checks texts.
        encoding: The units of columns that were agreed upon.
    """

    def __init__(self, given: BinaryIO, checker: Thinker, encoding: str) -> None:
        self._given, self._checker, self._encoding = given, checker, encoding
        self._texts: dict[Path, EditedText] = {}
        self._telling, self._is_over = threading.Lock(), False

    def end(self) -> None:
        """Tell nothing more, since from now on somebody else does; wait for what is just being told."""
        with self._telling:
            self._is_over = True

    def look(self, message: bytes) -> bool:
        """Look at a message of the editor, and return whether to look at the next one, too."""
        try:
            told = json.loads(message) if len(message) <= MOST_LOOKED_AT and not self._is_over else {}
            if told["method"] == "textDocument/didOpen":
                self._opened(**told)
            if told["method"] in _LAST:
                self.end()
        except (ValueError, TypeError, LookupError, RecursionError):
            self.end()
        return not self._is_over

    def _opened(self, *, jsonrpc: str, method: str, params: Mapping[str, Any]) -> None:
        document = params["textDocument"]
        uri, language, version, text = (document[name] for name in ("uri", "languageId", "version", "text"))
        if jsonrpc != "2.0" or not type(uri) is type(language) is type(text) is str or type(version) is not int:
            raise TypeError
        path = path_of_file(uri)
        if path is None:
            return
        if path in self._texts or not -(2**31) <= version < 2**31:
            raise ValueError
        self._texts[path] = EditedText(text, self._encoding)
        question, settings = {"ask": "findings", "path": str(path)}, {"encoding": self._encoding}
        self._checker.queue(question, self._texts, settings).add_done_callback(partial(self._tell, uri, version))

    def _tell(self, uri: str, version: int, answer: Future[Any]) -> None:
        if answer.cancelled() or answer.exception() is not None:  # pygls asks again, and says why there is no answer
            return
        found = {"uri": uri, "diagnostics": answer.result() or [], "version": version}
        with self._telling, contextlib.suppress(OSError):  # the editor may have gone
            if not self._is_over:
                write_message(self._given, {"method": "textDocument/publishDiagnostics", "params": found})


@contextlib.contextmanager
def findings_told(taken: BoundedInput, given: BinaryIO, greeting: Greeting | None, checker: Thinker) -> Iterator[None]:
    """Tell the findings of texts that are opened within the block, if the editor was greeted."""
    if greeting is None:
        yield
        return
    early = EarlyFindings(given, checker, greeting.encoding)
    taken.read_ahead(early.look)
    try:
        yield
    finally:
        early.end()
