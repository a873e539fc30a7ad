"""The command that opens a studio."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import api_arguments, command
from scoring.cli.console import Console
from scoring.cli.options import Verb

COMMANDS = {"studio": "edit a spec on a page of this machine, and see what it does to records while you type"}

_STUDIO = Verb("scoring.extensions.studio.verbs:open_studio")


@command(
    "studio",
    _STUDIO.option("spec", metavar="SPEC"),
    _STUDIO.option("data", metavar="DATA"),
    *_STUDIO("references"),
    _STUDIO.option("beside", metavar="SPEC_OR_RUN"),
    *_STUDIO("input_format", "reference_format", "limit", "port"),
)
def _studio(options: argparse.Namespace, console: Console) -> None:
    """Serve the page until Ctrl-C."""
    from scoring.extensions.studio.verbs import open_studio

    with open_studio(**api_arguments(options)) as studio:
        console.print(studio.address)
        console.out.flush()
        console.remark("a studio for this machine until Ctrl-C; whoever has the address can edit the spec")
        studio.wait()
