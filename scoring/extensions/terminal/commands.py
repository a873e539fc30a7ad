"""The command for the shell itself: completion."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import argument, command
from scoring.cli.console import Console

COMMANDS = {"completion": "print the script by which a shell completes commands and options"}


@command("completion", argument("shell", choices=("bash", "zsh", "fish", "powershell"), help="the shell: %(choices)s"))
def _completion(options: argparse.Namespace, console: Console) -> None:
    """Print the script; its first line says how it is used."""
    from scoring.extensions.terminal.completion import completion_script

    console.out.write(completion_script(options.shell))
