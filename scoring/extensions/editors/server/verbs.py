"""Start the language server."""

from __future__ import annotations

from importlib.util import find_spec

from scoring.errors import InputError
from scoring.extensions.editors.server.bounded_input import own_pipes
from scoring.extensions.editors.server.early import findings_told
from scoring.extensions.editors.server.greeting import greet
from scoring.extensions.editors.server.thinking import Thinker

SECONDS = 10.0
_EXAMPLE_SECONDS = 5.0


def serve_editor() -> int:
    """Serve an editor on standard input and output until it ends that, and return the exit status that it expects.

    Raises:
        InputError: when the extra `lsp` is not installed.
    """
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise InputError("the language server needs the extra `lsp`: pip install 'scoring-dsl[lsp]'")
    # They import what they need while this process answers the editor and imports the protocol: first the one that
    # the findings of an opened text wait for.
    thinkers = Thinker(SECONDS, "complete"), Thinker(SECONDS, first="sound"), Thinker(_EXAMPLE_SECONDS)
    for one in (thinkers[1], thinkers[0]):
        one.begin()
    try:
        taken, given = own_pipes()
        greeting = greet(taken, given)
        with findings_told(taken, given, greeting, thinkers[1]):
            from scoring.extensions.editors.server.serving import SpecServer, serve_pipes

            server = SpecServer(*thinkers)
        return serve_pipes(server, taken, given, greeting.key if greeting is not None else None)
    finally:
        for one in thinkers:
            one.close()
