"""The command that writes runs and specs in the forms of other tools."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import command
from scoring.cli.console import Console
from scoring.cli.options import Verb

COMMANDS = {"export": "write a run or a spec in the form of another tool"}

_EXPORT = Verb("scoring.extensions.hosts.exports.exporting:export")


@command(
    "export",
    *_EXPORT("tool", "what"),
    _EXPORT.option("output", "-o", "--output", metavar="PATH"),
    *_EXPORT("force"),
    shared.JSON,
)
def _export(options: argparse.Namespace, console: Console) -> None:
    """Write the export and print the names of its files."""
    from scoring.extensions.hosts.exports.exporting import export

    console.result(export(options.tool, options.what, options.output, force=options.force), options)
