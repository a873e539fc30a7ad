"""The command that helps editors: lsp."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import command
from scoring.cli.console import Console

COMMANDS = {"lsp": "help editors while specs are written: a language server on standard input and output"}


@command("lsp")
def _lsp(options: argparse.Namespace, console: Console) -> int:
    """Run the language server until the editor ends it."""
    from scoring.extensions.editors.server.verbs import serve_editor

    return serve_editor()
