"""The answer to `initialize`, the first request of an editor, which gets it before pygls is imported.

That import takes more than half a second, and what the server can do is known without it: the editor decides on two
points only. pygls reads the request as well. Its own answer, which is the same by a test, is not sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import msgspec

from scoring.extensions.editors.server.bounded_input import BoundedInput, write_message
from scoring.extensions.editors.server.legend import TOKEN_MODIFIERS, TOKEN_TYPES
from scoring.version import VERSION

TRIGGERS = ("|", ".", "(", ",", "=", ":", " ", '"', "'", "/", "-")
FIX_ALL = "source.fixAll.scoring"
_ENCODINGS = ("utf-8", "utf-16", "utf-32")


class Greeting(msgspec.Struct, frozen=True):
    """The answer to the first message: the key of its request, and the units in which columns are counted."""

    key: str | int
    encoding: str


def greet(taken: BoundedInput, given: BinaryIO) -> Greeting | None:
    """Answer the first message, and say how; return None, without an answer, for a message that is no request to
    initialize, or an odd one."""
    try:
        request = json.loads(taken.first_message())
        key: str | int = request["id"]
        can = server_capabilities(request["params"]["capabilities"])
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    if request.get("jsonrpc") != "2.0" or request.get("method") != "initialize" or type(key) not in (str, int):
        return None
    result = {"capabilities": can, "serverInfo": {"name": "scoring", "version": VERSION}}
    write_message(given, {"id": key, "result": result})
    return Greeting(key, can["positionEncoding"])


def server_capabilities(client: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the server can do, given the capabilities of an editor, in the words of the protocol.

    Raises:
        TypeError: when these have another form than that of the protocol.
        AttributeError: likewise.

    Examples:
        >>> server_capabilities({"general": {"positionEncodings": ["utf-8"]}})["positionEncoding"]
        'utf-8'
    """
    offered = client.get("general", {}).get("positionEncodings", ())
    prepares = client.get("textDocument", {}).get("rename", {}).get("prepareSupport", False)
    return {
        "positionEncoding": next((one for one in offered if one in _ENCODINGS), "utf-16"),
        "textDocumentSync": {"openClose": True, "change": 2, "save": True},
        "completionProvider": {"triggerCharacters": [*TRIGGERS]},
        "hoverProvider": True,
        "definitionProvider": True,
        "referencesProvider": True,
        "documentSymbolProvider": True,
        "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL], "resolveProvider": True},
        "codeLensProvider": {"resolveProvider": False},
        "documentFormattingProvider": True,
        "renameProvider": {"prepareProvider": True} if prepares else True,
        "foldingRangeProvider": True,
        "executeCommandProvider": {"commands": []},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": [*TOKEN_TYPES], "tokenModifiers": [*TOKEN_MODIFIERS]},
            "full": True,
        },
        "inlayHintProvider": {"resolveProvider": False},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}, "fileOperations": {}},
    }
