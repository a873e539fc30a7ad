"""The command that serves agents: mcp."""

from __future__ import annotations

import argparse
from pathlib import Path

from scoring.cli.arguments import argument, command
from scoring.cli.console import Console
from scoring.data.plain_files import real_path
from scoring.errors import InputError

COMMANDS = {"mcp": "serve agents by the Model Context Protocol: check, explain, score on examples, list"}


@command(
    "mcp",
    argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="the folder below which files are read (default: the current one)",
    ),
)
def _mcp(options: argparse.Namespace, console: Console) -> None:
    """Serve on standard input and output until the input ends."""
    folder = real_path(Path(options.folder))
    if not folder.is_dir():
        raise InputError(f"{options.folder} is no folder: name the one below which files are read")
    try:
        from scoring.extensions.agents.mcp_server import serve_stdio
    except ModuleNotFoundError:
        raise InputError("`scoring mcp` needs the extra `mcp`: pip install 'scoring-dsl[mcp]'") from None
    serve_stdio(folder)
